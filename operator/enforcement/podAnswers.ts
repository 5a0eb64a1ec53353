/** What the pods of one instance have answered about the files that they have read. */
import type { GuardrailPod, Revisions } from './pods.ts';
import type { WrittenLists } from './writtenLists.ts';

/**
 * How long until a pod is asked again, in milliseconds: a tenth of the time for which it has lacked something, within these
 * bounds. A kubelet needs up to two minutes for a change.
 */
const ASK_MS = { first: 3_000, last: 60_000 };
/** How long a pod that takes calls may leave the operator without an answer until this is reported. */
const UNANSWERED_MS = 60_000;

/** What is expected of every pod. */
export interface Expected {
  readonly lists: Pick<WrittenLists, 'newest' | 'numberOf'>;
  /** undefined: the guardrail has no policy. */
  readonly policy: string | undefined;
}

/** What is known about all pods that take calls. */
export interface KnownPods {
  /** Every pod has this list, or a newer one; 0: some pod has none that is known. */
  readonly list: number;
  /** Whether every pod has the policy. */
  readonly hasPolicy: boolean;
  /** After how long a pod that lacks something is asked again; undefined: none lacks anything. */
  readonly askAfterMs: number | undefined;
  /** A pod that has not answered for long; undefined: there is none. */
  readonly silent: string | undefined;
}

interface Known {
  /** The pod has this list, or a newer one. */
  list: number;
  policy: string | undefined;
  /** When it began to lack something, and when it is asked again, in milliseconds of the clock. */
  since: number;
  nextAt: number;
  /** The time of the first question since the last answer; undefined: the last one was answered. */
  unansweredSince: number | undefined;
}

/** Asks each pod until it has what is expected. A pod that has not answered has nothing. */
export class PodAnswers {
  readonly #monotonic: () => number;
  readonly #known = new Map<string, Known>();
  #policy: string | undefined;

  /** @param monotonic a clock in milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * Asks the pods that lack something, if they are due.
   * @param pods all pods that take calls
   */
  async update(pods: readonly GuardrailPod[], expected: Expected, signal: AbortSignal): Promise<KnownPods> {
    const ids = new Set(pods.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    this.#expectPolicy(expected.policy);
    const now = this.#monotonic();
    const due = pods.filter((pod) => {
      const known = this.#of(pod, now);
      return lacks(known, expected) && known.nextAt <= now;
    });
    await Promise.all(
      due.map(async (pod) => {
        this.#answered(this.#of(pod, now), await pod.ask(signal), expected);
      }),
    );
    return this.#summary(pods, expected);
  }

  #answered(known: Known, answer: Revisions | undefined, expected: Expected): void {
    const now = this.#monotonic();
    known.unansweredSince = answer === undefined ? (known.unansweredSince ?? now) : undefined;
    known.list = Math.max(known.list, expected.lists.numberOf(answer?.customerList));
    known.policy = answer?.policy;
    if (!lacks(known, expected)) return;
    known.nextAt = now + Math.min(Math.max((now - known.since) / 10, ASK_MS.first), ASK_MS.last);
  }

  #summary(pods: readonly GuardrailPod[], expected: Expected): KnownPods {
    const now = this.#monotonic();
    const all = pods.map((pod) => ({ name: pod.name, known: this.#of(pod, now) }));
    const lacking = all.filter(({ known }) => lacks(known, expected)).map(({ known }) => known);
    for (const { known } of all) {
      if (lacking.includes(known)) continue;
      known.since = now;
      known.nextAt = now;
    }
    const silent = all.find(({ known }) => now - (known.unansweredSince ?? now) >= UNANSWERED_MS);
    return {
      list: Math.min(...all.map(({ known }) => known.list)),
      hasPolicy: expected.policy !== undefined && all.every(({ known }) => known.policy === expected.policy),
      askAfterMs:
        lacking.length === 0 ? undefined : Math.max(0, Math.min(...lacking.map(({ nextAt }) => nextAt)) - now),
      silent: silent?.name,
    };
  }

  /** A pod that had this policy may have read another one in the meantime. */
  #expectPolicy(policy: string | undefined): void {
    if (policy === this.#policy) return;
    this.#policy = policy;
    for (const known of this.#known.values()) known.policy = undefined;
  }

  #of({ id }: GuardrailPod, now: number): Known {
    const known = this.#known.get(id) ?? {
      ...{ list: 0, policy: undefined, unansweredSince: undefined },
      ...{ since: now, nextAt: now },
    };
    this.#known.set(id, known);
    return known;
  }
}

function lacks({ list, policy }: Known, expected: Expected): boolean {
  return list < expected.lists.newest || (expected.policy !== undefined && policy !== expected.policy);
}
