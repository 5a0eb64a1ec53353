/**
 * A time limit that many calls, or parts of them, have at the same time. Their times run out in the order in which they began, so one timer is
 * enough for all of them.
 */
export class TimeLimit {
  readonly #ms: number;
  /** What each call does when its time is over, and when that is. */
  readonly #running = new Map<() => void, number>();
  #isTimed = false;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** @param expire called once when the time is over, unless the call leaves before; a function of its own for each call */
  enter(expire: () => void): void {
    this.#running.set(expire, performance.now() + this.#ms);
    if (!this.#isTimed) this.#wakeIn(this.#ms);
  }

  leave(expire: () => void): void {
    this.#running.delete(expire);
  }

  /** A timer alone does not keep the process running. */
  #wakeIn(ms: number): void {
    this.#isTimed = true;
    setTimeout(this.#expire, ms).unref();
  }

  readonly #expire = (): void => {
    this.#isTimed = false;
    for (const [expire, at] of this.#running) {
      const left = at - performance.now();
      if (left > 0) {
        this.#wakeIn(Math.max(1, Math.ceil(left)));
        return;
      }
      this.#running.delete(expire);
      expire();
    }
  };
}
