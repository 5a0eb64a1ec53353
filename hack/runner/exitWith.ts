/**
 * Runs a program that counts passes and failures, and ends with its exit code. An error is printed on one line, and counts
 * as one failure in the last line, which CI reads.
 * @param main returns the exit code
 */
export async function exitWith(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.log('0 passed, 1 failed');
    process.exitCode = 1;
  }
}
