/**
 * Measures the cost of the inline proxy beside a bare reverse proxy on the same HTTP client, in the same run: latency and
 * rate of small calls, latency of large ones, the first event of a stream, the processor time of a stream in small
 * pieces, and the memory of many slow streams, at the beginning, in the middle and at the end of half a minute in which their
 * events keep coming.
 *
 *     node hack/bench/proxy.ts [streams…]
 *
 * A stream takes two file descriptors of a proxy: 10,000 streams need `ulimit -n 20100`.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Pool, type Dispatcher } from 'undici';
import { PIECE, serveBare, serveInline, serveModel, STREAM_CHARACTERS, type Usage } from './proxyServers.ts';
import { growthOf, memoryOverTime, type Held, type Moment } from './slowStreams.ts';

const CALLS = 400;
const CLIENTS = 8;
const RATE_CALLS = 1600;
const ROUNDS = 7;
/** Of a figure that waits for a processor: which process the system lets run first changes from one turn to the next. */
const MANY_ROUNDS = 25;
/** Calls, first events and streams before the measurement: V8 compiles what runs, and a proxy runs for weeks. */
const WARM_UP = { calls: 60_000, firstEvents: 400, streams: 2 };
/** Streams at the same time. */
const STREAMS = 4;

interface Target {
  readonly name: string;
  readonly process: ChildProcess;
  readonly origin: string;
}

function bodyOf(bytes: number, isStreamed: boolean): string {
  const sentence = 'The quarterly figures are attached and look fine. ';
  const content = `Please write to anna.schmidt@example.org about it. ${sentence.repeat(Math.ceil(bytes / sentence.length))}`;
  return JSON.stringify({
    model: 'm',
    stream: isStreamed,
    messages: [{ role: 'user', content: content.slice(0, bytes - 90) }],
  });
}

async function start(...args: string[]): Promise<{ process: ChildProcess; origin: string }> {
  const child = fork(import.meta.filename, args, { execArgv: ['--expose-gc'] });
  const [port] = (await once(child, 'message')) as [number];
  return { process: child, origin: `http://127.0.0.1:${port}` };
}

async function usageOf({ process: child }: Target, what: 'time' | 'memory'): Promise<Usage> {
  child.send(what);
  const [usage] = (await once(child, 'message')) as [Usage];
  return usage;
}

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

async function p50Of(count: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  }
  return median(times);
}

