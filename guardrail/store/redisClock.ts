import type { Fence } from './contract.ts';

/** The clocks of two machines differ in pace by far less than this part. */
const PACE_TOLERANCE = 0.001;

/**
 * A lower bound of the time of Redis, known without a round trip: the last reported time, plus slightly less than the
 * time that has passed here since. A fence from this clock is never later than the moment it is taken, so an erasure
 * that Redis executes afterwards is always later than the fence. With several nodes, the slowest clock counts.
 *
 * Microseconds since the epoch, exact in a double until the year 2255.
 */
export class RedisClock {
  readonly #reports = new Map<string, { readonly micros: number; readonly at: number }>();
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Records the time that a node has just reported. */
  record(node: string, micros: number): void {
    this.#reports.set(node, { micros, at: this.#now() });
  }

  /** Removes all other nodes. A node that returns needs a new report. */
  keepOnly(nodes: ReadonlySet<string>): void {
    for (const node of this.#reports.keys()) {
      if (!nodes.has(node)) this.#reports.delete(node);
    }
  }

  /** 0, which is before any erasure, until a node has reported its time. */
  lowerBound(): Fence {
    let bound = Number.POSITIVE_INFINITY;
    for (const { micros, at } of this.#reports.values()) {
      bound = Math.min(bound, micros + (this.#now() - at) * 1000 * (1 - PACE_TOLERANCE));
    }
    return Number.isFinite(bound) ? Math.floor(bound) : 0;
  }
}
