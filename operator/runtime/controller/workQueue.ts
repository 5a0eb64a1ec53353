import type { Clock } from '../clock.ts';
import { nextDue, requeueSlot, type RequeueSlot } from './requeueSlot.ts';

/** The higher, the sooner. */
export const Priority = {
  /** Nothing is known to have changed: routine, and what a restart finds up to date. */
  routine: 0,
  /** Known not to be up to date, but not fresh: retries, and what a restart finds unfinished. */
  pending: 1,
  /** Has just changed: somebody may be waiting for it. */
  changed: 2,
} as const;
export type Priority = (typeof Priority)[keyof typeof Priority];

const PRIORITIES: readonly Priority[] = [Priority.changed, Priority.pending, Priority.routine];
/** Of so many that are taken, one is the lowest in priority that waits, so that a flood starves nobody. */
const LOWEST_FIRST_EVERY = 16;
/** While an object is held back after a failure, a change of it brings it back after this, in milliseconds, not at once. */
const MIN_BACKOFF_AFTER_CHANGE_MS = 1_000;

/** What the queue reports to metrics. */
export interface QueueObserver {
  added(): void;
  retried(): void;
  depth(priority: Priority, count: number): void;
  waited(ms: number): void;
}

/** How the work on a key ended. */
export type Outcome =
  /** Nothing more to do, unless it was added again meanwhile. */
  | { readonly kind: 'done' }
  /** Come back after about that time, as a matter of routine: a tenth sooner or later, so that all are evenly spread. */
  | { readonly kind: 'requeueAfter'; readonly ms: number }
  /** Come back then, not having succeeded. Leaves the backoff as it is. */
  | { readonly kind: 'retryAfter'; readonly ms: number }
  /** Come back after the key's backoff, which grows. */
  | { readonly kind: 'failed' };

interface Item {
  readonly key: string;
  /** Whose turn it takes, and whose share of the workers, as it was when it was put among the waiting. */
  group: string;
  state: 'waiting' | 'delayed' | 'working';
  priority: Priority;
  /** When it was put among the waiting, for the metric and to recognise an entry of a deque that is out of date. */
  since: number;
  /** Where it is in the order of the waiting; entries of deques with another ticket are stale. */
  ticket: number;
  /** While working: it was added again, with this priority. */
  again: Priority | undefined;
  /** While delayed: when it is due. */
  due: number;
  /** It is delayed because it did not succeed: a change of it must not make it spin. */
  backingOff: boolean;
  /** Where in its interval it comes back as a matter of routine. */
  readonly slot: RequeueSlot;
}

/** How keys share the workers. */
export interface Fairness {
  /** The group of a key: groups take turns within a priority. */
  readonly groupOf: (key: string) => string;
  /** How many take keys at the same time. */
  readonly workers: number;
}

