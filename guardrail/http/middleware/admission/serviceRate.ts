/** The moving average covers about this many calls, so that one pause of the machine does not cause refusals. */
const AVERAGED_CALLS = 32;

/**
 * Estimates how fast queued calls start, as a moving average of the times between starts and of the weights. It counts
 * starts, not ends: a call that waits for Redis does not delay the next one.
 */
export class ServiceRate {
  #ms = 0;
  #weights = 0;
  #last: { readonly time: number; readonly weight: number } | undefined;

  /** How long calls of this total weight take, in milliseconds. */
  expectedMs(weight: number): number {
    return this.#weights === 0 ? 0 : (weight * this.#ms) / this.#weights;
  }

  /** Records the start of a call. The time to the next start counts only if another call waits. */
  started(time: number, weight: number, isNextWaiting: boolean): void {
    if (this.#last) {
      this.#ms += time - this.#last.time - this.#ms / AVERAGED_CALLS;
      this.#weights += this.#last.weight - this.#weights / AVERAGED_CALLS;
    }
    this.#last = isNextWaiting ? { time, weight } : undefined;
  }
}
