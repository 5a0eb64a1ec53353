/** The parts of `npm run test:all` that run whole programs outside mocha: the attacks and the real cluster. */
import { CASES, runE2e } from '../e2e/run.ts';
import type { TestCounts } from './mocha.ts';

const aborted = new AbortController();
let isClusterRunning = false;

/** Takes a running cluster down in order. Returns false where none runs. */
export function abortCluster(): boolean {
  if (isClusterRunning) aborted.abort();
  return isClusterRunning;
}

/** Attacks the guardrail and the operator. Never throws: an error counts as one failure. */
export async function runAttacks(): Promise<TestCounts> {
  return counted('The attacks', async () => {
    // Loaded only where they run.
    const attacks = await import('../attack/run.ts');
    return attacks.runAttacks([], attacks.defaultSeed());
  });
}

/** Runs all cases on a real cluster. Never throws: an error counts as one failure. */
export async function runRealCluster(): Promise<TestCounts> {
  return counted('The real cluster', () =>
    runE2e(CASES, {
      abort: aborted.signal,
      casesBegin: () => {
        isClusterRunning = true;
      },
    }),
  ).finally(() => {
    isClusterRunning = false;
  });
}

async function counted(title: string, run: () => Promise<TestCounts>): Promise<TestCounts> {
  try {
    return await run();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.log(why);
    return { passed: 0, failed: 1, failures: [`${title}: ${why}`] };
  }
}
