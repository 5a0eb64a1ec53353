import { type Clock, systemClock } from '../runtime/runtime.ts';

/** The limits of the calls to one gateway. */
export interface RateLimit {
  /** Calls per second, on average. */
  readonly qps: number;
  /** Calls that may start at once after an idle period. */
  readonly burst: number;
  /** Maximum number of concurrent calls. */
  readonly maxConcurrent: number;
}

/**
 * A pause that the gateway requested and that is long enough to report. The object remains the same during the pause.
 */
export interface Pause {
  /** The reported end of the pause. The gateway may extend it. undefined: the gateway specified no time. */
  readonly until: Date | undefined;
  /** The gateway's message; empty if it sent none. */
  readonly reason: string;
}

/** A call that was not made. Retry after the given time. */
export class DeferredError extends Error {
  override readonly name = 'DeferredError';
  readonly retryAfterMs: number;
  /** The pause that caused the deferral, if the gateway requested one. */
  readonly pause: Pause | undefined;

  constructor(retryAfterMs: number, pause?: Pause) {
    super(`The call was deferred for ${Math.ceil(retryAfterMs)} ms.`);
    this.retryAfterMs = retryAfterMs;
    this.pause = pause;
  }
}

interface WaitingCall {
  readonly start: () => void;
  readonly defer: (error: DeferredError) => void;
}

/** The priority of a call, the highest first. */
export type CallPriority =
  /** Continues work in progress: waits in the queue. */
  | 'inProgress'
  /** Begins work that a user may be waiting for. */
  | 'urgent'
  /** Begins work without a known change. */
  | 'routine';

/**
 * A token bucket with a limit of concurrent calls and pauses that the gateway requests by Retry-After. A gateway that becomes
 * slow gets fewer calls by itself, because the calls in flight are limited.
 *
 * A call in progress waits in the queue, unless its signal aborts the wait or the gateway requests a pause that is too
 * long for a worker. A call that begins work throws {@link DeferredError} instead of a long wait, because other
 * gateways need the worker. Each deferred call gets its own time, so that they do not all return at once. Urgent calls
 * precede routine calls: after a restart, the resync of ten thousand customers does not delay a new customer.
 *
 * During a long pause, one call per minute passes as a probe. A successful probe ends the pause, even before the time
 * that the gateway specified.
 */
export class RateLimiter {
  #limit: RateLimit;
  readonly #clock: Clock;
  /** The waiting calls. Urgent calls start first. */
  readonly #waiting: Readonly<Record<'urgent' | 'routine', WaitingCall[]>> = { urgent: [], routine: [] };
  #tokens: number;
  #refilledAt: number;
  #inFlight = 0;
  #pausedUntil = 0;
  #pause: Pause | undefined;
  /** Number of consecutive pauses that the gateway requested. */
  #consecutivePauses = 0;
  #pauses = 0;
  /** When the gateway refused a call that counted. */
  #refusedAt = Number.NEGATIVE_INFINITY;
  #nextProbe = 0;
  #probing = false;
  readonly #lastDeferral = { urgent: 0, routine: 0 };
  #hasTimer = false;

  constructor(limit: RateLimit, clock: Clock = systemClock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#tokens = limit.burst;
    this.#refilledAt = clock.monotonic();
  }

  /** Changes the limits. Pauses and waiting calls remain. */
  changeLimit(limit: RateLimit): void {
    this.#refill(this.#clock.monotonic());
    this.#limit = limit;
    this.#admit();
  }

