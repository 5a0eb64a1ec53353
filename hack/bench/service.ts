/**
 * Measures the cost of the service as ratios to a Koa server that reads the same body and returns it, in the same run and the
 * same process: latency and calls per second, with a body of 1 kB as LiteLLM sends it, before and after the model call, and with
 * a chat of 20 messages of 1 kB. A text is new in each call, or known from an earlier one. In a chat, the last message is new.
 *
 *     node hack/bench/service.ts [rounds [seconds of warm-up]]
 */
import { openSync } from 'node:fs';
import { pino } from 'pino';
import { Pool } from 'undici';
import { startApp, type App } from '../../guardrail/app/app.ts';
import { openLogDestination } from '../../guardrail/logDestination.ts';
import { readSettings } from '../../guardrail/settings/settings.ts';
import { startRedis } from '../harness/redis.ts';
import { BASIC, inLoops, median, post, print, SENTENCE, serveJson, SETTINGS, timeOf, timesOf } from './harness.ts';

/** V8 compiles what runs, and a service runs for weeks. */
const [ROUNDS = 5, WARM_UP_S = 10] = process.argv.slice(2).map(Number);
const CALLS = 1500;
const CLIENTS = 8;

interface Target {
  readonly name: string;
  readonly pool: Pool;
  readonly path: string;
  /** The body of the next call. */
  readonly body: () => string;
}

/** Writing its log is part of what is measured. */
function startService(store: string): Promise<App> {
  const settings = readSettings({ ...SETTINGS, GUARDRAIL_PORT: '0', GUARDRAIL_STORE: store });
  return startApp(settings, { logger: pino({ level: 'info' }, openLogDestination(openSync('/dev/null', 'w'))) });
}

const textOf = (invoice: number, length = 430): string =>
  `Please write to anna.schmidt@example.org about invoice ${invoice} of last month, and ask her to call back. `.padEnd(
    length,
    SENTENCE,
  );
const request_data = { user_api_key_hash: 'hash', user_api_key_team_id: 'team', user_api_key_end_user_id: 'user' };

function requestBody(texts: readonly string[]): string {
  const structured_messages = texts.map((content) => ({ role: 'user', content }));
  return JSON.stringify({ input_type: 'request', litellm_call_id: 'call', texts, structured_messages, request_data });
}

const known = requestBody([textOf(0)]);
/** Texts that no earlier call of any target had. */
let fresh = 0;
const history = Array.from({ length: 19 }, (_, n) => textOf(-n, 1000));
const knownText = (): string => known;
const newText = (): string => requestBody([textOf((fresh += 1))]);
const chat = (): string => requestBody([...history, textOf((fresh += 1), 1000)]);

const call = ({ pool, path, body }: Target): Promise<string> => post(pool, path, body());

/** @returns the median latency of one client, and the calls a second of several */
async function measure(target: Target): Promise<{ readonly p50: number; readonly rate: number }> {
  const p50 = median(await timesOf(CALLS / 5, () => call(target)));
  let left = CALLS;
  const took = await timeOf(() =>
    inLoops(
      CLIENTS,
      () => (left -= 1) >= 0,
      () => call(target),
    ),
  );
  return { p50, rate: (1000 * CALLS) / took };
}

const [echo, redis] = [await serveJson(), await startRedis()];
const services = [await startService('memory'), await startService(redis.url)] as const;
const [toEcho, toMemory, toRedis] = [echo.url, ...services.map(({ port }) => `http://127.0.0.1:${port}`)].map(
  (url) => new Pool(url, { connections: CLIENTS }),
) as [Pool, Pool, Pool];
for (let ready = false; !ready;) ready = (await toRedis.request({ method: 'GET', path: '/readyz' })).statusCode === 200;

const sent = JSON.parse(await post(toMemory, BASIC, known)) as { texts: string[] };
await post(toRedis, BASIC, known);
const texts = [`${sent.texts[0] ?? ''}${textOf(0)}`];
const answered = JSON.stringify({ input_type: 'response', litellm_call_id: 'call', texts, request_data });
const answer = (): string => answered;

const references: Target[] = [
  { name: 'Koa echo (the reference)', pool: toEcho, path: '/', body: knownText },
  { name: 'Koa echo of a chat', pool: toEcho, path: '/', body: chat },
];
const targets: Target[] = [
  ...references,
  { name: 'request, new text', pool: toMemory, path: BASIC, body: newText },
  { name: 'request, known text', pool: toMemory, path: BASIC, body: knownText },
  { name: 'response', pool: toMemory, path: BASIC, body: answer },
  { name: 'chat', pool: toMemory, path: BASIC, body: chat },
  { name: 'request, new text, Redis', pool: toRedis, path: BASIC, body: newText },
  { name: 'request, known text, Redis', pool: toRedis, path: BASIC, body: knownText },
  { name: 'response, Redis', pool: toRedis, path: BASIC, body: answer },
];
for (const target of targets) {
  const until = performance.now() + 1000 * WARM_UP_S;
  await inLoops(
    CLIENTS,
    () => performance.now() < until,
    () => call(target),
  );
}
const best = new Map<string, { readonly p50: number; readonly rate: number }>();
// The servers alternate, and the best round of each counts, so that other work affects all of them.
for (let round = 0; round < ROUNDS; round += 1) {
  for (const target of targets) {
    const { p50, rate } = await measure(target);
    const before = best.get(target.name);
    best.set(target.name, { p50: Math.min(p50, before?.p50 ?? p50), rate: Math.max(rate, before?.rate ?? 0) });
  }
}
const [small, large] = references.map(({ name }) => best.get(name));
print('bodies', `${known.length}, ${answered.length} and ${chat().length} bytes; ${CLIENTS} clients for the rate`);
for (const [name, { p50, rate }] of best) {
  const reference = name.includes('chat') ? large : small;
  const ratios = reference
    ? `p50 ${(p50 / reference.p50).toFixed(2)} x, rate ${(rate / reference.rate).toFixed(2)} x`
    : '';
  print(name, `${ratios} (${p50.toFixed(2)} ms, ${rate.toFixed(0)}/s)`);
}
await Promise.all([toEcho, toMemory, toRedis].map((one) => one.close()));
await Promise.all(services.map((one) => one.drain()));
await echo.stop();
await redis.stop();
