/** Counts calls by the second. */
export class CallRate {
  #second = 0;
  #calls = 0;
  #callsBefore = 0;

  /** @param now milliseconds of a monotonic clock */
  count(now: number): void {
    this.#moveTo(Math.floor(now / 1000));
    this.#calls++;
  }

  /** The calls of the current or of the previous second, whichever is more. */
  perSecond(now: number): number {
    this.#moveTo(Math.floor(now / 1000));
    return Math.max(this.#calls, this.#callsBefore);
  }

  #moveTo(second: number): void {
    if (second === this.#second) return;
    this.#callsBefore = second === this.#second + 1 ? this.#calls : 0;
    this.#calls = 0;
    this.#second = second;
  }
}
