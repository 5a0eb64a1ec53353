import type { Clock } from './clock.ts';

/** Waiting times between attempts that keep failing: doubled each time, spread at random, never above the maximum. */
export class Backoff {
  readonly #clock: Clock;
  readonly #baseMs: number;
  readonly #maxMs: number;
  #failures = 0;

  /** @param baseMs the shortest wait @param maxMs the longest */
  constructor(clock: Clock, baseMs: number, maxMs: number) {
    this.#clock = clock;
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  /** The next wait, in milliseconds. At the ceiling it still varies by half, so that many clients do not come in step. */
  next(): number {
    const ceiling = Math.max(this.#baseMs, this.#maxMs / 2);
    const delay = Math.min(ceiling, this.#baseMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    return Math.min(this.#maxMs, delay * (1 + this.#clock.random()));
  }

  /** How often in a row it has failed. */
  get failures(): number {
    return this.#failures;
  }

  /** To be called after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
