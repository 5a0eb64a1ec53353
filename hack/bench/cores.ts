/**
 * Measures what one pod of the guardrail bears on each number of cores of this machine, with Redis and a worker for each core:
 * guarded calls, their processor time as a ratio to a Koa server that returns the same bodies, and what the pod and Redis use
 * meanwhile. Then, on one core, how long a call takes at a share of these calls: what autoscaling should leave free.
 *
 * A guarded call is a call with a new text of 1 kB before the model, and one with its answer after the model. Clients and Redis
 * have the other cores, or share those of the pod.
 *
 *     node hack/bench/cores.ts [seconds of a measurement]
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import getRawBody from 'raw-body';
import { Pool } from 'undici';
import { residentBytes } from '../attack/memory.ts';
import { freePort } from '../harness/processes.ts';
import { startRedis } from '../harness/redis.ts';
import { type BenchProcess, processorTime, processTree, startGuardrailProcess, startOnCores } from './benchProcess.ts';
import { BENCH_KEY } from './benchService.ts';

const MEASURED_S = Number(process.argv[2] ?? 4);
const WARM_UP_S = 3;
const CLIENTS_A_CORE = 8;
const SHARES = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9];
const PATH = '/beta/litellm_basic_guardrail_api';
const CORES = availableParallelism();

/** One call of a client. */
type Call = () => Promise<void>;

const SENTENCE = 'The quarterly figures are attached and look fine. ';
let fresh = 0;

async function post(pool: Pool, body: object): Promise<{ readonly texts?: readonly string[] }> {
  const answer = await pool.request({
    method: 'POST',
    path: PATH,
    headers: { 'x-api-key': BENCH_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, litellm_call_id: 'call' }),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`The response status was ${answer.statusCode}: ${text}`);
  return JSON.parse(text) as { texts?: readonly string[] };
}

/** A guarded call of one of a hundred end users. */
function guardedCall(pool: Pool): Call {
  return async () => {
    fresh += 1;
    const request_data = { user_api_key_hash: 'hash', user_api_key_end_user_id: `user ${fresh % 100}` };
    const texts = [`Please write to anna.schmidt@example.org about invoice ${fresh}. `.padEnd(430, SENTENCE)];
    const structured_messages = [{ role: 'user', content: texts[0] }];
    const sent = await post(pool, { input_type: 'request', texts, structured_messages, request_data });
    await post(pool, { input_type: 'response', texts: sent.texts ?? texts, request_data });
  };
}

/** Calls in loops. @returns the calls a second */
async function rateOf(call: Call, clients: number, seconds: number): Promise<number> {
  const start = performance.now();
  const end = start + seconds * 1000;
  let calls = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      await call();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (1000 * calls) / (performance.now() - start);
}

/** Calls at random times, as independent users do. @returns the sorted times of the calls, in milliseconds */
async function timesAt(rate: number, call: Call, seconds: number): Promise<number[]> {
  const start = performance.now();
  const end = start + seconds * 1000;
  const taken: number[] = [];
  const running: Promise<void>[] = [];
  for (let due = start; due < end; due += (-Math.log(1 - Math.random()) * 1000) / rate) {
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    const timed = async (at: number): Promise<void> => {
      await call();
      taken.push(performance.now() - at);
    };
    running.push(timed(due));
  }
  await Promise.all(running);
  return taken.toSorted((a, b) => a - b);
}

async function startEcho(cores: string): Promise<BenchProcess> {
  const port = await freePort();
  return await startOnCores('the echo', [import.meta.filename], port, cores, { BENCH_ECHO_PORT: String(port) });
}

async function serveEcho(port: number): Promise<void> {
  const koa = new Koa();
  koa.use(async (context) => {
    const body = (await getRawBody(context.req)).toString('utf8');
    context.body = body === '' ? {} : (JSON.parse(body) as object);
  });
  const server = createServer(koa.callback() as never).listen(port, '127.0.0.1');
  await once(server, 'listening');
}

const list = (first: number, last: number): string => `${first}-${last}`;
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const times = (ratio: number): string => `${ratio.toFixed(2)} x`;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Measured {
  /** Guarded calls a second. */
  readonly rate: number;
  /** Processor time of the server for a guarded call, in milliseconds. */
  readonly ownMs: number;
  /** The share of its cores that the server used, and that of a core that Redis used. */
  readonly used: number;
  readonly usedByRedis: number;
}

