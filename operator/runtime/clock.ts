/** The time source of the runtime. Tests replace it by a clock that they advance. */
export interface Clock {
  /** Monotonic time in milliseconds, for intervals. Not related to the time of day. */
  monotonic(): number;
  /** The time of day, for timestamps. It may jump. */
  now(): Date;
  /** Calls back once after the given time. Returns a function that cancels the timer. */
  after(ms: number, callback: () => void): () => void;
  /** A uniform random number in [0, 1), for jitter. */
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

/**
 * Waits for work with a time limit.
 * @returns whether the work ended before the time limit and before the signal was aborted
 * @throws the error of the work
 */
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

/** Formats a Kubernetes timestamp with microseconds. Lease and Event accept no other format. */
export function microTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}

/**
 * Does work that ends early when a time is over or another signal is aborted. Both are let go when the work has ended: the
 * timer of `AbortSignal.timeout` would remain until it fires, with an error that it creates for nobody.
 * @param work receives a signal. After the time, its reason is a TimeoutError; otherwise, it is that of the other signal
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(signal?.reason);
  };
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => {
    controller.abort(new DOMException('The time is over.', 'TimeoutError'));
  }, ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
