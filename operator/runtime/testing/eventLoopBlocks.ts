import { expect } from 'chai';
import { parse } from 'yaml';

/** The longest that the event loop may be held up at a time, in milliseconds of an unladen core. */
const LONGEST_MS = 100;
/** What {@link reference} takes on the machine for which that is measured, in milliseconds. */
const REFERENCE_MS = 60;

/**
 * Watches the event loop while some work goes on, and asserts that nothing holds it up for longer than it may. Counts
 * the CPU time of this thread alone: a busy machine does not make a stretch longer. A slower core is measured first.
 */
export async function withoutLongBlocks<T>(work: () => Promise<T>): Promise<T> {
  const bound = LONGEST_MS * Math.max(1, reference() / REFERENCE_MS);
  let longest = 0;
  let last = cpuMs();
  let watching = true;
  const watch = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    // Waiting costs no time of the CPU: between two looks there is one stretch and a millisecond or two.
    if (watching) setTimeout(watch, 1);
  };
  setTimeout(watch, 1);
  try {
    return await work();
  } finally {
    watching = false;
    expect(longest, 'the longest stretch of the event loop in ms of CPU time').to.be.below(bound);
  }
}

/** A piece of work of a known size: the best of some runs, since the first ones compile it. */
function reference(): number {
  const text = Array.from({ length: 800 }, (_, index) => `k${index}: [a, {b: c}]\n`).join('');
  return Math.min(
    ...Array.from({ length: 5 }, () => {
      const before = cpuMs();
      parse(text, { uniqueKeys: false });
      return cpuMs() - before;
    }),
  );
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
