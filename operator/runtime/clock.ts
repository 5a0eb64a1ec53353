/** The time source of the runtime. Tests replace it by a clock that they advance. */
export interface Clock {
  /** Milliseconds of a clock that never goes back, for intervals. Unrelated to the time of day. */
  monotonic(): number;
  /** The time of day, for timestamps. May jump. */
  now(): Date;
  /** Calls back once after the given time. Returns a function that cancels the timer. */
  after(ms: number, callback: () => void): () => void;
  /** Uniform in [0, 1), for jitter. */
  random(): number;
}

/** The system's clock. Its timers keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = {
  monotonic: () => performance.now(),
  now: () => new Date(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => {
      clearTimeout(timer);
    };
  },
  random: () => Math.random(),
};

/** Waits for the given time. Returns early, without an error, when the signal is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** @returns whether the work ends before the time is up and before the signal is aborted @throws what the work throws */
export async function endsWithin(
  clock: Clock,
  work: Promise<unknown>,
  ms: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const done = new AbortController();
  const timeUp = sleep(clock, ms, signal === undefined ? done.signal : AbortSignal.any([done.signal, signal]));
  try {
    return await Promise.race([work.then(() => true), timeUp.then(() => false)]);
  } finally {
    done.abort();
  }
}

/** A Kubernetes timestamp with microseconds. Lease and Event accept no other format. */
export function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}
