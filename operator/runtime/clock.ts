/** Time as the runtime sees it, so that tests can turn it by hand. */
export interface Clock {
  /** Milliseconds of a clock that only goes forward, for intervals. Has nothing to do with the time of day. */
  monotonic(): number;
  /** The time of day, for what others read. May jump. */
  now(): Date;
  /** Calls back once after so many milliseconds. Returns what cancels it. */
  after(ms: number, callback: () => void): () => void;
  /** Uniform in [0, 1), for jitter. */
  random(): number;
}

/** The real one. Its timers keep the process alive: whoever sets one cancels it. */
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

/** Waits; returns early, without an error, when the signal is aborted. */
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
