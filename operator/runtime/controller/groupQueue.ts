/** The priority of an object in the work queue. The queue hands out higher priorities first. */
export const Priority = {
  /** Not known to have changed: periodic reconciles, and objects that are up to date after a restart. */
  routine: 0,
  /** Known to be out of date, but not recently changed: retries, and objects that are not up to date after a restart. */
  pending: 1,
  /** Just changed: a user may be waiting for the result. */
  changed: 2,
} as const;
export type Priority = (typeof Priority)[keyof typeof Priority];

/** One key in the work queue. */
export interface QueueItem {
  readonly key: string;
  /** The groups that the key belonged to when it was enqueued, the outermost first. Each name contains those before it. */
  groups: readonly string[];
  state: 'waiting' | 'delayed' | 'working';
  priority: Priority;
  /** When the key was enqueued, for the metric. */
  since: number;
  /** Number of the latest queue entry. An entry with another ticket is stale. */
  ticket: number;
  /** While working: the priority with which the key was added again. */
  again: Priority | undefined;
  /** While delayed: when the key is due. */
  due: number;
  /** While delayed: cancels the timer. */
  cancel: () => void;
  /** Delayed because the last reconcile did not succeed: a change must not make the key spin. */
  backingOff: boolean;
  /** Number of consecutive failures. */
  failures: number;
}

/**
 * The waiting keys of one priority, by their groups: at each level, groups take turns. First in, first out within the
 * innermost group.
 */
export class GroupQueue {
  /** The next group in turn comes first. */
  readonly #groups = new Map<string, GroupQueue>();
  readonly #items = new Deque();

  push(item: QueueItem, ticket: number, depth = 0): void {
    const name = item.groups[depth];
    if (name === undefined) {
      this.#items.push(item, ticket);
      return;
    }
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = new GroupQueue();
      this.#groups.set(name, group);
    }
    group.push(item, ticket, depth + 1);
  }

  shift(mayRun: (group: string) => boolean): QueueItem | undefined {
    const own = this.#items.shift();
    if (own !== undefined) return own;
    for (const [name, group] of this.#groups) {
      if (!mayRun(name)) continue;
      const item = group.shift(mayRun);
      if (item !== undefined || group.#isEmpty) this.#groups.delete(name);
      if (item === undefined) continue;
      if (!group.#isEmpty) this.#groups.set(name, group);
      return item;
    }
    return undefined;
  }

  get #isEmpty(): boolean {
    return this.#items.isEmpty && this.#groups.size === 0;
  }
}

/** First in, first out. Skips entries whose key was promoted to another priority. */
class Deque {
  #entries: { readonly item: QueueItem; readonly ticket: number }[] = [];
  #head = 0;

  push(item: QueueItem, ticket: number): void {
    this.#entries.push({ item, ticket });
  }

  /** Whether it has no entry. An entry whose key was promoted counts until the next shift. */
  get isEmpty(): boolean {
    return this.#head >= this.#entries.length;
  }

  shift(): QueueItem | undefined {
    while (this.#head < this.#entries.length) {
      const entry = this.#entries[this.#head];
      this.#head += 1;
      if (this.#head > 1024 && this.#head * 2 > this.#entries.length) {
        this.#entries = this.#entries.slice(this.#head);
        this.#head = 0;
      }
      if (entry?.item.state === 'waiting' && entry.item.ticket === entry.ticket) return entry.item;
    }
    return undefined;
  }
}