  /**
   * Makes a call when the rate limit permits it. If the gateway limits the rate, the call must call {@link pause}.
   * @param signal aborts the wait; the call is then not made
   * @throws DeferredError if the call begins work and its wait would be long, or if the gateway requests a long pause
   */
  async run<T>(call: () => Promise<T>, priority: CallPriority, signal?: AbortSignal): Promise<T> {
    const isProbe = this.#takeProbe();
    if (isProbe) this.#inFlight++;
    else {
      if (priority === 'inProgress') this.#deferIfPaused();
      else this.#deferIfLongWait(priority);
      await this.#waitInQueue(this.#waiting[priority === 'routine' ? 'routine' : 'urgent'], signal);
    }
    const pauses = this.#pauses;
    try {
      const result = await call();
      if (this.#pauses === pauses) this.#recordResponse(isProbe);
      return result;
    } finally {
      if (isProbe) this.#probing = false;
      this.#inFlight--;
      this.#admit();
    }
  }

  /** @throws DeferredError if a call that begins work would have to wait long, or if the gateway requests a long pause */
  checkCapacity(priority: Exclude<CallPriority, 'inProgress'>): void {
    this.#deferIfLongWait(priority);
  }

  /**
   * Pauses all calls except probes, as requested by the gateway.
   * @param requested the requested time in milliseconds; undefined if the gateway specified none; the pause then grows
   *   each time
   * @param reason the gateway's message
   * @returns the length of the pause, and the pause itself if it is long enough to report
   */
  pause(requested: number | undefined, reason: string): { readonly ms: number; readonly pause: Pause | undefined } {
    const now = this.#clock.monotonic();
    const isPaused = now < this.#pausedUntil && !this.#probing;
    // Rate-limited calls that started before the pause do not extend the backoff, even if the gateway requests no pause.
    const isKnown = isPaused || (now - this.#refusedAt < sameRefusalMs && !this.#probing);
    const tries = requested === undefined ? this.#consecutivePauses : this.#consecutivePauses - maxTrustedPauses;
    const backoff = tries < 0 ? 0 : Math.min(probeEveryMs, firstBackoffMs * 2 ** tries);
    const ms = Math.min(Math.max(requested ?? 0, isKnown ? 0 : backoff), maxPauseMs);
    if (!isKnown) {
      this.#consecutivePauses++;
      this.#refusedAt = now;
    }
    this.#pauses++;
    this.#pausedUntil = isPaused ? Math.max(this.#pausedUntil, now + ms) : now + ms;
    this.#nextProbe = now + probeEveryMs;
    const left = this.#pausedUntil - now;
    this.#pause =
      left > maxShortPauseMs ? this.#reportedPause(requested === undefined ? undefined : left, reason) : undefined;
    if (left > maxShortPauseMs) this.#deferWaiting();
    return { ms: this.#pauseLeft('urgent', now), pause: this.#pause };
  }

  /** Keeps the reported end until it has passed. Otherwise, the conditions would change every minute. */
  #reportedPause(left: number | undefined, reason: string): Pause {
    const known = this.#pause;
    const wall = this.#clock.now().getTime();
    // Rounds up to the whole second.
    const until = left === undefined ? undefined : new Date(Math.ceil((wall + left) / 1000) * 1000);
    if (known === undefined) return { until, reason };
    if (known.until === undefined || until === undefined) return known.until === until ? known : { until, reason };
    return known.until.getTime() > wall && known.until <= until ? known : { until, reason };
  }

  #takeProbe(): boolean {
    const now = this.#clock.monotonic();
    if (this.#probing || this.#pausedUntil - now <= maxShortPauseMs || now < this.#nextProbe) return false;
    this.#probing = true;
    this.#nextProbe = now + probeEveryMs;
    return true;
  }

  /** Ends the pause after a response. */
  #recordResponse(isProbe: boolean): void {
    this.#consecutivePauses = 0;
    this.#pause = undefined;
    if (!isProbe) return;
    this.#pausedUntil = 0;
    this.#lastDeferral.urgent = 0;
    this.#lastDeferral.routine = 0;
  }

  /** Rejects all waiting calls: no call waits through a long pause. */
  #deferWaiting(): void {
    const now = this.#clock.monotonic();
    for (const priority of ['urgent', 'routine'] as const) {
      for (const { defer } of this.#waiting[priority].splice(0)) {
        defer(new DeferredError(this.#pauseLeft(priority, now), this.#pause));
      }
    }
  }

  /** The time until a retry: urgent calls retry at the next probe, routine calls after the pause. */
  #pauseLeft(priority: CallPriority, now: number): number {
    const left = Math.max(0, this.#pausedUntil - now);
    if (priority === 'routine' || left <= maxShortPauseMs) return left;
    return Math.min(left, Math.max(maxWaitMs, this.#nextProbe - now));
  }

  #waitInQueue(queue: WaitingCall[], signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const abort = (): void => {
        queue.splice(queue.indexOf(waiting), 1);
        reject(signal?.reason as Error);
      };
      const unsubscribe = (): void => signal?.removeEventListener('abort', abort);
      const waiting: WaitingCall = {
        start: () => {
          unsubscribe();
          resolve();
        },
        defer: (error) => {
          unsubscribe();
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      queue.push(waiting);
      this.#admit();
    });
  }

  #deferIfPaused(): void {
    const now = this.#clock.monotonic();
    if (this.#pausedUntil - now > maxShortPauseMs)
      throw new DeferredError(this.#pauseLeft('inProgress', now), this.#pause);
  }

  #deferIfLongWait(priority: Exclude<CallPriority, 'inProgress'>): void {
    const now = this.#clock.monotonic();
    this.#refill(now);
    const before = this.#waiting.urgent.length + (priority === 'routine' ? this.#waiting.routine.length : 0);
    const forToken = Math.max(0, ((before + 1 - this.#tokens) * 1000) / this.#limit.qps);
    const forPause = this.#pauseLeft(priority, now);
    const wait = Math.max(forToken, forPause);
    const paused = this.#pausedUntil - now > maxWaitMs;
    if (wait <= maxWaitMs && !paused && before < this.#limit.maxConcurrent) return;
    const last = this.#lastDeferral[priority];
    this.#lastDeferral[priority] = Math.max(last + 1000 / this.#limit.qps, now + Math.max(wait, maxWaitMs));
    throw new DeferredError(this.#lastDeferral[priority] - now, paused ? this.#pause : undefined);
  }

  #admit(): void {
    const now = this.#clock.monotonic();
    const { urgent, routine } = this.#waiting;
    this.#refill(now);
    while (this.#inFlight < this.#limit.maxConcurrent && this.#tokens >= 1 && now >= this.#pausedUntil) {
      const next = urgent.shift() ?? routine.shift();
      if (next === undefined) return;
      this.#tokens--;
      this.#inFlight++;
      next.start();
    }
    const none = urgent.length + routine.length === 0;
    if (none || this.#inFlight >= this.#limit.maxConcurrent || this.#hasTimer) return;
    const wait = Math.max(((1 - this.#tokens) * 1000) / this.#limit.qps, this.#pausedUntil - now, 1);
    this.#hasTimer = true;
    this.#clock.after(wait, () => {
      this.#hasTimer = false;
      this.#admit();
    });
  }

  #refill(now: number): void {
    const { qps, burst } = this.#limit;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#refilledAt) * qps) / 1000);
    this.#refilledAt = now;
  }
}

/** The maximum wait of a call that begins work, in milliseconds. After that, its worker does other work. */
const maxWaitMs = 500;
/** The longest pause that a call in progress waits for, in milliseconds. Longer pauses are reported. */
const maxShortPauseMs = 10_000;
/** Refusals within this time count as one, in milliseconds. */
const sameRefusalMs = 1_000;
/** How often a gateway in a long pause is probed, in milliseconds. */
const probeEveryMs = 60_000;
/** The first pause without a specified time, in milliseconds. Doubles up to {@link probeEveryMs}. */
const firstBackoffMs = 5_000;
/**
 * The maximum number of consecutive pauses for which the time of the gateway is used without backoff, even if it is
 * short.
 */
const maxTrustedPauses = 5;
/** The longest pause that is accepted, in milliseconds. A longer one indicates a fault of the gateway. */
const maxPauseMs = 24 * 60 * 60_000;
