import type { Clock } from '../clock.ts';

/** A clock that only moves with {@link advance}. */
export class TestClock implements Clock {
  #elapsed = 0;
  readonly #timers = new Set<{ readonly due: number; readonly callback: () => void }>();
  /** The error of {@link now}, in milliseconds. */
  skewMs = 0;
  /** Returns the values of {@link random}. */
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

  /** Number of pending timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances the clock and runs due timers in order. Each timer's follow-up work runs before the next timer. */
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

/** Runs all work that is ready to run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
