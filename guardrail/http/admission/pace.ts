/** Over how many calls the pace is a moving average: many, so that one pause of the machine does not turn all away. */
const PACE_CALLS = 32;

/**
 * Of the last calls that started from the line, the later the more: how long until the next could start, and how large
 * they were. Not until they ended: one that waits for Redis keeps nobody from starting.
 */
export interface Pace {
  /** How long calls of this weight together take, in milliseconds. */
  expectedMs(weight: number): number;
  /** A call has started; only the time until the next one counts for which somebody waited. */
  started(time: number, weight: number, isNextWaiting: boolean): void;
}

export function createPace(): Pace {
  let ms = 0;
  let weights = 0;
  let last: { readonly time: number; readonly weight: number } | undefined;
  return {
    expectedMs: (weight) => (weights === 0 ? 0 : (weight * ms) / weights),
    started(time, weight, isNextWaiting) {
      if (last) {
        ms += time - last.time - ms / PACE_CALLS;
        weights += last.weight - weights / PACE_CALLS;
      }
      last = isNextWaiting ? { time, weight } : undefined;
    },
  };
}
