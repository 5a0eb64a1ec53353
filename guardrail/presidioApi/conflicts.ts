/**
 * Resolves overlaps of results as Presidio's anonymizer does with its default strategy, `MERGE_SIMILAR_OR_CONTAINED`. Results of
 * different types that overlap in part stay: each of them is replaced.
 */
import type { AnalyzerResult } from './results.ts';

/**
 * Merges results of one type that overlap, drops results that lie in another one, and joins results of one type with only
 * spaces between them.
 * @param isBlank whether the text between two positions consists of spaces, at least one
 */
export function resolveConflicts(
  results: readonly AnalyzerResult[],
  isBlank: (start: number, end: number) => boolean,
): AnalyzerResult[] {
  const sorted = [...results].sort((a, b) => a.start - b.start || a.end - b.end);
  return joinAcrossSpaces(withoutContained(mergedByType(sorted)), isBlank);
}

/** A merged result takes the place of the last one of its parts. */
function mergedByType(sorted: readonly AnalyzerResult[]): AnalyzerResult[] {
  const kept: { readonly place: number; readonly result: AnalyzerResult }[] = [];
  for (const group of Map.groupBy(sorted.entries(), ([, { entityType }]) => entityType).values()) {
    let current: (typeof kept)[number] | undefined;
    for (const [place, result] of group) {
      if (current && overlap(current.result, result) !== 0) {
        current = { place, result: union(current.result, result) };
        continue;
      }
      if (current) kept.push(current);
      current = { place, result };
    }
    if (current) kept.push(current);
  }
  return kept.sort((a, b) => a.place - b.place).map(({ result }) => result);
}

/** Of results at the same place, the one with the highest score stays, and the last one of these. */
function withoutContained(results: readonly AnalyzerResult[]): AnalyzerResult[] {
  const places = results.map((result, place) => ({ result, place }));
  const order = places.sort((a, b) => a.result.start - b.result.start || b.result.end - a.result.end);
  const kept: typeof places = [];
  let largestEnd = -1;
  for (const one of order) {
    const last = kept.at(-1);
    if (last?.result.start === one.result.start && last.result.end === one.result.end) {
      if (one.result.score >= last.result.score) kept[kept.length - 1] = one;
    } else if (one.result.end > largestEnd) kept.push(one);
    largestEnd = Math.max(largestEnd, one.result.end);
  }
  return kept.sort((a, b) => a.place - b.place).map(({ result }) => result);
}

function joinAcrossSpaces(
  results: readonly AnalyzerResult[],
  isBlank: (start: number, end: number) => boolean,
): AnalyzerResult[] {
  const joined: AnalyzerResult[] = [];
  for (const result of results) {
    const previous = joined.at(-1);
    if (previous?.entityType === result.entityType && isBlank(previous.end, result.start)) {
      joined[joined.length - 1] = { ...result, start: previous.start };
    } else joined.push(result);
  }
  return joined;
}

function union(a: AnalyzerResult, b: AnalyzerResult): AnalyzerResult {
  return { ...a, end: Math.max(a.end, b.end), score: Math.max(a.score, b.score) };
}

/** The number of common characters; 0 also for results that only touch. */
function overlap(a: AnalyzerResult, b: AnalyzerResult): number {
  return a.end < b.start ? 0 : Math.min(a.end, b.end) - Math.max(a.start, b.start);
}
