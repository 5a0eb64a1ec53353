/** Work that is repeated until it is ended. */
export interface Repeated {
  end(): void;
}

const works = new Set<() => Promise<void>>();

/**
 * Repeats work, each time as long after it was done as the interval says. The timer alone does not keep the process
 * running.
 */
export function repeat(work: () => Promise<void>, intervalMs: number): Repeated {
  let done = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  // The caller gets the error of its own turn. It does not end the repetition.
  const turn = (): Promise<void> | undefined => (works.has(next) ? work() : undefined);
  const next = (): Promise<void> => (done = done.then(turn, turn));
  const schedule = (): void => {
    timer = setTimeout(() => {
      void next().finally(() => {
        if (works.has(next)) schedule();
      });
    }, intervalMs).unref();
  };
  works.add(next);
  schedule();
  return {
    end() {
      works.delete(next);
      clearTimeout(timer);
    },
  };
}

/** Does all repeated work now, without waiting for its time; for tests. */
export async function repeatNow(): Promise<void> {
  await Promise.all([...works].map((work) => work()));
}
