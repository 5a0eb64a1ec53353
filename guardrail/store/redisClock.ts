import type { Fence } from './contract.ts';

/** Clocks of two machines differ in pace by far less than this part. */
const PACE_TOLERANCE = 0.001;

/**
 * A lower bound of Redis' own time, known without asking: the last time that it told, and what has passed here since,
 * a little less. A fence taken from it is never later than the moment it was taken, so an erasure that Redis carries
 * out afterwards is always later than the fence. With several nodes, the one furthest behind counts.
 *
 * Microseconds since the epoch, exact in a double until the year 2255.
 */
export class RedisClock {
  readonly #heard = new Map<string, { readonly micros: number; readonly at: number }>();
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A node has just told its time. */
  heard(node: string, micros: number): void {
    this.#heard.set(node, { micros, at: this.#now() });
  }

  /** Whom it has not to wait for any more; what a node that comes back tells counts anew. */
  keepOnly(nodes: ReadonlySet<string>): void {
    for (const node of this.#heard.keys()) {
      if (!nodes.has(node)) this.#heard.delete(node);
    }
  }

  /** 0 while no node has been heard: before any erasure. */
  lowerBound(): Fence {
    let bound = Number.POSITIVE_INFINITY;
    for (const { micros, at } of this.#heard.values()) {
      bound = Math.min(bound, micros + (this.#now() - at) * 1000 * (1 - PACE_TOLERANCE));
    }
    return Number.isFinite(bound) ? Math.floor(bound) : 0;
  }
}