async function rateOf(pool: Pool, body: string, calls = RATE_CALLS): Promise<number> {
  let left = calls;
  const begin = performance.now();
  const client = async (): Promise<void> => {
    while ((left -= 1) >= 0) await call(pool, 'whole', body);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (1000 * calls) / (performance.now() - begin);
}

/** The time to the first event of a stream that says no more. */
async function firstEvent(pool: Pool, body: string): Promise<void> {
  const { body: received } = await send(pool, 'slow', body);
  await once(received, 'readable');
  received.read();
  received.on('error', () => undefined).destroy();
}

/** The processor time of a proxy for some work, in milliseconds. */
async function cpuOf(target: Target, work: () => Promise<unknown>): Promise<number> {
  const before = await usageOf(target, 'time');
  await work();
  return (await usageOf(target, 'time')).cpu - before.cpu;
}

async function streamAtOnce(pool: Pool): Promise<void> {
  const texts = await Promise.all(Array.from({ length: STREAMS }, () => call(pool, 'stream', STREAMED)));
  if (!texts.every((text) => text.endsWith('data: [DONE]\n\n'))) throw new Error('A stream was cut off.');
}

/** What is measured of a target. */
interface Figure {
  readonly name: string;
  /** Default: {@link ROUNDS}. */
  readonly rounds?: number;
  of(target: Measured): Promise<number>;
}

/** A target, and the connections of its clients. */
interface Measured extends Target {
  readonly pool: Pool;
}

const [SMALL, LARGE, STREAMED] = [bodyOf(1000, false), bodyOf(100_000, false), bodyOf(1000, true)];

const FIGURES: readonly Figure[] = [
  { name: '1 kB chat, p50 in ms', of: ({ pool }) => p50Of(CALLS, () => call(pool, 'whole', SMALL)) },
  {
    name: `1 kB chat, calls per second of ${CLIENTS} clients`,
    rounds: MANY_ROUNDS,
    of: ({ pool }) => rateOf(pool, SMALL),
  },
  {
    name: '1 kB chat, CPU of a call in ms',
    rounds: MANY_ROUNDS,
    of: async (target) => (await cpuOf(target, () => rateOf(target.pool, SMALL))) / RATE_CALLS,
  },
  { name: '100 kB chat, p50 in ms', of: ({ pool }) => p50Of(20, () => call(pool, 'whole', LARGE)) },
  { name: 'first event of a stream, p50 in ms', of: ({ pool }) => p50Of(100, () => firstEvent(pool, STREAMED)) },
  {
    name: `stream of ${STREAM_CHARACTERS} characters in pieces of ${PIECE}, CPU in ms`,
    of: async (target) => (await cpuOf(target, () => streamAtOnce(target.pool))) / STREAMS,
  },
];

/** The bare proxy and the inline one in turn for each figure: the speed of a machine changes within seconds. */
async function compare(figure: Figure, bare: Measured, inline: Measured): Promise<string> {
  const rounds: { readonly bare: number; readonly inline: number }[] = [];
  for (let round = 0; round < (figure.rounds ?? ROUNDS); round += 1) {
    rounds.push({ bare: await figure.of(bare), inline: await figure.of(inline) });
  }
  const of = (value: (round: (typeof rounds)[number]) => number): string => median(rounds.map(value)).toFixed(2);
  return (
    `${figure.name}: bare ${of((each) => each.bare)}, inline ${of((each) => each.inline)}; ` +
    `difference ${of((each) => each.inline - each.bare)}, ratio ${of((each) => each.inline / each.bare)}\n`
  );
}

async function warmUp({ pool }: Measured): Promise<void> {
  await rateOf(pool, SMALL, WARM_UP.calls);
  for (let n = 0; n < WARM_UP.firstEvents; n += 1) await firstEvent(pool, STREAMED);
  for (let n = 0; n < WARM_UP.streams; n += 1) await streamAtOnce(pool);
}

async function measure(streams: readonly number[]): Promise<void> {
  const model = await start('model');
  const measured = async (name: string): Promise<Measured> => {
    const target = { name, ...(await start(name, model.origin)) };
    return { ...target, pool: new Pool(target.origin, { connections: CLIENTS }) };
  };
  const targets = [await measured('bare'), await measured('inline')] as const;
  for (const target of targets) await warmUp(target);
  for (const figure of FIGURES) process.stdout.write(await compare(figure, ...targets));
  for (const { pool } of targets) await pool.destroy();
  for (const count of streams.length > 0 ? streams : [1000]) {
    for (const target of targets) {
      const result = await memoryOverTime({
        pool: new Pool(target.origin, { headersTimeout: 0, bodyTimeout: 0 }),
        count,
        open: (pool) => send(pool, 'held', STREAMED),
        usage: () => usageOf(target, 'memory'),
      });
      process.stdout.write(`${count} slow streams, ${target.name}: ${described(result)}\n`);
    }
  }
  for (const { process: child } of [...targets, model]) child.disconnect();
}

/** The memory of the streams over time, in kB for each. */
function described({ moments, parts }: Held): string {
  const listed = (of: (moment: Moment) => number): string =>
    moments.map((one) => (of(one) / 1000).toFixed(2)).join(', ');
  const growth = growthOf(moments);
  return (
    `kB each at the beginning, in the middle and at the end: resident ${listed(({ rss }) => rss)}, ` +
    `live ${listed(({ live }) => live)}; growth ${(growth.rss / 1000).toFixed(2)} and ${(growth.live / 1000).toFixed(2)}; ` +
    `${parts.toFixed(1)} events each meanwhile`
  );
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const [, , role, upstream = ''] = process.argv;
switch (role) {
  case 'model':
    await serveModel();
    break;
  case 'bare':
    await serveBare(upstream);
    break;
  case 'inline':
    await serveInline(upstream);
    break;
  default:
    await measure(process.argv.slice(2).map(Number));
}
