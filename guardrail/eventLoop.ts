import { setImmediate as nextRound } from 'node:timers/promises';

/** How long a call is worked on before the event loop gets its turn, in milliseconds. */
const SLICE_MS = 10;

/** Lets others have their turn where work has gone on for long: to be awaited between two steps of it. */
export function createYielder(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return nextRound().then(() => {
      since = performance.now();
    });
  };
}
