/** How long a customer waits before its state changes. Kept in memory: after a restart, each time begins again. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { keyText } from '../runtime/runtime.ts';
import { ownershipOf } from './ownership.ts';
import { reapplyGraceMs } from './precedence.ts';

/** Waiting claimants whose owner is gone: the owner may be applied again. */
export class ReapplyGrace {
  readonly #monotonic: () => number;
  /** Since when no other resource owns the record, by the customer's key. */
  readonly #free = new Map<string, number>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** How long a waiting customer leaves a free record to its former owner, in milliseconds. */
  left(customer: GatewayCustomer): number {
    if (ownershipOf(customer).status !== 'Waiting') return 0;
    const now = this.#monotonic();
    const since = this.#free.get(keyText(customer.metadata)) ?? now;
    this.#free.set(keyText(customer.metadata), since);
    return Math.max(0, since + reapplyGraceMs - now);
  }

  /** The gateway reported a conflict: no former owner of this cluster can come back. */
  skip({ metadata }: GatewayCustomer): void {
    this.#free.set(keyText(metadata), Number.NEGATIVE_INFINITY);
  }

  forget(key: { readonly namespace: string; readonly name: string }): void {
    this.#free.delete(keyText(key));
  }
}

/**
 * How long a customer in sync stays so while its gateway is unreachable, in milliseconds. The gateway keeps its records.
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

  /** Notes a failed call. @returns whether the outage is too short to report */
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