/**
 * Keys to be worked on. A key is with one worker at a time; adding it again while it waits changes nothing but its
 * priority, and while it is worked on brings it back once afterwards. Each key has its own exponential backoff.
 *
 * Where keys have groups, a group gets another worker only while it holds fewer than are free for others: alone it holds
 * half of them, a second one half of the rest. So work that waits for something slow never holds all workers, and what
 * another group has to do waits for no more than its turn.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #observer: QueueObserver | undefined;
  readonly #backoffMs: readonly [number, number];
  readonly #items = new Map<string, Item>();
  readonly #failures = new Map<string, number>();
  readonly #fairness: Fairness | undefined;
  readonly #waiting: Record<Priority, GroupQueue> = { 0: new GroupQueue(), 1: new GroupQueue(), 2: new GroupQueue() };
  /** How many workers each group holds. */
  readonly #held = new Map<string, number>();
  #heldInAll = 0;
  readonly #depth: Record<Priority, number> = { 0: 0, 1: 0, 2: 0 };
  readonly #delayed = new DueHeap();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #cancelTimer: (() => void) | undefined;
  #timerDue = Number.POSITIVE_INFINITY;
  #tickets = 0;
  #serials = 0;
  #taken = 0;
  #closed = false;

  /** @param options `backoffMs`: shortest and longest wait after failures, in milliseconds */
  constructor(
    clock: Clock,
    options: {
      readonly backoffMs: readonly [number, number];
      readonly observer?: QueueObserver | undefined;
      readonly fairness?: Fairness | undefined;
    },
  ) {
    this.#clock = clock;
    this.#fairness = options.fairness;
    this.#backoffMs = options.backoffMs;
    this.#observer = options.observer;
  }

  /** Keys that wait for a worker now. */
  get depth(): number {
    return this.#depth[0] + this.#depth[1] + this.#depth[2];
  }

  /** Keys known to the queue: waiting, delayed, or with a worker. */
  get size(): number {
    return this.#items.size;
  }

  /** Wants the key worked on. */
  add(key: string, priority: Priority): void {
    if (this.#closed) return;
    const item = this.#items.get(key);
    if (item === undefined) {
      this.#enqueue(this.#item(key), priority);
    } else if (item.state === 'working') {
      item.again = higher(item.again, priority);
    } else if (item.state === 'waiting') {
      if (priority > item.priority) this.#promote(item, priority);
    } else if (item.backingOff) {
      // It comes back by itself; a change brings it back sooner, but not so soon that it spins.
      const due = Math.min(item.due, this.#clock.monotonic() + MIN_BACKOFF_AFTER_CHANGE_MS);
      item.priority = higher(item.priority, priority);
      if (due < item.due) this.#delay(item, due);
    } else {
      this.#enqueue(item, priority);
    }
  }

  /** The next key for a worker, who calls {@link finish} with it; undefined once the queue is closed. */
  take(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const item = this.#next();
    if (item !== undefined) return Promise.resolve(item.key);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** Gives a key back. */
  finish(key: string, outcome: Outcome): void {
    const item = this.#items.get(key);
    if (item?.state !== 'working') throw new Error(`Nobody works on ${key}.`);
    this.#hold(item.group, -1);
    if (outcome.kind === 'done' || outcome.kind === 'requeueAfter') this.#failures.delete(key);
    const { again } = item;
    item.again = undefined;
    item.backingOff = outcome.kind === 'failed' || outcome.kind === 'retryAfter';
    if (this.#closed) {
      this.#items.delete(key);
      return;
    }
    const now = this.#clock.monotonic();
    if (outcome.kind === 'failed') {
      this.#observer?.retried();
      const wait = this.#nextBackoff(key);
      item.priority = higher(again, Priority.pending);
      this.#delay(item, now + (again === undefined ? wait : Math.min(wait, MIN_BACKOFF_AFTER_CHANGE_MS)));
    } else if (outcome.kind === 'retryAfter') {
      item.priority = higher(again, Priority.pending);
      this.#delay(item, now + (again === undefined ? outcome.ms : Math.min(outcome.ms, MIN_BACKOFF_AFTER_CHANGE_MS)));
    } else if (again !== undefined) {
      this.#enqueue(item, again);
    } else if (outcome.kind === 'done') {
      this.#items.delete(key);
    } else {
      item.priority = Priority.routine;
      this.#delay(item, outcome.ms > 0 ? nextDue(item.slot, now, outcome.ms) : now);
    }
    this.#handOut();
  }

  /** Hands out nothing any more. Workers that wait are told so. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    for (const taker of this.#takers.splice(0)) taker(undefined);
    for (const item of [...this.#items.values()]) {
      if (item.state !== 'working') this.#items.delete(item.key);
    }
    for (const priority of PRIORITIES) this.#count(priority, -this.#depth[priority]);
  }

  #item(key: string): Item {
    const item: Item = {
      key,
      group: '',
      state: 'delayed',
      priority: 0,
      since: 0,
      ticket: 0,
      again: undefined,
      due: 0,
      backingOff: false,
      slot: requeueSlot(this.#serials++),
    };
    this.#items.set(key, item);
    return item;
  }

  #enqueue(item: Item, priority: Priority): void {
    item.state = 'waiting';
    item.priority = priority;
    item.since = this.#clock.monotonic();
    item.group = this.#fairness?.groupOf(item.key) ?? '';
    item.ticket = ++this.#tickets;
    this.#waiting[priority].push(item, item.ticket);
    this.#count(priority, 1);
    this.#observer?.added();
    this.#handOut();
  }

  /** Gives workers that wait what may be worked on. */
  #handOut(): void {
    while (this.#takers.length > 0) {
      const item = this.#next();
      if (item === undefined) return;
      this.#takers.shift()?.(item.key);
    }
  }

  /** Whether a group may have another worker: always where it has none, else while it holds fewer than are free. */
  #mayHold(group: string): boolean {
    if (this.#fairness === undefined) return true;
    const held = this.#held.get(group) ?? 0;
    return held === 0 || held < this.#fairness.workers - this.#heldInAll;
  }

  #hold(group: string, by: number): void {
    const held = (this.#held.get(group) ?? 0) + by;
    if (held === 0) this.#held.delete(group);
    else this.#held.set(group, held);
    this.#heldInAll += by;
  }

  #promote(item: Item, priority: Priority): void {
    this.#count(item.priority, -1);
    item.priority = priority;
    item.ticket = ++this.#tickets;
    this.#waiting[priority].push(item, item.ticket);
    this.#count(priority, 1);
  }

  #next(): Item | undefined {
    const fair = (this.#taken + 1) % LOWEST_FIRST_EVERY === 0;
    for (const priority of fair ? PRIORITIES.toReversed() : PRIORITIES) {
      const item = this.#waiting[priority].shift((group) => this.#mayHold(group));
      if (item === undefined) continue;
      this.#hold(item.group, 1);
      this.#taken += 1;
      this.#count(priority, -1);
      item.state = 'working';
      this.#observer?.waited(this.#clock.monotonic() - item.since);
      return item;
    }
    return undefined;
  }

  #delay(item: Item, due: number): void {
    item.state = 'delayed';
    item.due = due;
    this.#delayed.push(item, due);
    this.#arm();
  }

  #arm(): void {
    const due = this.#delayed.nextDue();
    if (due === undefined || due >= this.#timerDue) return;
    this.#cancelTimer?.();
    this.#timerDue = due;
    // Timers take at most 2^31-1 ms; a later one simply finds nothing due and is set again.
    const wait = Math.min(Math.max(0, due - this.#clock.monotonic()), 2 ** 31 - 1);
    this.#cancelTimer = this.#clock.after(wait, () => {
      this.#timerDue = Number.POSITIVE_INFINITY;
      const now = this.#clock.monotonic();
      // A timer may fire a fraction of a millisecond early.
      for (let item = this.#delayed.shiftDue(now + 1); item !== undefined; item = this.#delayed.shiftDue(now + 1)) {
        this.#enqueue(item, item.priority);
      }
      this.#arm();
    });
  }

  #nextBackoff(key: string): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, Math.min(failures + 1, 40));
    const [base, max] = this.#backoffMs;
    return Math.min(max, base * 2 ** failures) * (0.9 + 0.2 * this.#clock.random());
  }

  #count(priority: Priority, by: number): void {
    this.#depth[priority] += by;
    this.#observer?.depth(priority, this.#depth[priority]);
  }
}

