/** Judges latencies and memory. Pure. */

/** How many times the usual p99 other tenants' calls may take during an attack. */
export const MOST_TIMES = 3;
/** Fewer samples say nothing about the slowest hundredth. */
export const LEAST_SAMPLES = 100;
/** By how much memory may stay above what it was. */
export const MOST_GROWTH = 0.2;
/** Growth below this many bytes says nothing: V8's young generation and free pages of the allocator alone take as much. */
const LEAST_GROWTH = 48 * 2 ** 20;

/** The smallest value that this part of all values does not exceed (nearest rank); NaN where there is none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

/** Latencies in milliseconds; Infinity stands for a call that was not served. */
export interface Latencies {
  readonly usual: readonly number[];
  readonly during: readonly number[];
}

/**
 * Says what is wrong where the calls of others were slowed down by more than {@link MOST_TIMES}.
 * @param floorMs what always passes: below it, the ratio measures the machine's other work
 */
export function slowdown({ usual, during }: Latencies, floorMs: number): string | undefined {
  if (usual.length < LEAST_SAMPLES || during.length < LEAST_SAMPLES) {
    return `the calls of others were too few to judge: ${usual.length} usual ones and ${during.length} during the attack`;
  }
  const [before, now] = [percentile(usual, 0.99), percentile(during, 0.99)];
  if (!Number.isFinite(before)) return 'the calls of others failed before the attack';
  const allowed = Math.max(MOST_TIMES * before, floorMs);
  if (now <= allowed) return undefined;
  const failed = during.filter((ms) => !Number.isFinite(ms)).length;
  const found = Number.isFinite(now)
    ? `had a p99 of ${now.toFixed(0)} ms`
    : `were not served: ${failed} of ${during.length}`;
  return `the calls of others ${found}; ${allowed.toFixed(0)} ms is allowed (usual p99: ${before.toFixed(0)} ms)`;
}

/**
 * Says what is wrong where memory did not come back.
 * @param leastBytes growth that says nothing
 */
export function growth(beforeBytes: number, afterBytes: number, leastBytes = LEAST_GROWTH): string | undefined {
  if (afterBytes <= beforeBytes + Math.max(beforeBytes * MOST_GROWTH, leastBytes)) return undefined;
  const percent = Math.round((afterBytes / beforeBytes - 1) * 100);
  return `memory stays ${percent} % above what it was: ${mebibytes(afterBytes)} after ${mebibytes(beforeBytes)}`;
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
