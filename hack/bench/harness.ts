/** What the benchmarks share: the guardrail as a process of its own, as in its container, its reference, and statistics. */
import { createServer } from 'node:http';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Koa from 'koa';
import getRawBody from 'raw-body';
import type { Pool } from 'undici';
import { listen, type Listening } from '../harness/gateway/listen.ts';
import { answersOk, freePort, startProcess, waitUntilReady } from '../harness/processes.ts';

/** The API key of the calls of a benchmark. */
export const BENCH_KEY = 'key-for-the-bench';
/** The path of the calls of LiteLLM. */
export const BASIC = '/beta/litellm_basic_guardrail_api';
export const SENTENCE = 'The quarterly figures are attached and look fine. ';
const MAIN = join(import.meta.dirname, '../../guardrail/main.ts');
const READY_MS = 60_000;

/** The settings of the guardrail in every benchmark. */
export const SETTINGS = {
  GUARDRAIL_METRICS_PORT: 'off',
  GUARDRAIL_HOST: '127.0.0.1',
  GUARDRAIL_API_KEYS: `bench:${BENCH_KEY}`,
  GUARDRAIL_SESSION_KEY: 's'.repeat(32),
  GUARDRAIL_ENCRYPTION_KEYS: 'a'.repeat(64),
};

/** A program of a benchmark that listens on a port. */
export interface BenchProcess {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

interface ProgramOptions {
  /** The arguments of Node. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The cores that it may use, as `taskset` names them. Default: all. */
  readonly cores?: string | undefined;
}

/** Starts a program of Node with a free port as `PORT`, and waits until `/readyz` answers 200. Its log goes to /dev/null. */
export async function startProgram({ args, env = {}, cores }: ProgramOptions): Promise<BenchProcess> {
  const port = await freePort();
  const node = [process.execPath, ...args];
  const [command = '', ...rest] = cores === undefined ? node : ['taskset', '--cpu-list', cores, ...node];
  const child = await startProcess({
    name: 'the program',
    command,
    args: rest,
    env: { ...process.env, ...env, PORT: String(port), GUARDRAIL_PORT: String(port) },
    logFile: '/dev/null',
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, () => answersOk(`${url}/readyz`), READY_MS);
  return { url, pid: child.pid, stop: () => child.stop() };
}

/** Starts the guardrail. @param settings further environment variables */
export function startGuardrail(
  settings: Readonly<Record<string, string>> = {},
  how: { readonly cores?: string; readonly args?: readonly string[] } = {},
): Promise<BenchProcess> {
  const env = { NODE_ENV: 'production', ...SETTINGS, ...settings };
  return startProgram({ args: [...(how.args ?? []), MAIN], env, cores: how.cores });
}

/** Starts a Koa server that answers with JSON. The reference returns the JSON that it reads. */
export async function serveJson(
  answer: (body: string) => object = (body) => (body === '' ? {} : (JSON.parse(body) as object)),
  port = 0,
): Promise<Listening> {
  const koa = new Koa();
  koa.use(async (context) => {
    context.body = answer((await getRawBody(context.req, { limit: '64mb' })).toString('utf8'));
  });
  return listen(createServer(koa.callback() as never), port);
}

/** Posts JSON. @throws Error if the status is not 200 */
export async function post(pool: Pool, path: string, body: string, headers: object = {}): Promise<string> {
  const answer = await pool.request({
    method: 'POST',
    path,
    headers: { 'x-api-key': BENCH_KEY, 'content-type': 'application/json', ...headers },
    body,
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
  return text;
}

/** Runs work in loops, as clients do, while there is more to do. */
export async function inLoops(clients: number, isMore: () => boolean, work: () => Promise<unknown>): Promise<void> {
  const client = async (): Promise<void> => {
    while (isMore()) await work();
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** @returns the elapsed milliseconds of some work */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** @returns the elapsed milliseconds of each run */
export async function timesOf(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count) times.push(await timeOf(work));
  return times;
}

/** @returns the value at a part of the sorted values; NaN without values */
export function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export function print(what: string, figures: string): void {
  process.stdout.write(`${what.padEnd(36)} ${figures}\n`);
}

/** A process and those that it has started. */
export function processTree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(processTree)];
}

/** The processor time of a process, of its threads and of its running children, in milliseconds. */
export function processorTime(root: number): number {
  const threads = processTree(root).flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((id) => `${pid}/task/${id}`));
  return (
    threads.reduce((sum, thread) => sum + Number(readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ')[0]), 0) /
    1e6
  );
}