function higher(a: Priority | undefined, b: Priority): Priority {
  return a !== undefined && a > b ? a : b;
}

/** The waiting of one priority: groups take turns, and within a group the first comes first. */
class GroupQueue {
  /** The group whose turn is next comes first. */
  readonly #groups = new Map<string, Deque>();

  push(item: Item, ticket: number): void {
    let deque = this.#groups.get(item.group);
    if (deque === undefined) {
      deque = new Deque();
      this.#groups.set(item.group, deque);
    }
    deque.push(item, ticket);
  }

  shift(may: (group: string) => boolean): Item | undefined {
    for (const [group, deque] of this.#groups) {
      if (!may(group)) continue;
      const item = deque.shift();
      this.#groups.delete(group);
      if (item === undefined) continue;
      this.#groups.set(group, deque);
      return item;
    }
    return undefined;
  }
}

/** First in, first out. What has been promoted to another deque stays behind here and is passed over. */
class Deque {
  #entries: { readonly item: Item; readonly ticket: number }[] = [];
  #head = 0;

  push(item: Item, ticket: number): void {
    this.#entries.push({ item, ticket });
  }

  shift(): Item | undefined {
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

/** Delayed items by when they are due: a binary heap, in which what is no longer delayed, or due earlier, is passed over. */
class DueHeap {
  readonly #heap: { readonly item: Item; readonly due: number }[] = [];

  push(item: Item, due: number): void {
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

  /** Takes out the first item that is due by now. */
  shiftDue(now: number): Item | undefined {
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
