/** When the pods of an instance are asked what they have loaded. */
import type { LoadedPart, Revisions } from './loadedRevisions.ts';

/** How long until pods are asked again. A kubelet needs up to two minutes for a change. Then it takes longer and longer. */
const ASK_MS = { first: 3_000, last: 60_000 };

interface Expectation {
  readonly revision: string;
  readonly since: number;
}

interface Asked {
  readonly expectations: Map<LoadedPart, Expectation>;
  /** Not before this time, unless another revision is expected. */
  nextAt: number;
}

/**
 * Spreads the questions to pods: the first one about a revision is asked at once, further ones less and less often. One part
 * that changes all the time does not delay the questions about another one.
 */
export class AskTimes {
  readonly #monotonic: () => number;
  readonly #asked = new Map<string, Asked>();

  /** @param monotonic a clock in milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** @returns how long the question must wait, in milliseconds */
  waitMs(instance: string, expected: Revisions): number {
    const asked = this.#of(instance);
    const now = this.#monotonic();
    for (const [part, revision] of entriesOf(expected)) {
      if (asked.expectations.get(part)?.revision === revision) continue;
      asked.expectations.set(part, { revision, since: now });
      asked.nextAt = now;
    }
    return Math.max(0, asked.nextAt - now);
  }

  /**
   * The pods were asked, and not all of them have everything.
   * @returns how long the next question must wait, in milliseconds
   */
  retryMs(instance: string, expected: Revisions): number {
    const asked = this.#of(instance);
    const now = this.#monotonic();
    const youngest = Math.max(...entriesOf(expected).map(([part]) => asked.expectations.get(part)?.since ?? now));
    const waitMs = Math.min(Math.max((now - youngest) / 10, ASK_MS.first), ASK_MS.last);
    asked.nextAt = now + waitMs;
    return waitMs;
  }

  forget(instance: string): void {
    this.#asked.delete(instance);
  }

  #of(instance: string): Asked {
    const known = this.#asked.get(instance);
    if (known !== undefined) return known;
    const asked = { expectations: new Map<LoadedPart, Expectation>(), nextAt: 0 };
    this.#asked.set(instance, asked);
    return asked;
  }
}

function entriesOf(revisions: Revisions): (readonly [LoadedPart, string])[] {
  return (['customerList', 'policy'] as const).flatMap((part) => {
    const revision = revisions[part];
    return revision === undefined ? [] : [[part, revision] as const];
  });
}
