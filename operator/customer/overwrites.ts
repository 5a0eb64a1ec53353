/** Recognizes customers whose record another client changes again and again, such as an operator in another cluster. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';
import type { SyncOutcome } from './status.ts';

/** The number of corrections in a row that shows a second writer. One or two may be changes by hand. */
const corrections = 3;
/** Two corrections further apart than this, in milliseconds, and than {@link windowIntervals} sync intervals, are not in a row. */
const minWindowMs = 60 * 60_000;
const windowIntervals = 4;

interface Corrected {
  readonly uid: string;
  readonly count: number;
  readonly at: number;
  readonly fields: ReadonlySet<string>;
}

/** The corrections of all customers. Kept in memory: after a restart, the count begins again. */
export class Overwrites {
  readonly #monotonic: () => number;
  readonly #corrected = new Map<string, Corrected>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * Counts the correction of a sync, if it was one. A correction that did not converge has another cause.
   * @param syncInterval in milliseconds
   * @returns the outcome to report: a record that is overwritten after each correction is not synced
   */
  report({ metadata }: GatewayCustomer, outcome: SyncOutcome, syncInterval: number): SyncOutcome {
    const key = keyText(metadata);
    const now = this.#monotonic();
    const window = Math.max(minWindowMs, windowIntervals * syncInterval);
    let known = this.#corrected.get(key);
    if (known !== undefined && (known.uid !== metadata.uid || now - known.at > window)) {
      this.#corrected.delete(key);
      known = undefined;
    }
    if (!outcome.synced) return outcome;
    if (outcome.corrected !== undefined) {
      const fields = new Set([...(known?.fields ?? []), ...outcome.corrected]);
      known = { uid: metadata.uid, count: (known?.count ?? 0) + 1, at: now, fields };
      this.#corrected.set(key, known);
    }
    if (known === undefined || known.count < corrections) return outcome;
    return { ...outcome, synced: false, reason: 'Overwritten', message: overwritten([...known.fields].sort()) };
  }

  forget(key: ObjectKey): void {
    this.#corrected.delete(keyText(key));
  }
}

function overwritten(fields: readonly string[]): string {
  return `Another client changes this customer at the gateway after each correction: ${fields.join(', ')}. Find the other client, for example an operator in another cluster, and let only one of the two manage the customer: set managementPolicy to Observe in the other.`;
}
