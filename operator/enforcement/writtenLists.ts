/** The lists that were written for one instance, so that rules are confirmed although the list changes all the time. */

/** Maximum number of remembered lists. A pod with an older one is asked again later. */
const MAX_LISTS = 256;

/** A list. */
export interface ListVersion {
  readonly revision: string;
  /** The number of customers in it. */
  readonly customers: number;
}

/**
 * The lists of an instance, numbered in the order in which they were written, from 1. A pod that has read one never returns
 * to an earlier one, so the number of the list that it has reported is a lower bound of the number that it has later.
 */
export class WrittenLists {
  readonly #versions: (ListVersion & { readonly number: number })[] = [];
  /** What the newest list says about each customer, and since which list. */
  #rules: ReadonlyMap<string, { readonly rule: string; readonly since: number }> = new Map();

  /**
   * Records the list that is stored now.
   * @param rulesOf what it says about each customer, by the uid of the customer. Called only for another list than the last
   * @param before the list that every pod had, according to the status, if this is the first record of this process; and the
   *   customers with the rules that it had, according to theirs
   */
  record(
    revision: string,
    rulesOf: () => ReadonlyMap<string, string>,
    before?: { readonly list: ListVersion; readonly isEnforced: (uid: string) => boolean },
  ): void {
    if (this.#versions.at(-1)?.revision === revision) return;
    const isFirst = this.#versions.length === 0;
    const earlier = isFirst && before?.list.revision !== revision ? before : undefined;
    if (earlier !== undefined) this.#versions.push({ ...earlier.list, number: 1 });
    const rules = rulesOf();
    const number = this.newest + 1;
    this.#versions.push({ revision, customers: rules.size, number });
    if (this.#versions.length > MAX_LISTS) this.#versions.shift();
    const known = this.#rules;
    this.#rules = new Map(
      Array.from(rules, ([uid, rule]) => {
        const same = known.get(uid);
        if (same?.rule === rule) return [uid, same];
        return [uid, { rule, since: earlier?.isEnforced(uid) === true ? 1 : number }];
      }),
    );
  }

  /** The number of the newest list; 0: there is none. */
  get newest(): number {
    return this.#versions.at(-1)?.number ?? 0;
  }

  /** The number of the newest list with this revision; 0: it is not known. */
  numberOf(revision: string | undefined): number {
    return this.#versions.findLast((version) => version.revision === revision)?.number ?? 0;
  }

  /** A list by its number; undefined: it is not known. */
  at(number: number): ListVersion | undefined {
    return this.#versions.find((version) => version.number === number);
  }

  /** The number of the first list since which all say the same about a customer; undefined: the newest says nothing. */
  sinceOf(uid: string): number | undefined {
    return this.#rules.get(uid)?.since;
  }
}

/** When the list of an instance may be written again. */

/** At most so many writes of shards in a minute, on average. */
const WRITES_PER_MINUTE = 30;

/**
 * Bounds the writes of lists: the first change is written at once, and further ones together, after a time that grows with
 * the number of shards.
 */
export class Batches {
  readonly #monotonic: () => number;
  readonly #nextAt = new Map<string, number>();

  /** @param monotonic a clock in milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** @returns how long the next write must wait, in milliseconds */
  waitMs(instance: string): number {
    return Math.max(0, (this.#nextAt.get(instance) ?? 0) - this.#monotonic());
  }

  /** @param shards the number of shards that were written */
  wrote(instance: string, shards: number): void {
    this.#nextAt.set(instance, this.#monotonic() + (shards * 60_000) / WRITES_PER_MINUTE);
  }

  forget(instance: string): void {
    this.#nextAt.delete(instance);
  }
}
