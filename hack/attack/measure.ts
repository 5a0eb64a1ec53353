/** Evaluates latencies and memory. */

/** The maximum p99 of other tenants' calls during an attack, as a multiple of the usual p99. */
export const MAX_RATIO = 3;
/** The minimum number of samples for a 99th percentile. */
export const MIN_SAMPLES = 100;
/** The maximum permanent growth of memory, as a fraction. */
export const MAX_GROWTH = 0.2;
/** Smaller growth is ignored: V8's young generation and the allocator's free pages alone take this much. */
const MIN_GROWTH_BYTES = 48 * 2 ** 20;

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
 * Reports a slowdown of other tenants' calls beyond {@link MAX_RATIO}.
 *
 * @param floorMs a p99 that is always allowed: below it, the ratio measures other work on the machine
 */
export function slowdown({ usual, during }: Latencies, floorMs: number): string | undefined {
  if (usual.length < MIN_SAMPLES || during.length < MIN_SAMPLES) {
    return `too few calls of other tenants to evaluate: ${usual.length} before and ${during.length} during the attack`;
  }
  const [before, now] = [percentile(usual, 0.99), percentile(during, 0.99)];
  if (!Number.isFinite(before)) return 'calls of other tenants failed before the attack';
  const allowed = Math.max(MAX_RATIO * before, floorMs);
  if (now <= allowed) return undefined;
  const failed = during.filter((ms) => !Number.isFinite(ms)).length;
  const found = Number.isFinite(now)
    ? `calls of other tenants had a p99 of ${now.toFixed(0)} ms`
    : `${failed} of ${during.length} calls of other tenants were not served`;
  return `${found}; the limit is a p99 of ${allowed.toFixed(0)} ms (usual: ${before.toFixed(0)} ms)`;
}

/**
 * Reports memory that was not released.
 *
 * @param minBytes smaller growth is ignored
 */
export function growth(beforeBytes: number, afterBytes: number, minBytes = MIN_GROWTH_BYTES): string | undefined {
  if (afterBytes <= beforeBytes + Math.max(beforeBytes * MAX_GROWTH, minBytes)) return undefined;
  const percent = Math.round((afterBytes / beforeBytes - 1) * 100);
  return `memory remains ${percent} % above its initial value: ${mebibytes(afterBytes)}, initially ${mebibytes(beforeBytes)}`;
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

/** The result of one run of an attack. */
export interface AttackResult {
  readonly faults: readonly string[];
  /** The excessive slowdown of others, if any. */
  readonly slowdown: string | undefined;
  /** The memory that was not released, if any. */
  readonly growth?: string | undefined;
}

/**
 * Runs an attack a second time if it slowed others down, or if memory remained. Other work on the machine slows down one of
 * two runs, a fault slows down both. The free pages that an allocator keeps serve the second run; a leak grows again.
 *
 * @returns the faults of both runs, and what both runs have shown
 */
export async function confirm(run: () => Promise<AttackResult>): Promise<string[]> {
  const first = await run();
  if (first.slowdown === undefined && first.growth === undefined) return [...first.faults];
  const second = await run();
  const confirmed = (['slowdown', 'growth'] as const).flatMap((kind) =>
    first[kind] === undefined || second[kind] === undefined ? [] : [second[kind]],
  );
  return [...new Set([...first.faults, ...second.faults, ...confirmed])];
}
