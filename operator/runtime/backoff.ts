import type { Clock } from './clock.ts';

/** The delay after a number of consecutive failures, without jitter. Doubles with each failure, up to the maximum. */
export function backoffDelay(failures: number, baseMs: number, maxMs: number): number {
  return Math.min(maxMs, baseMs * 2 ** failures);
}

/** Exponential backoff with jitter. */
export class Backoff {
  readonly #clock: Clock;
  readonly #baseMs: number;
  readonly #maxMs: number;
  #failures = 0;

  /** @param baseMs the shortest delay @param maxMs the longest delay */
  constructor(clock: Clock, baseMs: number, maxMs: number) {
    this.#clock = clock;
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  /**
   * The next delay, in milliseconds. It varies by half even at the maximum, so that clients do not retry at the same
   * time.
   */
  next(): number {
    const delay = backoffDelay(this.#failures, this.#baseMs, Math.max(this.#baseMs, this.#maxMs / 2));
    this.#failures = Math.min(this.#failures + 1, 30);
    return Math.min(this.#maxMs, delay * (1 + this.#clock.random()));
  }

  /** The number of consecutive failures. */
  get failures(): number {
    return this.#failures;
  }

  /** Resets the delay after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
