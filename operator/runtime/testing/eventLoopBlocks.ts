import { expect } from 'chai';
import { parse } from 'yaml';

/**
 * The longest acceptable block of the event loop, in milliseconds on an idle core. Reading a large object takes 100 ms, and up to
 * 300 while the core is slower than when its speed was measured. Parsing a hostile text on this thread takes 1.5 to 11 s.
 */
const LONGEST_MS = 600;
/** The duration of {@link reference} on the machine of that limit, in milliseconds. */
const REFERENCE_MS = 60;

/**
 * Runs some work and asserts that it does not block the event loop for too long. Counts only the CPU time of this thread, so
 * that a busy machine does not matter. Measures the speed of the core first.
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
    // Waiting needs no CPU time: between two checks lies one block and a millisecond or two.
    if (watching) setTimeout(watch, 1);
  };
  setTimeout(watch, 1);
  try {
    return await work();
  } finally {
    watching = false;
    expect(longest, 'the longest block of the event loop in ms of CPU time').to.be.below(bound);
  }
}

/** Measures a known amount of work. Takes the best of several runs, because the first ones include compilation. */
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
