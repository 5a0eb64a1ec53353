import { backoffDelay } from '../backoff.ts';
import type { Clock } from '../clock.ts';

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

const PRIORITIES: readonly Priority[] = [Priority.changed, Priority.pending, Priority.routine];
/** Every 16th key is taken from the lowest priority, so that a flood of changes starves no other key. */
const LOWEST_FIRST_EVERY = 16;
/** The shortest delay, in milliseconds, when an object changes during its backoff. */
const MIN_BACKOFF_AFTER_CHANGE_MS = 1_000;
/** A timer supports at most this time, in milliseconds. A key with a longer delay is requeued earlier. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Receives the queue's measurements for metrics. */
export interface QueueObserver {
  added(): void;
  retried(): void;
  depth(priority: Priority, count: number): void;
  waited(ms: number): void;
}

/** The result of the work on a key. */
export type Outcome =
  /** Nothing to do until the key is added again. */
  | { readonly kind: 'done' }
  /** Success: requeue after this time, ±10 %, so that keys do not all return at once. */
  | { readonly kind: 'requeueAfter'; readonly ms: number }
  /** No success: requeue after this time. The backoff does not grow. */
  | { readonly kind: 'retryAfter'; readonly ms: number }
  /** Failure: requeue after the key's backoff, which grows. */
  | { readonly kind: 'failed' };

/** How groups of keys share the workers. */
export interface Fairness {
  /** The groups of a key, the outermost first: its namespace, for example. Within a priority, groups take turns. */
  readonly groupsOf: (key: string) => readonly string[];
  /** Number of workers. */
  readonly workers: number;
}

