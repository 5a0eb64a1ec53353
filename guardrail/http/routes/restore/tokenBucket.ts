/** Limits a rate: holds as many tokens as may be taken in a minute, and refills steadily. */
export class TokenBucket {
  readonly #perMinute: number;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /** @param now the time in milliseconds */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
    this.#tokens = perMinute;
    this.#filledAt = now();
  }

  /**
   * Takes tokens. If there are too few, it takes those that there are. A part of a token stays: otherwise a caller that tries
   * again before the next token is there would never get one.
   * @returns the time in milliseconds until there are enough; 0 if they were taken
   */
  take(count: number): number {
    const now = this.#now();
    this.#tokens = Math.min(this.#perMinute, this.#tokens + ((now - this.#filledAt) * this.#perMinute) / 60_000);
    this.#filledAt = now;
    const missing = count - this.#tokens;
    this.#tokens -= Math.min(count, Math.floor(this.#tokens));
    return missing <= 0 ? 0 : (Math.min(missing, this.#perMinute) * 60_000) / this.#perMinute;
  }
}
