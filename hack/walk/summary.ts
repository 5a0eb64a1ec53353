/** The table of a walk. Pure. */

/** A walk in figures. */
export interface WalkSummary {
  readonly files: number;
  /** The lines of the longest file. */
  readonly longest: number;
  /** How many files control enters more than once. */
  readonly enteredMore: number;
  /** One line for each file, in the order in which control first enters them: entries, lines, name. */
  readonly text: string;
}

/** @param entries the files that control entered, in order @param lines the number of lines of a file */
export function summaryOf(entries: readonly string[], lines: (file: string) => number): WalkSummary {
  const counts = new Map<string, number>();
  for (const file of entries) counts.set(file, (counts.get(file) ?? 0) + 1);
  const rows = [...counts].map(([file, count]) => ({ file, count, lines: lines(file) }));
  return {
    files: rows.length,
    longest: Math.max(0, ...rows.map((row) => row.lines)),
    enteredMore: rows.filter(({ count }) => count > 1).length,
    text: rows
      .map((row) => `${String(row.count).padStart(4)} × ${String(row.lines).padStart(4)} lines  ${row.file}`)
      .join('\n'),
  };
}