/** Calls a server until it is warm, and measures it. */
async function measure(pid: number, cores: number, redisPid: number, call: Call): Promise<Measured> {
  const clients = CLIENTS_A_CORE * cores;
  await rateOf(call, clients, WARM_UP_S);
  const [start, own, redis] = [performance.now(), processorTime(pid), processorTime(redisPid)];
  const rate = await rateOf(call, clients, MEASURED_S);
  const wall = performance.now() - start;
  const spent = processorTime(pid) - own;
  return {
    rate,
    ownMs: (1000 * spent) / (rate * wall),
    used: spent / (wall * cores),
    usedByRedis: (processorTime(redisPid) - redis) / wall,
  };
}

async function measurePod(cores: number, redis: { readonly url: string; readonly pid: number }): Promise<Measured> {
  const settings = { GUARDRAIL_STORE: redis.url, GUARDRAIL_WORKERS: String(cores), ...KEYS };
  const pod = await startGuardrailProcess(settings, list(0, cores - 1));
  const pool = new Pool(pod.url, { connections: CLIENTS_A_CORE * cores });
  const call = guardedCall(pool);
  const measured = await measure(pod.pid, cores, redis.pid, call);
  const bytes = processTree(pod.pid).reduce((sum, pid) => sum + residentBytes(pid), 0);
  say(
    `${cores} ${cores === 1 ? 'core' : 'cores'}: ${measured.rate.toFixed(0)} guarded calls a second, ` +
      `${(1000 / measured.ownMs).toFixed(0)} in a second of the processor; used: ${percent(measured.used)} of these cores, ` +
      `${percent(measured.usedByRedis)} of a core by Redis, ${(bytes / 2 ** 20).toFixed(0)} MiB`,
  );
  if (cores === 1) await measureShares(measured.rate, call);
  await pool.close();
  await pod.stop();
  return measured;
}

async function measureShares(rate: number, call: Call): Promise<void> {
  let least: number | undefined;
  for (const share of SHARES) {
    const taken = await timesAt(share * rate, call, MEASURED_S);
    const at = (part: number): number => taken[Math.ceil(part * taken.length) - 1] ?? Number.NaN;
    least ??= at(0.5);
    say(
      `  at ${percent(share)} of this rate: p50 ${times(at(0.5) / least)}, p99 ${times(at(0.99) / least)} the p50 at ${percent(SHARES[0] ?? 0)} (${at(0.5).toFixed(1)} and ${at(0.99).toFixed(1)} ms)`,
    );
  }
}

async function measureEcho(redisPid: number): Promise<Measured> {
  const echo = await startEcho('0');
  const pool = new Pool(echo.url, { connections: CLIENTS_A_CORE });
  const measured = await measure(echo.pid, 1, redisPid, guardedCall(pool));
  await pool.close();
  await echo.stop();
  return measured;
}

const KEYS = { GUARDRAIL_SESSION_KEY: 's'.repeat(32), GUARDRAIL_ENCRYPTION_KEYS: 'a'.repeat(64) };

if (process.env.BENCH_ECHO_PORT !== undefined) await serveEcho(Number(process.env.BENCH_ECHO_PORT));
else {
  const redis = await startRedis();
  const useCores = (pid: number, cores: string): void => {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)]);
  };
  say(`${CORES} cores; more were not available.`);
  let one: Measured | undefined;
  for (let cores = 1; cores <= CORES; cores += 1) {
    const others = cores < CORES ? list(cores, CORES - 1) : list(0, CORES - 1);
    for (const pid of [process.pid, redis.pid]) useCores(pid, others);
    const measured = await measurePod(cores, redis);
    if (one === undefined) {
      one = measured;
      const echo = await measureEcho(redis.pid);
      say(`  ${times(measured.ownMs / echo.ownMs)} the processor time of the Koa echo`);
    } else {
      const shared = cores < CORES ? '' : '; clients and Redis had the same cores';
      say(
        `  ${times(measured.rate / one.rate)} the rate of one core, ${times(measured.ownMs / one.ownMs)} the processor time${shared}`,
      );
    }
  }
  await redis.stop();
}
