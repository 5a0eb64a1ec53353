/** What a reconcile tolerates for a while. Kept in memory: the times start again after a restart. */
import type { ObjectMeta } from '../api/v1alpha1/v1alpha1.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';
import { reapplyGraceMs } from './claims.ts';
import type { External } from './resource.ts';

/**
 * How long a resource stays in sync while its gateway is unreachable, in milliseconds. The gateway keeps its records.
 * Without this tolerance, a restart of the gateway would change the status of hundreds of customers, with a warning and
 * two writes each. The instance reports the outage within this time.
 */
const outageToleranceMs = 60_000;

/** Resources in sync whose gateway is unreachable. */
export class OutageTolerance {
  readonly #monotonic: () => number;
  readonly #since = new Map<string, { readonly uid: string; readonly since: number }>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Records a failed call. @returns whether the outage is too short to report */
  tolerates({ metadata }: { readonly metadata: ObjectMeta }): boolean {
    const key = keyText(metadata);
    const { uid } = metadata;
    const known = this.#since.get(key);
    const since = known?.uid === uid ? known.since : this.#monotonic();
    this.#since.set(key, { uid, since });
    return this.#monotonic() - since < outageToleranceMs;
  }

  forget(key: ObjectKey): void {
    this.#since.delete(keyText(key));
  }
}

/** Waiting claimants of a record without an owner: the previous owner may be applied again. */
export class ReapplyGrace {
  readonly #monotonic: () => number;
  /** When the record lost its owner, by the resource's key. */
  readonly #free = new Map<string, number>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** The remaining time in which the record is reserved for its previous owner, in milliseconds. */
  left({ metadata, status }: External): number {
    if (status?.ownership !== 'Waiting') return 0;
    const now = this.#monotonic();
    const since = this.#free.get(keyText(metadata)) ?? now;
    this.#free.set(keyText(metadata), since);
    return Math.max(0, since + reapplyGraceMs - now);
  }

  /** Ends the delay after the gateway reported a conflict: the record has no previous owner in this cluster. */
  skip({ metadata }: External): void {
    this.#free.set(keyText(metadata), Number.NEGATIVE_INFINITY);
  }

  forget(key: ObjectKey): void {
    this.#free.delete(keyText(key));
  }
}
