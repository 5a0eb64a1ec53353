/** The delays before a customer's state changes. They are kept in memory and start again after a restart. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { keyText } from '../runtime/runtime.ts';
import { ownershipOf } from './ownership.ts';
import { reapplyGraceMs } from './precedence.ts';

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
    if (ownershipOf(customer).status !== 'Waiting') return 0;
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

/**
 * How long a customer stays in sync while its gateway is unreachable, in milliseconds. The gateway keeps its records.
 * Without this tolerance, a restart of the gateway would change the status of hundreds of customers, with a warning and
 * two writes each. The instance reports the outage within this time.
 */
const outageToleranceMs = 60_000;

/** Customers in sync whose gateway is unreachable. */
export class OutageTolerance {
  readonly #monotonic: () => number;
  readonly #since = new Map<string, { readonly uid: string; readonly since: number }>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Records a failed call. @returns whether the outage is too short to report */
  tolerates({ metadata }: GatewayCustomer): boolean {
    const key = keyText(metadata);
    const { uid } = metadata;
    const known = this.#since.get(key);
    const since = known?.uid === uid ? known.since : this.#monotonic();
    this.#since.set(key, { uid, since });
    return this.#monotonic() - since < outageToleranceMs;
  }

  forget(key: { readonly namespace: string; readonly name: string }): void {
    this.#since.delete(keyText(key));
  }
}
