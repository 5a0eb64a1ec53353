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
  readonly #wroteAt = new Map<string, number>();

  /** @param monotonic a clock in milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** @returns how long the next write must wait, in milliseconds */
  waitMs(instance: string): number {
    return Math.max(0, (this.#nextAt.get(instance) ?? 0) - this.#monotonic());
  }

  /** @returns how long ago the last write was, in milliseconds; without one, how long ago this was first asked */
  sinceWriteMs(instance: string): number {
    const now = this.#monotonic();
    const at = this.#wroteAt.get(instance) ?? now;
    this.#wroteAt.set(instance, at);
    return now - at;
  }

  /** @param shards the number of shards that were written */
  wrote(instance: string, shards: number): void {
    this.#wroteAt.set(instance, this.#monotonic());
    this.#nextAt.set(instance, this.#monotonic() + (shards * 60_000) / WRITES_PER_MINUTE);
  }

  forget(instance: string): void {
    this.#nextAt.delete(instance);
    this.#wroteAt.delete(instance);
  }
}
