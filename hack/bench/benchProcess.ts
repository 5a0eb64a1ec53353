/** The guardrail as a process of its own, as in its container, and the processor time of processes. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answersOk, freePort, startProcess, waitUntilReady, type ManagedProcess } from '../harness/processes.ts';
import { BENCH_KEY } from './benchService.ts';

const MAIN = join(import.meta.dirname, '../../guardrail/main.ts');
const READY_MS = 60_000;

/** A program of a benchmark that listens on a port. */
export interface BenchProcess {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the guardrail. Its log goes to /dev/null.
 * @param settings further environment variables
 * @param cores the cores that it may use, as `taskset` names them; undefined: all
 */
export async function startGuardrailProcess(
  settings: Readonly<Record<string, string>> = {},
  cores?: string,
): Promise<BenchProcess> {
  const port = await freePort();
  return await startOnCores('the guardrail', [MAIN], port, cores, {
    NODE_ENV: 'production',
    GUARDRAIL_PORT: String(port),
    GUARDRAIL_METRICS_PORT: 'off',
    GUARDRAIL_HOST: '127.0.0.1',
    GUARDRAIL_API_KEYS: `bench:${BENCH_KEY}`,
    ...settings,
  });
}

/**
 * Starts a program of Node on some cores, and waits until `/readyz` of its port answers 200.
 * @param cores as `taskset` names them; undefined: all
 */
export async function startOnCores(
  name: string,
  args: readonly string[],
  port: number,
  cores: string | undefined,
  env: Readonly<Record<string, string>>,
): Promise<BenchProcess> {
  const child: ManagedProcess = await startProcess({
    name,
    ...onCores(cores, [process.execPath, ...args]),
    env: { ...process.env, ...env },
    logFile: '/dev/null',
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, () => answersOk(`${url}/readyz`), READY_MS);
  return { url, pid: child.pid, stop: () => child.stop() };
}

function onCores(cores: string | undefined, argv: readonly string[]): { command: string; args: string[] } {
  const [command = '', ...args] = cores === undefined ? argv : ['taskset', '--cpu-list', cores, ...argv];
  return { command, args };
}

/** A process and those that it has started. */
export function processTree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(processTree)];
}

const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The processor time of a process and of its running children, in milliseconds, in steps of 10 ms. */
export function processorTime(root: number): number {
  const ticks = processTree(root).map((pid) => {
    // The name of the program, in parentheses, may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return (ticks.reduce((sum, one) => sum + one, 0) * 1000) / TICKS_A_SECOND;
}