/**
 * A work queue of object keys. At most one worker has a key. Adding a waiting key again only raises its priority;
 * adding a key during its work requeues it once afterwards. Each key has its own exponential backoff.
 *
 * A group of keys gets another worker only while it has fewer workers than are free: the first group uses at most half
 * of them, a second group half of the rest. A group that waits for a slow gateway never uses all workers, so it does
 * not block the keys of other groups. Groups are nested: many groups within one, such as the gateways of a namespace,
 * use together no more than their outer group.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #observer: QueueObserver | undefined;
  readonly #backoffMs: readonly [number, number];
  readonly #items = new Map<string, QueueItem>();
  readonly #fairness: Fairness | undefined;
  readonly #waiting: Record<Priority, GroupQueue> = { 0: new GroupQueue(), 1: new GroupQueue(), 2: new GroupQueue() };
  /** Number of busy workers, by group. */
  readonly #busy = new Map<string, number>();
  #busyTotal = 0;
  readonly #depth: Record<Priority, number> = { 0: 0, 1: 0, 2: 0 };
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #tickets = 0;
  #taken = 0;
  #closed = false;

  /** @param options `backoffMs`: shortest and longest backoff, in milliseconds */
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

  /** Number of keys that wait for a worker. */
  get depth(): number {
    return this.#depth[0] + this.#depth[1] + this.#depth[2];
  }

  /** Number of keys in the queue: waiting, delayed or being worked on. */
  get size(): number {
    return this.#items.size;
  }

  /** Whether no key waits for a worker, is worked on, or is due. */
  get idle(): boolean {
    const now = this.#clock.monotonic();
    return this.#items.values().every(({ state, due }) => state === 'delayed' && due > now);
  }

  /** Enqueues a key. */
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
      // The key is requeued anyway. A change requeues it sooner, but after at least a second, to prevent a tight loop.
      item.priority = higher(item.priority, priority);
      const isSooner = this.#clock.monotonic() + MIN_BACKOFF_AFTER_CHANGE_MS < item.due;
      if (isSooner) this.#delay(item, MIN_BACKOFF_AFTER_CHANGE_MS);
    } else {
      this.#enqueue(item, priority);
    }
  }

  /** Resolves to the next key, or undefined once the queue is closed. The worker calls {@link finish} with the key. */
  take(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const item = this.#next();
    if (item !== undefined) return Promise.resolve(item.key);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** Ends the work on a key. */
  finish(key: string, outcome: Outcome): void {
    const item = this.#items.get(key);
    if (item?.state !== 'working') throw new Error(`The key ${key} is not being worked on.`);
    this.#countBusy(item, -1);
    const { again } = item;
    item.again = undefined;
    item.backingOff = outcome.kind === 'failed' || outcome.kind === 'retryAfter';
    if (!item.backingOff) item.failures = 0;
    if (this.#closed) {
      this.#items.delete(key);
      return;
    }
    if (outcome.kind === 'failed') this.#observer?.retried();
    if (outcome.kind === 'failed' || outcome.kind === 'retryAfter') {
      const ms = outcome.kind === 'failed' ? this.#nextBackoff(item) : outcome.ms;
      item.priority = higher(again, Priority.pending);
      this.#delay(item, again === undefined ? ms : Math.min(ms, MIN_BACKOFF_AFTER_CHANGE_MS));
    } else if (again !== undefined) {
      this.#enqueue(item, again);
    } else if (outcome.kind === 'done') {
      this.#items.delete(key);
    } else {
      item.priority = Priority.routine;
      this.#delay(item, this.#jittered(outcome.ms));
    }
    this.#handOut();
  }

  /** Closes the queue: every waiting and later {@link take} resolves to undefined. */
  close(): void {
    this.#closed = true;
    for (const taker of this.#takers.splice(0)) taker(undefined);
    for (const item of [...this.#items.values()]) {
      item.cancel();
      if (item.state !== 'working') this.#items.delete(item.key);
    }
    for (const priority of PRIORITIES) this.#count(priority, -this.#depth[priority]);
  }

  #item(key: string): QueueItem {
    const item: QueueItem = {
      key,
      groups: [],
      state: 'delayed',
      priority: 0,
      since: 0,
      ticket: 0,
      again: undefined,
      due: 0,
      cancel: () => undefined,
      backingOff: false,
      failures: 0,
    };
    this.#items.set(key, item);
    return item;
  }

  #enqueue(item: QueueItem, priority: Priority): void {
    item.cancel();
    item.state = 'waiting';
    item.priority = priority;
    item.since = this.#clock.monotonic();
    item.groups = nestedNames(this.#fairness?.groupsOf(item.key) ?? []);
    item.ticket = ++this.#tickets;
    this.#waiting[priority].push(item, item.ticket);
    this.#count(priority, 1);
    this.#observer?.added();
    this.#handOut();
  }

  /** Hands keys to waiting workers. */
  #handOut(): void {
    while (this.#takers.length > 0) {
      const item = this.#next();
      if (item === undefined) return;
      this.#takers.shift()?.(item.key);
    }
  }

  /** Whether a group may use another worker: if it uses none, or fewer than are free. */
  #mayRun(group: string): boolean {
    if (this.#fairness === undefined) return true;
    const busy = this.#busy.get(group) ?? 0;
    return busy === 0 || busy < this.#fairness.workers - this.#busyTotal;
  }

  #countBusy({ groups }: QueueItem, by: number): void {
    for (const group of groups) {
      const busy = (this.#busy.get(group) ?? 0) + by;
      if (busy === 0) this.#busy.delete(group);
      else this.#busy.set(group, busy);
    }
    this.#busyTotal += by;
  }

  #promote(item: QueueItem, priority: Priority): void {
    this.#count(item.priority, -1);
    item.priority = priority;
    item.ticket = ++this.#tickets;
    this.#waiting[priority].push(item, item.ticket);
    this.#count(priority, 1);
  }

  #next(): QueueItem | undefined {
    const fair = (this.#taken + 1) % LOWEST_FIRST_EVERY === 0;
    for (const priority of fair ? PRIORITIES.toReversed() : PRIORITIES) {
      const item = this.#waiting[priority].shift((group) => this.#mayRun(group));
      if (item === undefined) continue;
      this.#countBusy(item, 1);
      this.#taken += 1;
      this.#count(priority, -1);
      item.state = 'working';
      this.#observer?.waited(this.#clock.monotonic() - item.since);
      return item;
    }
    return undefined;
  }

  #delay(item: QueueItem, ms: number): void {
    item.cancel();
    item.state = 'delayed';
    item.due = this.#clock.monotonic() + ms;
    item.cancel = this.#clock.after(Math.min(ms, MAX_DELAY_MS), () => {
      this.#enqueue(item, item.priority);
    });
  }

  #nextBackoff(item: QueueItem): number {
    const [base, max] = this.#backoffMs;
    const ms = this.#jittered(backoffDelay(item.failures, base, max));
    item.failures = Math.min(item.failures + 1, 40);
    return ms;
  }

  #jittered(ms: number): number {
    return ms * (0.9 + 0.2 * this.#clock.random());
  }

  #count(priority: Priority, by: number): void {
    this.#depth[priority] += by;
    this.#observer?.depth(priority, this.#depth[priority]);
  }
}

/** Names under which equal groups of different outer groups differ. */
function nestedNames(groups: readonly string[]): readonly string[] {
  return groups.map((_, depth) => groups.slice(0, depth + 1).join('\n'));
}

function higher(a: Priority | undefined, b: Priority): Priority {
  return a !== undefined && a > b ? a : b;
}

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
