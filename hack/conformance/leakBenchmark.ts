import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonEnvironment, type PythonProgram } from '../harness/pythonEnvironment.ts';
import type { Selfcheck, SelfcheckReport } from './leakVerdict.ts';

const BENCHMARK: PythonProgram = {
  name: 'pii-leak-benchmark',
  folder: 'pii-leak-benchmark-0.6.0',
  install: ['--only-binary=:all:', '--require-hashes', '--requirement', join(import.meta.dirname, 'leakBenchmark.txt')],
  python: 'Python 3.10 or later',
};
/** Of one answer of the gateway, in seconds. */
const ANSWER_S = 10;
const RUN_MS = 50_000;

/** What `pii-leak-benchmark selfcheck` needs. */
export interface SelfcheckTarget {
  /** The base URL of the gateway. */
  readonly url: string;
  /** An API key of the gateway. */
  readonly key: string;
  /** The free port of 127.0.0.1 on which it plays the model. The gateway's calls must arrive there. */
  readonly port: number;
  /** The number of times that it sends its values. */
  readonly times: number;
}

/**
 * Installs `pii-leak-benchmark` once, and runs its `selfcheck`: it sends values of six types as a client, plays the model,
 * and searches for the values in all that arrives there.
 *
 * @throws Error that says what to install if it cannot be installed.
 */
export async function runSelfcheck({ url, key, port, times }: SelfcheckTarget): Promise<Selfcheck> {
  const bin = await pythonEnvironment(BENCHMARK);
  const folder = await mkdtemp(join(tmpdir(), 'selfcheck-'));
  const file = join(folder, 'report.json');
  const flags = {
    '--target-base-url': `${url}/v1`,
    '--capture-port': String(port),
    '--iterations': String(times),
    '--timeout-seconds': String(ANSWER_S),
    '--json-out': file,
  };
  try {
    const ended = await execute(join(bin, 'pii-leak-benchmark'), ['selfcheck', ...Object.entries(flags).flat()], key);
    return { ...ended, report: await reportIn(file) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function execute(command: string, args: readonly string[], key: string): Promise<Omit<Selfcheck, 'report'>> {
  // Nothing else of this environment: a proxy, or a setting of the benchmark, would change the run.
  const env = { PATH: process.env.PATH, CONFORMANCE_TARGET_API_KEY: key };
  return new Promise((resolve, reject) => {
    execFile(command, args, { env, timeout: RUN_MS }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`;
      const exitCode = error === null ? 0 : error.code;
      if (typeof exitCode === 'number') resolve({ exitCode, output });
      else reject(new Error(`pii-leak-benchmark did not end by itself: ${error?.message ?? ''}\n${output}`));
    });
  });
}

/** @returns undefined if the run failed before it measured. */
async function reportIn(file: string): Promise<SelfcheckReport | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as SelfcheckReport;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
