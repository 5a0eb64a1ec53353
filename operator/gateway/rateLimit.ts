/** How hard one gateway may be pressed. */
export interface RateLimit {
  /** Calls a second, on average. */
  readonly qps: number;
  /** Calls that may be made at once after a quiet time. */
  readonly burst: number;
  /** Calls under way at the same time. */
  readonly maxConcurrent: number;
}

/** A call was not made: come back after that many milliseconds. */
export class DeferredError extends Error {
  override readonly name = 'DeferredError';
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super(`The call was put off for ${Math.ceil(retryAfterMs)} ms.`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Whose turn it is, the most urgent first. */
export type Turn =
  /** Goes on with a piece of work that was begun: waits for its turn. */
  | 'begun'
  /** Begins work that somebody may be waiting for. */
  | 'urgent'
  /** Begins work of which nothing is known to have changed. */
  | 'routine';

/**
 * A token bucket with a limit on what is under way, and a pause that the gateway asks for by Retry-After.
 *
 * A call that goes on with a piece of work waits for its turn, unless its signal ends that or the gateway asks for more
 * time than a worker can be held. A call that begins a piece of work rather throws {@link DeferredError} than wait
 * long, and hold a worker that other gateways need; each that is put off gets a turn of its own, so that they do not
 * all come back at once. Routine waits for the urgent, never the other way round: ten thousand customers that are
 * looked at again after a restart hold up none that was just applied.
 */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  /** Those that wait, the first line before the second. */
  readonly #waiting: Readonly<Record<'urgent' | 'routine', (() => void)[]>> = { urgent: [], routine: [] };
  #tokens: number;
  #refilledAt: number;
  #underWay = 0;
  #pausedUntil = 0;
  readonly #lastTurn = { urgent: 0, routine: 0 };
  #timer: NodeJS.Timeout | undefined;

  /** @param now a clock in milliseconds that never goes back. */
  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
    this.#tokens = limit.burst;
    this.#refilledAt = now();
  }

  /**
   * Makes the call when it is its turn.
   * @param signal ends the wait, and the call is not made
   * @throws DeferredError if it begins a piece of work and its turn is far, or the gateway asks for a long pause
   */
  async run<T>(call: () => Promise<T>, turn: Turn, signal?: AbortSignal): Promise<T> {
    if (turn === 'begun') this.#deferIfPaused();
    else this.#deferIfFar(turn);
    await this.#turn(this.#waiting[turn === 'routine' ? 'routine' : 'urgent'], signal);
    try {
      return await call();
    } finally {
      this.#underWay--;
      this.#admit();
    }
  }

  /** No call begins for that long: the gateway asked for it. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + milliseconds);
  }

  #turn(line: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const start = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        line.splice(line.indexOf(start), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      line.push(start);
      this.#admit();
    });
  }

  #deferIfPaused(): void {
    const wait = this.#pausedUntil - this.#now();
    if (wait > longestPauseMs) throw new DeferredError(wait);
  }

  #deferIfFar(turn: 'urgent' | 'routine'): void {
    const now = this.#now();
    this.#refill(now);
    const before = this.#waiting.urgent.length + (turn === 'routine' ? this.#waiting.routine.length : 0);
    const forToken = Math.max(0, ((before + 1 - this.#tokens) * 1000) / this.#limit.qps);
    const forPause = Math.max(0, this.#pausedUntil - now);
    const wait = Math.max(forToken, forPause);
    if (wait <= longestWaitMs && before < this.#limit.maxConcurrent) return;
    const last = this.#lastTurn[turn];
    this.#lastTurn[turn] = Math.max(last + 1000 / this.#limit.qps, now + Math.max(wait, longestWaitMs));
    throw new DeferredError(this.#lastTurn[turn] - now);
  }

  #admit(): void {
    const now = this.#now();
    const { urgent, routine } = this.#waiting;
    this.#refill(now);
    while (this.#underWay < this.#limit.maxConcurrent && this.#tokens >= 1 && now >= this.#pausedUntil) {
      const start = urgent.shift() ?? routine.shift();
      if (start === undefined) return;
      this.#tokens--;
      this.#underWay++;
      start();
    }
    const none = urgent.length + routine.length === 0;
    if (none || this.#underWay >= this.#limit.maxConcurrent || this.#timer !== undefined) return;
    const wait = Math.max(((1 - this.#tokens) * 1000) / this.#limit.qps, this.#pausedUntil - now, 1);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#admit();
    }, wait);
  }

  #refill(now: number): void {
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + ((now - this.#refilledAt) * this.#limit.qps) / 1000);
    this.#refilledAt = now;
  }
}

/** A call that begins a piece of work waits at most about this long; then its worker is better used elsewhere. */
const longestWaitMs = 500;
/** One that goes on with it waits for a pause of at most this length. */
const longestPauseMs = 10_000;
