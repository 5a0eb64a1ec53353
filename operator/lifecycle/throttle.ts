import type { ObjectMeta } from '../api/v1alpha1/v1alpha1.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';

/**
 * The minimum interval between reconciles of an unchanged resource. Without it, ten thousand customers that become
 * synced would cause ten thousand reconciles of their instance and their budget.
 */
const MIN_INTERVAL_MS = 1_000;

/** Delays the reconciles of unchanged resources. Its state is in memory, and empty after a restart. */
export class Throttle {
  readonly #monotonic: () => number;
  /** The last reconciled version, and its time. */
  readonly #last = new Map<string, { readonly version: string; readonly at: number }>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** How long the reconcile of an unchanged resource must wait, in milliseconds; 0 if it need not wait. */
  waitMs({ metadata }: { readonly metadata: ObjectMeta }): number {
    const last = this.#last.get(keyText(metadata));
    if (last?.version !== versionOf(metadata)) return 0;
    return Math.max(0, Math.ceil(last.at + MIN_INTERVAL_MS - this.#monotonic()));
  }

  /** Records a complete reconcile. */
  reconciled({ metadata }: { readonly metadata: ObjectMeta }): void {
    this.#last.set(keyText(metadata), { version: versionOf(metadata), at: this.#monotonic() });
  }

  forget(key: ObjectKey): void {
    this.#last.delete(keyText(key));
  }
}

/** Identifies the fields of a resource that users can change. */
function versionOf({ uid, generation, annotations }: ObjectMeta): string {
  return JSON.stringify([uid, generation, annotations]);
}
