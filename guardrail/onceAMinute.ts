const MINUTE_MS = 60_000;

/**
 * Counts events, and says when to report them: the first one at once, and later ones at most once a minute.
 * @param clock milliseconds that never go back
 * @returns a function to call for each event; it returns the number of events since the last report, or undefined: no report
 */
export function onceAMinute(clock: () => number = () => performance.now()): () => number | undefined {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let count = 0;
  return () => {
    count += 1;
    const now = clock();
    if (now - reportedAt < MINUTE_MS) return undefined;
    const reported = count;
    reportedAt = now;
    count = 0;
    return reported;
  };
}
