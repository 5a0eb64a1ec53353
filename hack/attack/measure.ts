/** Evaluates latencies and memory. */

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

/** The processor time of this thread, in milliseconds. Unlike elapsed time, it does not depend on other programs. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Reports a slowdown of other tenants' calls: a p99 beyond a limit, or one slow call if there are few.
 *
 * @param latencies in milliseconds; Infinity for a call that was not served
 */
export function slowdown(latencies: readonly number[], limitMs: number): string | undefined {
  if (latencies.length === 0) return 'no other tenant made a call during the attack';
  const isMany = latencies.length >= MIN_SAMPLES;
  const found = percentile(latencies, isMany ? 0.99 : 1);
  if (found <= limitMs) return undefined;
  const failed = latencies.filter((ms) => !Number.isFinite(ms)).length;
  const what = Number.isFinite(found)
    ? `calls of other tenants had a ${isMany ? 'p99' : 'maximum'} of ${found.toFixed(0)} ms`
    : `${failed} of ${latencies.length} calls of other tenants were not served`;
  return `${what}; the limit is ${limitMs.toFixed(0)} ms`;
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
