import type { Clock } from './clock.ts';

/** The delay after a number of failures in a row, without jitter: doubled with each failure, up to the maximum. */
export function backoffDelay(failures: number, baseMs: number, maxMs: number): number {
  return Math.min(maxMs, baseMs * 2 ** failures);
}

/** Delays between attempts that keep failing: exponential, with jitter. */
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

  /** The next delay, in milliseconds. At the maximum it still varies by half, so that clients do not retry in step. */
  next(): number {
    const delay = backoffDelay(this.#failures, this.#baseMs, Math.max(this.#baseMs, this.#maxMs / 2));
    this.#failures = Math.min(this.#failures + 1, 30);
    return Math.min(this.#maxMs, delay * (1 + this.#clock.random()));
  }

  /** The number of failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Starts over after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
