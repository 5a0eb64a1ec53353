/** How a program ends that counts passes and failures. CI reads its last line. */

/** The result of a program with cases of its own. */
export interface CaseCounts {
  passed: number;
  /** One line for each case that failed. */
  readonly failures: string[];
}

/** Prints one line for each failure or flaky test, and one with the counts. @returns the exit code */
export function printCounts(lines: readonly string[], passed: number, failed: number): number {
  for (const line of [...lines, `${passed} passed, ${failed} failed`]) console.log(line);
  return failed === 0 && passed > 0 ? 0 : 1;
}

/** Prints the result of a program with cases. @returns the exit code */
export function printCases({ passed, failures }: CaseCounts): number {
  return printCounts(
    failures.map((failure) => `FAILED ${failure}`),
    passed,
    failures.length,
  );
}

/**
 * Runs a program, and ends with its exit code. An error is printed on one line, and counts as one failure.
 * @param main returns the exit code
 */
export async function exitWith(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = printCounts([], 0, 1);
  }
}
