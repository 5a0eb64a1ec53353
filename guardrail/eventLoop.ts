import { setImmediate as nextIteration } from 'node:timers/promises';

/** How long a call may block the event loop, in milliseconds. */
export const SLICE_MS = 10;

/**
 * Creates a function that yields to the event loop when it is due. Await it between the steps of long work.
 * @param begin when the work began; default: now
 */
export function createYielder(begin = performance.now()): () => Promise<void> | undefined {
  let since = begin;
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return nextIteration().then(() => {
      since = performance.now();
    });
  };
}

/** Long work in steps of about a millisecond. It yields between two steps, so that the caller can yield to the event loop. */
export type Steps<T> = Generator<undefined, T>;

/** The length of a text that a step reads, in UTF-16 code units. */
export const STEP_UNITS = 1 << 15;

/**
 * Does long work, and yields to the event loop when it is due.
 * @param yieldIfDue shared by work that is done in a row; see {@link createYielder}
 * @returns the result itself if the work was done without a yield: most texts are short, and waiting for a promise takes as
 *   long as reading them
 */
export function inSlices<T>(work: Steps<T>, yieldIfDue = createYielder()): T | Promise<T> {
  for (;;) {
    const pause = yieldIfDue();
    if (pause) return inSlicesAfter(pause, work, yieldIfDue);
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

async function inSlicesAfter<T>(
  pause: Promise<void>,
  work: Steps<T>,
  yieldIfDue: () => Promise<void> | undefined,
): Promise<T> {
  await pause;
  return inSlices(work, yieldIfDue);
}

/** The work for a part of a text besides reading it, such as a match or a string, compared with that for a code unit. */
const PART_UNITS = 100;

/** Counts the parts that the steps of long work read, by their lengths, and tells when a step is long enough. */
export function createStepCounter(): (units: number) => boolean {
  let read = 0;
  return (units) => {
    read += PART_UNITS + units;
    if (read <= STEP_UNITS) return false;
    read = 0;
    return true;
  };
}

/** Does long work at once. */
export function atOnce<T>(work: Steps<T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}
