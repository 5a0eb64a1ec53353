import type { Tenant } from '../../../ids.ts';
import { createShares, type Shares } from '../../../fairness/fairness.ts';
import { CallQueue } from './callQueue.ts';

/** Calls start for at most this time in one round of the event loop, in milliseconds. Then sockets and timers run. */
const ROUND_MS = 10;
/** At most this many queued calls start in one round. */
const MAX_STARTS = 32;
/** The accept backlog is empty after this many rounds without an arrival: one accepts a connection, the next reads it. */
const QUIET_ROUNDS = 2;

export interface SlotOptions {
  /** Number of slots: calls that run at the same time. */
  readonly maxRunning: number;
  /** The longest wait for a slot, in milliseconds. A call that would wait longer is refused at once. */
  readonly maxWaitMs: number;
  /** Milliseconds of a monotonic clock; for tests. */
  readonly now?: () => number;
}

/**
 * Grants calls a slot to run in, one after the other.
 *
 * Detection blocks the event loop for a time that grows with the length of the text. If each call ran as soon as it is
 * read, a burst of large calls would delay everything else, including health probes and refusals. So a call that would
 * start late in a round of the event loop is queued, and each round starts as many queued calls as fit into it.
 *
 * Node accepts one connection in each round. After a round that took too long, calls start only when the accept backlog
 * is empty, or after as much time as that round took. Otherwise the calls of a burst would be accepted, and refused,
 * one by one between two long rounds.
 *
 * Tenants share the queue by the weight of their calls, and share the slots. So the large calls of a tenant do not delay
 * the small ones of another, and neither do its calls that wait for Redis or for image OCR.
 */
export class Slots {
  readonly #running: Shares;
  readonly #queue: CallQueue;
  readonly #now: () => number;
  /** When the current round started its first call without queueing it. */
  #roundStart: number | undefined;
  #isPumping = false;
  /** Whether the accept backlog was drained since the last long round. */
  #isBacklogDrained = true;
  #arrivals = 0;

  constructor({ maxRunning, maxWaitMs, now = () => performance.now() }: SlotOptions) {
    this.#running = createShares({ capacity: maxRunning });
    this.#queue = new CallQueue({ maxWaitMs, now });
    this.#now = now;
  }

  /** Records the arrival of a call, or of its body. */
  arrived(): void {
    this.#arrivals += 1;
  }

  /** The estimated time until all queued calls have started. */
  expectedWaitMs(): number {
    return this.#queue.expectedWaitMs();
  }

  /** @throws ServiceError 429 if a new call of this size would wait too long. */
  check(tenant: Tenant, bytes: number): void {
    this.#queue.check(tenant, bytes);
  }

  /**
   * @returns resolves when the call may run; undefined: it may run now. The caller must then `release` the slot.
   * @throws ServiceError 429, also by the promise
   */
  acquire(tenant: Tenant, bytes: number): Promise<void> | undefined {
    if (this.#canStartNow(tenant)) {
      this.#start(tenant);
      return undefined;
    }
    this.#queue.check(tenant, bytes);
    const started = this.#queue.wait(tenant, bytes);
    this.#pump();
    return started;
  }

  release(tenant: Tenant): void {
    this.#running.release(tenant, 1);
    this.#pump();
  }

  readonly #mayRun = (tenant: Tenant): boolean => this.#running.canTake(tenant, 1);

  readonly #start = (tenant: Tenant): void => {
    this.#running.take(tenant, 1);
  };

  #canStartNow(tenant: Tenant): boolean {
    if (this.#queue.size > 0 || !this.#mayRun(tenant) || !this.#isBacklogDrained) return false;
    if (this.#roundStart === undefined) {
      const start = this.#now();
      this.#roundStart = start;
      setImmediate(() => {
        this.#roundStart = undefined;
        this.#endRound(start);
      });
    }
    return this.#now() - this.#roundStart <= ROUND_MS;
  }

  /** Starts queued calls in the next round. */
  #pump(): void {
    if (this.#isPumping || !this.#isBacklogDrained || this.#roundStart !== undefined) return;
    if (!this.#queue.hasNext(this.#mayRun)) return;
    this.#isPumping = true;
    let start: number | undefined;
    const startOne = (): void => {
      if (!this.#queue.hasNext(this.#mayRun)) return;
      start ??= this.#now();
      if (this.#now() - start <= ROUND_MS) this.#queue.startNext(this.#mayRun, this.#start);
    };
    // A call runs up to its first wait between two of these callbacks, which all belong to one round.
    for (let n = Math.min(this.#queue.size, MAX_STARTS); n > 0; n -= 1) setImmediate(startOne);
    setImmediate(() => {
      this.#isPumping = false;
      this.#endRound(start ?? this.#now());
    });
  }

  #endRound(start: number): void {
    const elapsed = this.#now() - start;
    if (elapsed > ROUND_MS) this.#drainBacklog(elapsed);
    else this.#pump();
  }

  #drainBacklog(atMostMs: number): void {
    this.#isBacklogDrained = false;
    this.#arrivals = 0;
    let quietRounds = 0;
    const until = this.#now() + atMostMs;
    const check = (): void => {
      quietRounds = this.#arrivals === 0 ? quietRounds + 1 : 0;
      this.#arrivals = 0;
      if (quietRounds < QUIET_ROUNDS && this.#now() < until) {
        setImmediate(check);
        return;
      }
      this.#isBacklogDrained = true;
      this.#pump();
    };
    setImmediate(check);
  }
}
