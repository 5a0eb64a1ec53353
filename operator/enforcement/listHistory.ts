/** Which lists were written for an instance, so that rules are confirmed although the list changes all the time. */

/** So many lists are remembered for each instance: pods that are further behind are asked again later. */
const MAX_LISTS = 256;

/** What pods are asked about. */
export interface ExpectedList {
  readonly revision: string;
  /** The number of customers in it. */
  readonly customers: number;
  /** The revisions of this list and of all that were written after it. */
  readonly accepted: readonly string[];
}

interface WrittenOnce {
  readonly revision: string;
  readonly customers: number;
  readonly order: number;
}

interface History {
  /** The newest one is the last one. */
  readonly lists: WrittenOnce[];
  /** What the newest list says about each customer, and since which list. */
  rules: ReadonlyMap<string, { readonly rule: string; readonly since: number }>;
  /** The list that pods are asked about, until all of them have it or a newer one. */
  asked: WrittenOnce | undefined;
  /** The order of the newest list that is confirmed. */
  confirmed: number;
}

/**
 * The lists that this process has written or found for each instance. Pods are asked about one list until each of them has
 * it, or one that was written after it. What all of these lists say about a customer is then enforced.
 */
export class ListHistory {
  readonly #instances = new Map<string, History>();

  /**
   * Records the list that is stored now.
   * @param rulesOf what it says about each customer, by the uid of the customer. Called only for another list than the last
   */
  stored(instance: string, revision: string, rulesOf: () => ReadonlyMap<string, string>): void {
    const history = this.#of(instance);
    const last = history.lists.at(-1);
    if (last?.revision === revision) return;
    const rules = rulesOf();
    const order = (last?.order ?? 0) + 1;
    history.lists.push({ revision, customers: rules.size, order });
    if (history.lists.length > MAX_LISTS) history.lists.shift();
    const before = history.rules;
    history.rules = new Map(
      Array.from(rules, ([uid, rule]) => {
        const known = before.get(uid);
        return [uid, known?.rule === rule ? known : { rule, since: order }];
      }),
    );
  }

  /** The list that pods are to be asked about: the newest one, or the one of the last question; undefined: none is known. */
  expected(instance: string): ExpectedList | undefined {
    const { lists, asked = lists.at(-1) } = this.#of(instance);
    if (asked === undefined) return undefined;
    const accepted = lists.filter(({ order }) => order >= asked.order).map(({ revision }) => revision);
    return { revision: asked.revision, customers: asked.customers, accepted: [...new Set(accepted)] };
  }

  /** Pods are asked about the expected list. It remains the expected one until it is confirmed. */
  ask(instance: string): void {
    const history = this.#of(instance);
    history.asked ??= history.lists.at(-1);
  }

  /** Every pod has the expected list, or a newer one. */
  confirm(instance: string): void {
    const history = this.#of(instance);
    const { asked = history.lists.at(-1) } = history;
    history.confirmed = Math.max(history.confirmed, asked?.order ?? 0);
    history.asked = undefined;
  }

  /** Whether every pod has a list that says about a customer what the newest one says. */
  isConfirmed(instance: string, uid: string): boolean {
    const history = this.#of(instance);
    const since = history.rules.get(uid)?.since;
    return since !== undefined && since <= history.confirmed;
  }

  forget(instance: string): void {
    this.#instances.delete(instance);
  }

  #of(instance: string): History {
    const known = this.#instances.get(instance);
    if (known !== undefined) return known;
    const history: History = { lists: [], rules: new Map(), asked: undefined, confirmed: 0 };
    this.#instances.set(instance, history);
    return history;
  }
}
