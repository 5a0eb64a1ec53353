import { expect } from 'chai';

/** How many times as long the longer input is. Quadratic work takes {@link GROWTH}² times as long. */
const GROWTH = 8;
/** How many times as long as in proportion the longer input may take: caches, collections and compilation cost something. */
const ALLOWANCE = 3;
/** Processor time in milliseconds, below which a comparison shows nothing. */
const NEGLIGIBLE_MS = 150;
const TRIES = 3;

const processorMsOf = async (work: (length: number) => unknown, length: number): Promise<number> => {
  // That of the thread is counted in steps of 4 ms by some kernels.
  const before = process.cpuUsage();
  await work(length);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/**
 * Asserts that `work` takes a time in proportion to `length`, its greatest number of characters or elements.
 *
 * It compares two lengths in the same run, so that it holds on a slow or busy machine too. Work that takes almost no time at
 * `length` passes. `what` names the input in the message of the error.
 */
export const expectLinearTime = async (
  what: string,
  length: number,
  work: (length: number) => unknown,
): Promise<void> => {
  const few = Math.ceil(length / GROWTH);
  // V8 compiles it: the shorter input would seem slower than it is.
  await work(few);
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least > GROWTH * ALLOWANCE; tries += 1) {
    const long = await processorMsOf(work, length);
    const short = await processorMsOf(work, few);
    least = Math.min(least, long / Math.max(short, NEGLIGIBLE_MS / GROWTH / ALLOWANCE));
  }
  expect(least, `times as long for ${GROWTH} times as much of ${what}`).to.be.at.most(GROWTH * ALLOWANCE);
};
