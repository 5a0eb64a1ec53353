import type { Clock } from '../clock.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
  handle: NodeJS.Timeout | undefined;
}

/**
 * The system's clock, and the time that a test skips. For work that waits for other processes, and also for an interval: a
 * clock that stands still would stop its timeouts.
 */
export class SkippingClock implements Clock {
  #skippedMs = 0;
  readonly #timers = new Set<Timer>();

  monotonic(): number {
    return performance.now() + this.#skippedMs;
  }

  now(): Date {
    return new Date(Date.now() + this.#skippedMs);
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { due: this.monotonic() + ms, callback, handle: undefined };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => {
      clearTimeout(timer.handle);
      this.#timers.delete(timer);
    };
  }

  random(): number {
    return Math.random();
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances the clock. Timers that are due fire soon, in their order. */
  skip(ms: number): void {
    this.#skippedMs += ms;
    for (const timer of [...this.#timers].sort((a, b) => a.due - b.due)) {
      clearTimeout(timer.handle);
      this.#arm(timer);
    }
  }

  #arm(timer: Timer): void {
    timer.handle = setTimeout(
      () => {
        this.#timers.delete(timer);
        timer.callback();
      },
      Math.max(0, timer.due - this.monotonic()),
    );
  }
}
