/**
 * Measures the cost of the service as ratios to a Koa server that reads the same body and returns it, in the same run:
 * latency and calls per second, with a body of 1 kB as LiteLLM sends it, before and after the model call, and with a chat of
 * 20 messages of 1 kB. A text is new in each call, or known from an earlier one. In a chat, the last message is new.
 *
 *     node hack/bench/service.ts
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import getRawBody from 'raw-body';
import { Pool } from 'undici';
import { startRedis } from '../harness/redis.ts';
import { BENCH_KEY, startBenchService } from './benchService.ts';

const CALLS = 1500;
const CLIENTS = 8;
const ROUNDS = 5;
/** Before the measurement, in milliseconds for each target: V8 compiles what runs, and a service runs for weeks. */
const WARM_UP_MS = 10_000;

interface Target {
  readonly name: string;
  readonly pool: Pool;
  readonly path: string;
  /** The body of the next call. */
  readonly body: () => string;
}

interface Measured {
  readonly p50: number;
  readonly rate: number;
}

async function startEcho(): Promise<{ server: Server; url: string }> {
  const koa = new Koa();
  koa.use(async (context) => {
    context.body = JSON.parse((await getRawBody(context.req)).toString('utf8')) as object;
  });
  const server = createServer(koa.callback() as never);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const startService = (store: string): ReturnType<typeof startBenchService> =>
  startBenchService({
    GUARDRAIL_SESSION_KEY: 's'.repeat(32),
    GUARDRAIL_ENCRYPTION_KEYS: 'a'.repeat(64),
    GUARDRAIL_STORE: store,
  });

const SENTENCE = 'The quarterly figures are attached and look fine. ';
const textOf = (invoice: number, length = 430): string =>
  `Please write to anna.schmidt@example.org about invoice ${invoice} of last month, and ask her to call back. `.padEnd(
    length,
    SENTENCE,
  );
const who = { user_api_key_hash: 'hash', user_api_key_team_id: 'team', user_api_key_end_user_id: 'user' };

function requestBody(texts: readonly string[]): string {
  const structured_messages = texts.map((content) => ({ role: 'user', content }));
  return JSON.stringify({
    input_type: 'request',
    litellm_call_id: 'call',
    texts,
    structured_messages,
    request_data: who,
  });
}

const known = requestBody([textOf(0)]);
/** Texts that no earlier call of any target had. */
let fresh = 0;
const knownText = (): string => known;
const newText = (): string => requestBody([textOf((fresh += 1))]);
const history = Array.from({ length: 19 }, (_, n) => textOf(-n, 1000));
const chat = (): string => requestBody([...history, textOf((fresh += 1), 1000)]);

async function call({ pool, path, body }: Omit<Target, 'name'>): Promise<string> {
  const { statusCode, body: answer } = await pool.request({
    method: 'POST',
    path,
    headers: { 'x-api-key': BENCH_KEY, 'content-type': 'application/json' },
    body: body(),
  });
  const text = await answer.text();
  if (statusCode !== 200) throw new Error(`The response status was ${statusCode}.`);
  return text;
}

async function measure(target: Target): Promise<Measured> {
  const times: number[] = [];
  for (let n = 0; n < CALLS / 5; n += 1) {
    const start = performance.now();
    await call(target);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  let left = CALLS;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call(target);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return { p50: times[Math.floor(times.length / 2)] ?? 0, rate: (1000 * CALLS) / (performance.now() - start) };
}

async function warmUp(target: Target): Promise<void> {
  const until = performance.now() + WARM_UP_MS;
  const client = async (): Promise<void> => {
    while (performance.now() < until) await call(target);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

const echo = await startEcho();
const redis = await startRedis();
const [memory, shared] = [await startService('memory'), await startService(redis.url)];
const pool = (url: string): Pool => new Pool(url, { connections: CLIENTS });
const pools = {
  echo: pool(echo.url),
  memory: pool(`http://127.0.0.1:${memory.port}`),
  redis: pool(`http://127.0.0.1:${shared.port}`),
};
const path = '/beta/litellm_basic_guardrail_api';
for (let ready = false; !ready;)
  ready = (await pools.redis.request({ method: 'GET', path: '/readyz' })).statusCode === 200;

const sent = JSON.parse(await call({ pool: pools.memory, path, body: knownText })) as { texts: string[] };
await call({ pool: pools.redis, path, body: knownText });
const answered = JSON.stringify({
  input_type: 'response',
  litellm_call_id: 'call',
  texts: [`${sent.texts[0] ?? ''}${textOf(0)}`],
  request_data: who,
});
const answer = (): string => answered;

const references: Target[] = [
  { name: 'Koa echo (the reference)', pool: pools.echo, path: '/', body: knownText },
  { name: 'Koa echo of a chat', pool: pools.echo, path: '/', body: chat },
];
const targets: Target[] = [
  ...references,
  { name: 'request, new text', pool: pools.memory, path, body: newText },
  { name: 'request, known text', pool: pools.memory, path, body: knownText },
  { name: 'response', pool: pools.memory, path, body: answer },
  { name: 'chat', pool: pools.memory, path, body: chat },
  { name: 'request, new text, Redis', pool: pools.redis, path, body: newText },
  { name: 'request, known text, Redis', pool: pools.redis, path, body: knownText },
  { name: 'response, Redis', pool: pools.redis, path, body: answer },
];
const best = new Map<string, Measured>();
for (const target of targets) await warmUp(target);
// The servers alternate, and the best round of each counts, so that other work affects all of them.
for (let round = 0; round < ROUNDS; round += 1) {
  for (const target of targets) {
    const { p50, rate } = await measure(target);
    const before = best.get(target.name);
    best.set(target.name, { p50: Math.min(p50, before?.p50 ?? p50), rate: Math.max(rate, before?.rate ?? 0) });
  }
}
const [small, large] = references.map(({ name }) => best.get(name));
process.stdout.write(
  `bodies of ${known.length}, ${answered.length} and ${chat().length} bytes; ${CLIENTS} clients for the rate\n`,
);
for (const [name, { p50, rate }] of best) {
  const reference = name.includes('chat') ? large : small;
  const ratios = reference
    ? `p50 ${(p50 / reference.p50).toFixed(2)} x, rate ${(rate / reference.rate).toFixed(2)} x`
    : '';
  process.stdout.write(`${name.padEnd(28)} ${ratios.padEnd(28)} (${p50.toFixed(2)} ms, ${rate.toFixed(0)}/s)\n`);
}

await Promise.all(Object.values(pools).map((one) => one.close()));
await Promise.all([memory.drain(), shared.drain()]);
echo.server.close();
await redis.stop();
