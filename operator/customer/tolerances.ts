/** The delay before a waiting claimant owns a record. It is kept in memory and starts again after a restart. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { keyText } from '../runtime/runtime.ts';
import { reapplyGraceMs } from '../external/external.ts';

/** Waiting claimants of a record without an owner: the previous owner may be applied again. */
export class ReapplyGrace {
  readonly #monotonic: () => number;
  /** When the record lost its owner, by the customer's key. */
  readonly #free = new Map<string, number>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** The remaining time in which the record is reserved for its previous owner, in milliseconds. */
  left(customer: GatewayCustomer): number {
    if (customer.status?.ownership !== 'Waiting') return 0;
    const now = this.#monotonic();
    const since = this.#free.get(keyText(customer.metadata)) ?? now;
    this.#free.set(keyText(customer.metadata), since);
    return Math.max(0, since + reapplyGraceMs - now);
  }

  /** Ends the delay after the gateway reported a conflict: the record has no previous owner in this cluster. */
  skip({ metadata }: GatewayCustomer): void {
    this.#free.set(keyText(metadata), Number.NEGATIVE_INFINITY);
  }

  forget(key: { readonly namespace: string; readonly name: string }): void {
    this.#free.delete(keyText(key));
  }
}
