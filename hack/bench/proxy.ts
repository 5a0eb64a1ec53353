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
const ROUNDS = 3;
/** Streams at the same time. */
const STREAMS = 4;

interface Target {
  readonly name: string;
  readonly process: ChildProcess;
  readonly origin: string;
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
  return times.sort((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
}

async function rateOf(pool: Pool, body: string): Promise<number> {
  let left = RATE_CALLS;
  const begin = performance.now();
  const client = async (): Promise<void> => {
    while ((left -= 1) >= 0) await call(pool, 'whole', body);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (1000 * RATE_CALLS) / (performance.now() - begin);
}

/** The time to the first event of a stream that says no more. */
async function firstEvent(pool: Pool, body: string): Promise<void> {
  const { body: received } = await send(pool, 'slow', body);
  await once(received, 'readable');
  received.read();
  received.on('error', () => undefined).destroy();
}

/** The processor time of a proxy for a stream, in milliseconds. */
async function streamCpu(target: Target, pool: Pool, body: string): Promise<number> {
  const before = await usageOf(target, 'time');
  const texts = await Promise.all(Array.from({ length: STREAMS }, () => call(pool, 'stream', body)));
  if (!texts.every((text) => text.endsWith('data: [DONE]\n\n'))) throw new Error('A stream was cut off.');
  return ((await usageOf(target, 'time')).cpu - before.cpu) / STREAMS;
}

async function measure(streams: readonly number[]): Promise<void> {
  const model = await start('model');
  const targets: Target[] = [
    { name: 'bare', ...(await start('bare', model.origin)) },
    { name: 'inline', ...(await start('inline', model.origin)) },
  ];
  const [small, large, streamed] = [bodyOf(1000, false), bodyOf(100_000, false), bodyOf(1000, true)];
  const figures = new Map<string, Map<string, number[]>>();
  const note = (figure: string, { name }: Target, value: number): void => {
    const of = figures.get(figure) ?? new Map<string, number[]>();
    of.set(name, [...(of.get(name) ?? []), value]);
    figures.set(figure, of);
  };
  // The targets alternate, and the median of the rounds counts. The first round is a warm-up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const target of targets) {
      const pool = new Pool(target.origin, { connections: CLIENTS });
      const p50 = await p50Of(CALLS, () => call(pool, 'whole', small));
      const before = await usageOf(target, 'time');
      const rate = await rateOf(pool, small);
      const callCpu = ((await usageOf(target, 'time')).cpu - before.cpu) / RATE_CALLS;
      const p50Large = await p50Of(20, () => call(pool, 'whole', large));
      const first = await p50Of(100, () => firstEvent(pool, streamed));
      const cpu = await streamCpu(target, pool, streamed);
      await pool.destroy();
      if (round === 0) continue;
      note('1 kB chat, p50 in ms', target, p50);
      note(`1 kB chat, calls per second of ${CLIENTS} clients`, target, rate);
      note('1 kB chat, CPU of a call in ms', target, callCpu);
      note('100 kB chat, p50 in ms', target, p50Large);
      note('first event of a stream, p50 in ms', target, first);
      note(`stream of ${STREAM_CHARACTERS} characters in pieces of ${PIECE}, CPU in ms`, target, cpu);
    }
  }
  const held = new Map<string, Held>();
  for (const count of streams.length > 0 ? streams : [1000]) {
    for (const target of targets) {
      const result = await memoryOverTime({
        pool: new Pool(target.origin, { headersTimeout: 0, bodyTimeout: 0 }),
        count,
        open: (pool) => send(pool, 'held', streamed),
        usage: () => usageOf(target, 'memory'),
      });
      note(`${count} slow streams, kB of memory each`, target, (result.moments[0]?.rss ?? 0) / 1000);
      held.set(`${count} slow streams, ${target.name}`, result);
    }
  }
  for (const [figure, of] of figures) {
    const [bare, inline] = ['bare', 'inline'].map((name) => median(of.get(name) ?? []));
    if (bare === undefined || inline === undefined) continue;
    process.stdout.write(
      `${figure}: bare ${bare.toFixed(2)}, inline ${inline.toFixed(2)}; difference ${(inline - bare).toFixed(2)}, ratio ${(inline / bare).toFixed(2)}\n`,
    );
  }
  for (const [name, result] of held) process.stdout.write(`${name}: ${described(result)}\n`);
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
