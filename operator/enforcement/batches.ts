/** When the list of an instance may be written again. */

/** At most so many writes of shards in a minute, on average. */
const WRITES_PER_MINUTE = 30;

/**
 * Bounds the writes of lists: the first change is written at once, and further ones together, after a time that grows with
 * the number of shards.
 */
export class Batches {
  readonly #monotonic: () => number;
  readonly #nextAt = new Map<string, number>();

  /** @param monotonic a clock in milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** @returns how long the next write must wait, in milliseconds */
  waitMs(instance: string): number {
    return Math.max(0, (this.#nextAt.get(instance) ?? 0) - this.#monotonic());
  }

  /** @param shards the number of shards that were written */
  wrote(instance: string, shards: number): void {
    this.#nextAt.set(instance, this.#monotonic() + (shards * 60_000) / WRITES_PER_MINUTE);
  }

  forget(instance: string): void {
    this.#nextAt.delete(instance);
  }
}
