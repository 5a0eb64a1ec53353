/**
 * Measures the cost of the inline proxy beside a bare reverse proxy on the same HTTP client, in the same run: latency and
 * rate of small calls, latency of large ones, the first event of a stream, the processor time of a stream in small
 * pieces, and the memory of many slow streams.
 *
 *     node hack/bench/proxy.ts [streams…]
 *
 * A stream takes two file descriptors of a proxy: 10,000 streams need `ulimit -n 20100`.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { Pool, type Dispatcher } from 'undici';
import { startApp } from '../../guardrail/app/app.ts';
import { readSettings } from '../../guardrail/settings/settings.ts';

const CALLS = 400;
const CLIENTS = 8;
const RATE_CALLS = 1600;
const ROUNDS = 3;
const STREAM_CHARACTERS = 20_000;
const PIECE = 4;
/** Streams at the same time, and the pause of the model between two events, in milliseconds. */
const STREAMS = 4;
const EVENT_MS = 1;

/** What a child process uses. */
interface Usage {
  /** Milliseconds. */
  readonly cpu: number;
  /** Bytes. */
  readonly rss: number;
}

interface Target {
  readonly name: string;
  readonly process: ChildProcess;
  readonly origin: string;
}

const [, , role, upstream = ''] = process.argv;
switch (role) {
  case 'model':
    await serve(createServer(answer));
    break;
  case 'bare':
    await serve(bareProxy(upstream));
    break;
  case 'inline':
    await serveInline(upstream);
    break;
  default:
    await measure(process.argv.slice(2).map(Number));
}

/** Reports the port to the parent process, and its usage when it is asked. */
function report(port: number): void {
  process.send?.(port);
  process.on('message', (what) => {
    // A collection takes processor time.
    if (what === 'memory') globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const usage: Usage = { cpu: (user + system) / 1000, rss: process.memoryUsage.rss() };
    process.send?.(usage);
  });
  process.once('disconnect', () => process.exit(0));
}

async function serve(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1', 4096);
  await once(server, 'listening');
  report((server.address() as AddressInfo).port);
}

async function serveInline(url: string): Promise<void> {
  const settings = readSettings({
    GUARDRAIL_PORT: '0',
    GUARDRAIL_METRICS_PORT: 'off',
    GUARDRAIL_HOST: '127.0.0.1',
    GUARDRAIL_INSECURE_NO_AUTH: 'true',
    GUARDRAIL_PROXY_UPSTREAM: url,
    GUARDRAIL_PROXY_PORT: '0',
  });
  const app = await startApp(settings, { logger: pino({ level: 'info' }, pino.destination('/dev/null')) });
  report(app.proxyPort ?? 0);
}

/** A reverse proxy that does nothing but copy. */
function bareProxy(url: string): Server {
  const pool = new Pool(url, { pipelining: 1, allowH2: false });
  return createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const { host: _, connection: __, 'content-length': ___, ...rest } = headers;
      let running: Dispatcher.DispatchController | undefined;
      response.once('close', () => running?.abort(new Error('The client has disconnected.')));
      pool.dispatch(
        { method, path, headers: rest, body: Buffer.concat(parts) },
        {
          onRequestStart: (controller) => (running = controller),
          onResponseStart(_controller, status, received) {
            const { connection: ____, 'keep-alive': _____, 'transfer-encoding': ______, ...sent } = received;
            response.writeHead(status, sent);
            response.flushHeaders();
          },
          onResponseData(controller, part) {
            if (response.write(part)) return;
            controller.pause();
            response.once('drain', () => {
              controller.resume();
            });
          },
          onResponseEnd: () => void response.end(),
          onResponseError: () => void response.destroy(),
        },
      );
    });
  });
}

/** The model: repeats the pseudonyms of a request in an answer of the kind that a header names. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const [found = 'Nobody'] = /<EMAIL_ADDRESS_\w+>/.exec(Buffer.concat(parts).toString()) ?? [];
    const text = `Please write to ${found} about the invoice, and ask for a call. `;
    switch (request.headers['x-kind']) {
      case 'whole': {
        const message = { role: 'assistant', content: text.repeat(12) };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ id: 'chatcmpl-1', choices: [{ index: 0, message, finish_reason: 'stop' }] }));
        break;
      }
      case 'slow':
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event('Hello '));
        break;
      default:
        void stream(response, text.repeat(STREAM_CHARACTERS / text.length).slice(0, STREAM_CHARACTERS));
    }
  });
}

function event(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

async function stream(response: ServerResponse, text: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.socket?.setNoDelay(true);
  for (let at = 0; at < text.length; at += PIECE) {
    response.write(event(text.slice(at, at + PIECE)));
    await delay(EVENT_MS);
  }
  response.end('data: [DONE]\n\n');
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

/** How often a refused stream is tried again. */
const RETRIES = 10;

/**
 * Opens a slow stream. On a busy machine, the wait of a hundred new calls is longer than admission allows, and a proxy
 * refuses some of them: they try again when it says, as clients do.
 */
async function accepted(pool: Pool, body: string): Promise<Dispatcher.ResponseData> {
  for (let retries = 0; ; retries += 1) {
    const answer = await send(pool, 'slow', body);
    if (answer.statusCode === 200) return answer;
    const text = await answer.body.text();
    if (answer.statusCode !== 429 || retries === RETRIES)
      throw new Error(`The status was ${answer.statusCode}: ${text}`);
    await delay(1000 * Number(answer.headers['retry-after'] ?? 1));
  }
}

/** The memory of a slow stream in a proxy, in bytes. */
async function memoryOf(target: Target, count: number, body: string): Promise<number> {
  const pool = new Pool(target.origin, { headersTimeout: 0, bodyTimeout: 0 });
  const before = await usageOf(target, 'memory');
  for (let n = 0; n < count; n += 100) {
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const { body: received } = await accepted(pool, body);
        received.on('error', () => undefined).resume();
      }),
    );
  }
  await delay(1000);
  const after = await usageOf(target, 'memory');
  await pool.destroy();
  await delay(2000);
  return (after.rss - before.rss) / count;
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
  for (const count of streams.length > 0 ? streams : [1000]) {
    for (const target of targets) {
      note(`${count} slow streams, kB of memory each`, target, (await memoryOf(target, count, streamed)) / 1000);
    }
  }
  for (const [figure, of] of figures) {
    const [bare, inline] = ['bare', 'inline'].map((name) => median(of.get(name) ?? []));
    if (bare === undefined || inline === undefined) continue;
    process.stdout.write(
      `${figure}: bare ${bare.toFixed(2)}, inline ${inline.toFixed(2)}; difference ${(inline - bare).toFixed(2)}, ratio ${(inline / bare).toFixed(2)}\n`,
    );
  }
  for (const { process: child } of [...targets, model]) child.disconnect();
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
