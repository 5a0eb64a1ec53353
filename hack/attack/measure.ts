/** Evaluates latencies and memory. Pure. */

/** The maximum p99 of other tenants' calls during an attack, as a multiple of the usual p99. */
export const MOST_TIMES = 3;
/** With fewer samples, the 99th percentile has no meaning. */
export const LEAST_SAMPLES = 100;
/** The maximum permanent growth of memory, as a fraction. */
export const MOST_GROWTH = 0.2;
/** Smaller growth has no meaning: V8's young generation and the allocator's free pages alone take this much. */
const LEAST_GROWTH = 48 * 2 ** 20;

/** @returns the smallest value that is not below this part of all values (nearest rank); NaN without values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

/** Latencies in milliseconds; Infinity for a call that was not served. */
export interface Latencies {
  readonly usual: readonly number[];
  readonly during: readonly number[];
}

/**
 * Reports a slowdown of other tenants' calls beyond {@link MOST_TIMES}.
 *
 * @param floorMs always allowed: below it, the ratio measures other work on the machine
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
 * Reports memory that was not released.
 *
 * @param leastBytes growth below this has no meaning
 */
export function growth(beforeBytes: number, afterBytes: number, leastBytes = LEAST_GROWTH): string | undefined {
  if (afterBytes <= beforeBytes + Math.max(beforeBytes * MOST_GROWTH, leastBytes)) return undefined;
  const percent = Math.round((afterBytes / beforeBytes - 1) * 100);
  return `memory stays ${percent} % above what it was: ${mebibytes(afterBytes)} after ${mebibytes(beforeBytes)}`;
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
