import type { QueueItem } from './queueItem.ts';

/** The waiting keys of one priority: round robin between groups, first in, first out within a group. */
export class GroupQueue {
  /** The next group in turn comes first. */
  readonly #groups = new Map<string, Deque>();

  push(item: QueueItem, ticket: number): void {
    let deque = this.#groups.get(item.group);
    if (deque === undefined) {
      deque = new Deque();
      this.#groups.set(item.group, deque);
    }
    deque.push(item, ticket);
  }

  shift(mayRun: (group: string) => boolean): QueueItem | undefined {
    for (const [group, deque] of this.#groups) {
      if (!mayRun(group)) continue;
      const item = deque.shift();
      this.#groups.delete(group);
      if (item === undefined) continue;
      this.#groups.set(group, deque);
      return item;
    }
    return undefined;
  }
}

/** First in, first out. Skips entries whose key was promoted to another priority. */
class Deque {
  #entries: { readonly item: QueueItem; readonly ticket: number }[] = [];
  #head = 0;

  push(item: QueueItem, ticket: number): void {
    this.#entries.push({ item, ticket });
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
