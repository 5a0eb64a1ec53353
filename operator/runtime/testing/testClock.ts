import type { Clock } from '../clock.ts';

/** A clock that stands still until it is told to move. */
export class TestClock implements Clock {
  #elapsed = 0;
  readonly #timers = new Set<{ readonly due: number; readonly callback: () => void }>();
  /** Difference between the time of day and the truth, in milliseconds. */
  skewMs = 0;
  /** What {@link random} returns. */
  randomSource: () => number = () => 0.5;

  monotonic(): number {
    return this.#elapsed;
  }

  now(): Date {
    return new Date(Date.UTC(2026, 0, 1) + this.#elapsed + this.skewMs);
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { due: this.#elapsed + Math.max(0, ms), callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  random(): number {
    return this.randomSource();
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves on, and runs what is due on the way, in order; what that sets off gets its turn before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    for (;;) {
      await settle();
      const next = [...this.#timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.due);
      next.callback();
    }
    this.#elapsed = end;
    await settle();
  }
}

/** Lets everything run that waits for nothing but its turn. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
