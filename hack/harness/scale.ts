/**
 * How much a test tries. The full counts take minutes, so they belong to `npm run test:long`, which sets `TEST_SCALE=long`:
 * the same tests, with higher counts.
 */
const isLong = process.env.TEST_SCALE === 'long';

/** The number of runs of a property that is slow at its full count: a tenth, or all with `TEST_SCALE=long`. */
export function runs(full: number): number {
  return isLong ? full : Math.ceil(full / 10);
}

/** The usual amount, or the long one with `TEST_SCALE=long`. */
export function atScale<T>(usual: T, long: T): T {
  return isLong ? long : usual;
}
