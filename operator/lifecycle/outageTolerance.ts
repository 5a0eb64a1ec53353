import type { ObjectMeta } from '../api/v1alpha1/v1alpha1.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';

/**
 * How long a resource stays in sync while its gateway is unreachable, in milliseconds. The gateway keeps its records.
 * Without this tolerance, a restart of the gateway would change the status of hundreds of customers, with a warning and
 * two writes each. The instance reports the outage within this time.
 */
const outageToleranceMs = 60_000;

/** Resources in sync whose gateway is unreachable. Kept in memory: the time starts again after a restart. */
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
