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
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { residentBytes } from '../attack/memory.ts';
import { startRedis } from '../harness/redis.ts';
import {
  BASIC,
  type BenchProcess,
  inLoops,
  post,
  print,
  processorTime,
  processTree,
  quantile,
  SENTENCE,
  serveJson,
  startGuardrail,
  startProgram,
  timeOf,
} from './harness.ts';

const MEASURED_S = Number(process.argv[2] ?? 4);
const WARM_UP_S = 3;
const CLIENTS_A_CORE = 8;
const SHARES = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9];
const CORES = availableParallelism();

type Call = () => Promise<void>;
let fresh = 0;

/** A guarded call of one of a hundred end users. */
function guardedCall(pool: Pool): Call {
  const ask = async (body: object): Promise<{ readonly texts?: readonly string[] }> =>
    JSON.parse(await post(pool, BASIC, JSON.stringify({ ...body, litellm_call_id: 'call' }))) as { texts?: string[] };
  return async () => {
    fresh += 1;
    const request_data = { user_api_key_hash: 'hash', user_api_key_end_user_id: `user ${fresh % 100}` };
    const texts = [`Please write to anna.schmidt@example.org about invoice ${fresh}. `.padEnd(430, SENTENCE)];
    const structured_messages = [{ role: 'user', content: texts[0] }];
    const sent = await ask({ input_type: 'request', texts, structured_messages, request_data });
    await ask({ input_type: 'response', texts: sent.texts ?? texts, request_data });
  };
}

/** Calls in loops. @returns the calls a second */
async function rateOf(call: Call, clients: number, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let calls = 0;
  const counted = async (): Promise<void> => {
    await call();
    calls += 1;
  };
  const took = await timeOf(() => inLoops(clients, () => performance.now() < end, counted));
  return (1000 * calls) / took;
}

/** Calls at random times, as independent users do. @returns the times of the calls, in milliseconds */
async function timesAt(rate: number, call: Call, seconds: number): Promise<number[]> {
  const start = performance.now();
  const running: Promise<number>[] = [];
  for (let due = start; due < start + seconds * 1000; due += (-Math.log(1 - Math.random()) * 1000) / rate) {
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    running.push(call().then(() => performance.now() - due));
  }
  return Promise.all(running);
}

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
  const usedByRedis = (processorTime(redisPid) - redis) / wall;
  return { rate, ownMs: (1000 * spent) / (rate * wall), used: spent / (wall * cores), usedByRedis };
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const times = (ratio: number): string => `${ratio.toFixed(2)} x`;

async function withServer<T>(server: BenchProcess, connections: number, work: (call: Call) => Promise<T>): Promise<T> {
  const pool = new Pool(server.url, { connections });
  const result = await work(guardedCall(pool));
  await pool.close();
  await server.stop();
  return result;
}

async function measurePod(cores: number, redis: { readonly url: string; readonly pid: number }): Promise<Measured> {
  const settings = { GUARDRAIL_STORE: redis.url, GUARDRAIL_WORKERS: String(cores) };
  const pod = await startGuardrail(settings, { cores: `0-${cores - 1}` });
  return withServer(pod, CLIENTS_A_CORE * cores, async (call) => {
    const measured = await measure(pod.pid, cores, redis.pid, call);
    const bytes = processTree(pod.pid).reduce((sum, pid) => sum + residentBytes(pid), 0);
    print(
      `cores: ${cores}`,
      `${measured.rate.toFixed(0)} guarded calls a second, ${(1000 / measured.ownMs).toFixed(0)} in a second of the ` +
        `processor; used: ${percent(measured.used)} of these cores, ${percent(measured.usedByRedis)} of a core by Redis, ` +
        `${(bytes / 2 ** 20).toFixed(0)} MiB`,
    );
    if (cores === 1) await measureShares(measured.rate, call);
    return measured;
  });
}

async function measureShares(rate: number, call: Call): Promise<void> {
  let least: number | undefined;
  for (const share of SHARES) {
    const taken = await timesAt(share * rate, call, MEASURED_S);
    const [p50, p99] = [quantile(taken, 0.5), quantile(taken, 0.99)];
    least ??= p50;
    print(
      `  at ${percent(share)} of this rate`,
      `p50 ${times(p50 / least)}, p99 ${times(p99 / least)} the first p50 (${p50.toFixed(1)} and ${p99.toFixed(1)} ms)`,
    );
  }
}

async function measureAll(): Promise<void> {
  const redis = await startRedis();
  let one: Measured | undefined;
  for (let cores = 1; cores <= CORES; cores += 1) {
    const others = cores < CORES ? `${cores}-${CORES - 1}` : `0-${CORES - 1}`;
    for (const pid of [process.pid, redis.pid])
      execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', others, String(pid)]);
    const measured = await measurePod(cores, redis);
    if (one === undefined) {
      one = measured;
      const echo = await startProgram({ args: [import.meta.filename, 'echo'], cores: '0' });
      const { ownMs } = await withServer(echo, CLIENTS_A_CORE, (call) => measure(echo.pid, 1, redis.pid, call));
      print('  processor time', `${times(measured.ownMs / ownMs)} that of the Koa echo`);
    } else {
      const shared = cores < CORES ? '' : '; clients and Redis had the same cores';
      print(
        '  to one core',
        `${times(measured.rate / one.rate)} the rate, ${times(measured.ownMs / one.ownMs)} the processor time${shared}`,
      );
    }
  }
  await redis.stop();
}

await (process.argv[2] === 'echo' ? serveJson(undefined, Number(process.env.PORT)) : measureAll());
