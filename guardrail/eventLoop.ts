import { setImmediate as nextIteration } from 'node:timers/promises';

/** How long a call may block the event loop, in milliseconds. */
const SLICE_MS = 10;

/** Creates a function that yields to the event loop when it is due. Await it between the steps of long work. */
export function createYielder(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return nextIteration().then(() => {
      since = performance.now();
    });
  };
}
