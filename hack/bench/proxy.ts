/**
 * Measures the cost of the inline proxy beside a bare reverse proxy on the same HTTP client, in the same run: latency and
 * rate of small calls, latency of large ones, the first event of a stream, the processor time of a stream in small
 * pieces, and the memory of many slow streams, at the beginning, in the middle and at the end of half a minute in which their
 * events keep coming.
 *
 *     node hack/bench/proxy.ts [streams…]
 *
 * A stream takes two file descriptors of a proxy: 10,000 streams need `ulimit -n 20100`. `WARM_UP=0.01` shortens a trial run.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { Pool, type Dispatcher } from 'undici';
import { collectable } from '../attack/memory.ts';
import { freePort } from '../harness/processes.ts';
import {
  inLoops,
  median,
  print,
  processorTime,
  SENTENCE,
  startGuardrail,
  startProgram,
  timeOf,
  timesOf,
} from './harness.ts';
import { PIECE, STREAM_CHARACTERS } from './proxyServers.ts';
import { memoryOverTime } from './slowStreams.ts';

const CALLS = 400;
const CLIENTS = 8;
const RATE_CALLS = 1600;
const ROUNDS = 7;
/** Of a figure that waits for a processor: which process the system lets run first changes from one turn to the next. */
const MANY_ROUNDS = 25;
/** Calls, first events and streams before the measurement: V8 compiles what runs, and a proxy runs for weeks. */
const WARM_UP_SHARE = Number(process.env.WARM_UP ?? 1);
const WARM_UP = { calls: 60_000 * WARM_UP_SHARE, firstEvents: 400 * WARM_UP_SHARE, streams: 2 };
/** Streams at the same time. */
const STREAMS = 4;

interface Target {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly pool: Pool;
}

function bodyOf(bytes: number, isStreamed: boolean): string {
  const text = `Please write to anna.schmidt@example.org about it. ${SENTENCE.repeat(Math.ceil(bytes / SENTENCE.length))}`;
  const messages = [{ role: 'user', content: text.slice(0, bytes - 90) }];
  return JSON.stringify({ model: 'm', stream: isStreamed, messages });
}
const [SMALL, LARGE, STREAMED] = [bodyOf(1000, false), bodyOf(100_000, false), bodyOf(1000, true)];

function send(pool: Pool, kind: string, body: string): Promise<Dispatcher.ResponseData> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench', 'x-kind': kind };
  return pool.request({ method: 'POST', path: '/v1/chat/completions', headers, body });
}

async function call(pool: Pool, kind: string, body: string): Promise<string> {
  const { statusCode, body: received } = await send(pool, kind, body);
  const text = await received.text();
  if (statusCode !== 200) throw new Error(`The status was ${statusCode}: ${text}`);
  return text;
}

const p50Of = async (count: number, work: () => Promise<unknown>): Promise<number> =>
  median(await timesOf(count, work));

async function rateOf(pool: Pool, calls = RATE_CALLS): Promise<number> {
  let left = calls;
  const isMore = (): boolean => (left -= 1) >= 0;
  return (1000 * calls) / (await timeOf(() => inLoops(CLIENTS, isMore, () => call(pool, 'whole', SMALL))));
}

/** The time to the first event of a stream that says no more. */
async function firstEvent(pool: Pool): Promise<void> {
  const { body: received } = await send(pool, 'slow', STREAMED);
  await once(received, 'readable');
  received.read();
  received.on('error', () => undefined).destroy();
}

/** The processor time of a proxy for some work, in milliseconds. */
async function cpuOf({ pid }: Target, work: () => Promise<unknown>): Promise<number> {
  const before = processorTime(pid);
  await work();
  return processorTime(pid) - before;
}

async function streamAtOnce(pool: Pool): Promise<void> {
  const texts = await Promise.all(Array.from({ length: STREAMS }, () => call(pool, 'stream', STREAMED)));
  if (!texts.every((text) => text.endsWith('data: [DONE]\n\n'))) throw new Error('A stream was cut off.');
}

/** What is measured of a target: a name, the rounds, and the work. */
const FIGURES: readonly (readonly [string, number, (target: Target) => Promise<number>])[] = [
  ['1 kB chat, p50 in ms', ROUNDS, ({ pool }) => p50Of(CALLS, () => call(pool, 'whole', SMALL))],
  [`1 kB chat, calls per second of ${CLIENTS} clients`, MANY_ROUNDS, ({ pool }) => rateOf(pool)],
  [
    '1 kB chat, CPU of a call in ms',
    MANY_ROUNDS,
    async (target) => (await cpuOf(target, () => rateOf(target.pool))) / RATE_CALLS,
  ],
  ['100 kB chat, p50 in ms', ROUNDS, ({ pool }) => p50Of(20, () => call(pool, 'whole', LARGE))],
  ['first event of a stream, p50 in ms', ROUNDS, ({ pool }) => p50Of(100, () => firstEvent(pool))],
  [
    `stream of ${STREAM_CHARACTERS} characters in pieces of ${PIECE}, CPU in ms`,
    ROUNDS,
    async (target) => (await cpuOf(target, () => streamAtOnce(target.pool))) / STREAMS,
  ],
];

const program = (...args: string[]): ReturnType<typeof startProgram> =>
  startProgram({ args: [...collectable(), join(import.meta.dirname, 'proxyServers.ts'), ...args] });
const model = await program('model');
const proxyPort = await freePort();
const inline = await startGuardrail(
  {
    GUARDRAIL_API_KEYS: '',
    GUARDRAIL_INSECURE_NO_AUTH: 'true',
    GUARDRAIL_PROXY_UPSTREAM: model.url,
    GUARDRAIL_PROXY_PORT: String(proxyPort),
  },
  { args: collectable() },
);
const bare = await program('bare', model.url);
const targetOf = (name: string, url: string, pid: number): Target => ({
  ...{ name, url, pid },
  pool: new Pool(url, { connections: CLIENTS }),
});
const targets = [
  targetOf('bare', bare.url, bare.pid),
  targetOf('inline', `http://127.0.0.1:${proxyPort}`, inline.pid),
] as const;
for (const { pool } of targets) {
  await rateOf(pool, WARM_UP.calls);
  for (let n = 0; n < WARM_UP.firstEvents; n += 1) await firstEvent(pool);
  for (let n = 0; n < WARM_UP.streams; n += 1) await streamAtOnce(pool);
}
for (const [name, count, work] of FIGURES) {
  // The two in turns: the speed of a machine changes within seconds.
  const rounds: (readonly [number, number])[] = [];
  while (rounds.length < count) rounds.push([await work(targets[0]), await work(targets[1])]);
  const of = (value: (round: readonly [number, number]) => number): string => median(rounds.map(value)).toFixed(2);
  print(
    name,
    `bare ${of(([one]) => one)}, inline ${of(([, one]) => one)}; ` +
      `difference ${of(([one, other]) => other - one)}, ratio ${of(([one, other]) => other / one)}`,
  );
}
for (const { pool } of targets) await pool.destroy();
const counts = process.argv.slice(2).map(Number);
for (const count of counts.length > 0 ? counts : [1000]) {
  for (const { name, url, pid } of targets) {
    const pool = new Pool(url, { headersTimeout: 0, bodyTimeout: 0 });
    print(`${count} slow streams, ${name}`, await memoryOverTime(pid, pool, count, () => send(pool, 'held', STREAMED)));
  }
}
for (const one of [inline, bare, model]) await one.stop();
