import { LinkedList, type Link } from './linkedList.ts';

/** A call, or a part of one, whose time runs. */
interface Running {
  /** What it does when its time is over. */
  readonly expire: () => void;
  /** Milliseconds of the monotonic clock. */
  readonly until: number;
}

/**
 * A time limit that many calls, or parts of them, have at the same time. Their times run out in the order in which they began, so one timer is
 * enough for all of them.
 */
export class TimeLimit {
  readonly #ms: number;
  readonly #running = new LinkedList<Running>();
  #isTimed = false;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /**
   * @param expire called once when the time is over, unless the call leaves before
   * @returns what {@link leave} takes
   */
  enter(expire: () => void): Link<Running> {
    if (!this.#isTimed) this.#wakeIn(this.#ms);
    return this.#running.add({ expire, until: performance.now() + this.#ms });
  }

  /** Idempotent. */
  leave(call: Link<Running>): void {
    this.#running.remove(call);
  }

  /** A timer alone does not keep the process running. */
  #wakeIn(ms: number): void {
    this.#isTimed = true;
    setTimeout(this.#expire, ms).unref();
  }

  readonly #expire = (): void => {
    this.#isTimed = false;
    for (let call = this.#running.first; call; call = this.#running.first) {
      const { expire, until } = call.value;
      const left = until - performance.now();
      if (left > 0) {
        this.#wakeIn(Math.max(1, Math.ceil(left)));
        return;
      }
      this.#running.remove(call);
      expire();
    }
  };
}
