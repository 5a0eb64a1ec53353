import type { QueueItem } from './queueItem.ts';

/** Delayed keys, ordered by due time: a binary heap. Skips entries whose key is no longer delayed or has a new due time. */
export class DelayHeap {
  readonly #heap: { readonly item: QueueItem; readonly due: number }[] = [];

  push(item: QueueItem, due: number): void {
    const heap = this.#heap;
    const entry = { item, due };
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt];
      if (parent === undefined || parent.due <= due) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = entry;
  }

  nextDue(): number | undefined {
    this.#dropStale();
    return this.#heap[0]?.due;
  }

  /** Removes and returns the first key that is due. */
  shiftDue(now: number): QueueItem | undefined {
    this.#dropStale();
    const first = this.#heap[0];
    if (first === undefined || first.due > now) return undefined;
    this.#dropFirst();
    return first.item;
  }

  #dropStale(): void {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || (first.item.state === 'delayed' && first.item.due === first.due)) return;
      this.#dropFirst();
    }
  }

  #dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = last;
      let leastAt = at;
      const leftEntry = heap[left];
      if (leftEntry !== undefined && leftEntry.due < least.due) [least, leastAt] = [leftEntry, left];
      const rightEntry = heap[right];
      if (rightEntry !== undefined && rightEntry.due < least.due) [least, leastAt] = [rightEntry, right];
      heap[at] = least;
      if (leastAt === at) return;
      at = leastAt;
    }
  }
}
