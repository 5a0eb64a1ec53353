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

interface Waiter {
  readonly start: () => void;
}

/**
 * A token bucket with a limit on what is under way, and a pause that the gateway asks for by Retry-After.
 *
 * A call that begins a piece of work is `deferrable`: rather than wait long, and hold a worker that other gateways need,
 * it throws {@link DeferredError} with a turn of its own, so that those put off do not all come back at once. The calls
 * that follow in the same piece of work always wait.
 */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #waiting: Waiter[] = [];
  #tokens: number;
  #refilledAt: number;
  #underWay = 0;
  #pausedUntil = 0;
  #lastTurn = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param now a clock in milliseconds that never goes back. */
  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
    this.#tokens = limit.burst;
    this.#refilledAt = now();
  }

  /** Makes the call when it is its turn. @throws DeferredError if it is deferrable and its turn is far. */
  async run<T>(call: () => Promise<T>, options: { readonly deferrable: boolean }): Promise<T> {
    if (options.deferrable) this.#deferIfFar();
    await this.#turn();
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

  #deferIfFar(): void {
    const now = this.#now();
    this.#refill(now);
    const queued = this.#waiting.length + 1;
    const forToken = Math.max(0, ((queued - this.#tokens) * 1000) / this.#limit.qps);
    const forPause = Math.max(0, this.#pausedUntil - now);
    const crowded = this.#waiting.length >= this.#limit.maxConcurrent;
    const wait = Math.max(forToken, forPause);
    if (wait <= longestWaitMs && !crowded) return;
    this.#lastTurn = Math.max(this.#lastTurn + 1000 / this.#limit.qps, now + Math.max(wait, longestWaitMs));
    throw new DeferredError(this.#lastTurn - now);
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ start: resolve });
      this.#admit();
    });
  }

  #admit(): void {
    const now = this.#now();
    this.#refill(now);
    while (
      this.#waiting.length > 0 &&
      this.#underWay < this.#limit.maxConcurrent &&
      this.#tokens >= 1 &&
      now >= this.#pausedUntil
    ) {
      this.#tokens--;
      this.#underWay++;
      this.#waiting.shift()?.start();
    }
    if (this.#waiting.length === 0 || this.#underWay >= this.#limit.maxConcurrent || this.#timer !== undefined) return;
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

/** A deferrable call waits at most about this long; then its worker is better used elsewhere. */
const longestWaitMs = 500;
