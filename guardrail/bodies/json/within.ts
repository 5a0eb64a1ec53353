/** The place of a node in a text. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Whether a node stands within a place. @param sorted disjoint nodes in the order of the text */
export function hasNodeWithin(sorted: readonly Extent[], { start, end }: Extent): boolean {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle]?.start ?? 0) < start) from = middle + 1;
    else to = middle;
  }
  const next = sorted[from];
  return next !== undefined && next.end <= end;
}
