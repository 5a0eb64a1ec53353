/**
 * Measures how long small calls wait beside one large call: their latency alone and beside it, and the longest time for which
 * the event loop was blocked. The values of a large body are 16 kB apart, as in a document.
 *
 *     node hack/bench/large.ts [megabytes] [name of a body]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { BENCH_KEY, startBenchService } from './benchService.ts';

const MEGABYTES = Number(process.argv[2] ?? 10);
const ROUNDS = 3;
/** The time between two small calls, in milliseconds. */
const PAUSE = 5;
const BASIC = '/beta/litellm_basic_guardrail_api';

interface LargeCall {
  readonly path: string;
  readonly body: object;
}

const FILLER = 'The quarterly figures are attached, and the team thinks that they look fine. '.repeat(208);
/** Paragraphs of about 16 kB, up to a number of characters, with one value in each. */
function paragraphs(length: number): string[] {
  return Array.from(
    { length: Math.ceil(length / 16_060) },
    (_, at) => `Write to anna.schmidt${at}@example.org. ${FILLER}\n`,
  );
}

/** The large calls, by name. */
function largeCalls(length: number, pseudonym: string): Record<string, () => LargeCall> {
  const who = { litellm_call_id: 'large', request_data: { user_api_key_hash: 'hash' } };
  const request = (texts: readonly string[]): LargeCall => ({
    path: BASIC,
    body: { ...who, input_type: 'request', texts },
  });
  const parts = paragraphs(length);
  const text = parts.join('');
  const answer = text.replace(/anna\.schmidt\d+@example\.org/g, pseudonym);
  return {
    'one text': () => request([text]),
    'many texts': () => request(parts),
    'JSON in a text': () => request([JSON.stringify(parts.map((note, id) => ({ id, note })))]),
    'JSON, escaped twice': () => request([JSON.stringify({ rows: JSON.stringify(parts) })]),
    'an answer': () => ({ path: BASIC, body: { ...who, input_type: 'response', texts: [answer] } }),
    'an answer with HTML': () => ({
      path: BASIC,
      body: { ...who, input_type: 'response', texts: [`<p class="a">${answer}</p>`] },
    }),
    '/anonymize': () => ({ path: '/anonymize', body: { text, analyzer_results: resultsIn(text) } }),
    '/analyze': () => ({ path: '/analyze', body: { text, language: 'en' } }),
  };
}

function resultsIn(text: string): object[] {
  return Array.from(text.matchAll(/anna\.schmidt\d+@example\.org/g), ({ index: start, 0: value }) => ({
    start,
    end: start + value.length,
    entity_type: 'EMAIL_ADDRESS',
    score: 1,
  }));
}

async function measure(): Promise<void> {
  const service = fork(import.meta.filename);
  const [port] = (await once(service, 'message')) as [number];
  const pools = [new Pool(`http://127.0.0.1:${port}`), new Pool(`http://127.0.0.1:${port}`)] as const;
  const [large, small] = pools;

  const post = async (pool: Pool, { path, body }: { path: string; body: string }): Promise<string> => {
    const headers = { 'x-api-key': BENCH_KEY, 'content-type': 'application/json' };
    const answer = await pool.request({ method: 'POST', path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`The response status was ${answer.statusCode}: ${text}`);
    return text;
  };
  const longestDelay = async (): Promise<number> => {
    const answered = once(service, 'message') as Promise<[number]>;
    service.send('delay');
    return (await answered)[0];
  };
  const asked = (texts: readonly string[]): string =>
    JSON.stringify({
      litellm_call_id: 'small',
      request_data: { user_api_key_hash: 'hash' },
      input_type: 'request',
      texts,
    });
  const smallBody = asked(['Please write to bert.meier@example.org about the invoice of last month. '.repeat(13)]);
  const smallCall = async (): Promise<number> => {
    const start = performance.now();
    await post(small, { path: BASIC, body: smallBody });
    return performance.now() - start;
  };

  const first = JSON.parse(await post(small, { path: BASIC, body: asked(['anna.schmidt1@example.org']) })) as {
    texts: string[];
  };
  const [pseudonym = ''] = first.texts;
  for (let call = 0; call < 300; call += 1) await smallCall();
  const alone: number[] = [];
  for (let call = 0; call < 300; call += 1) {
    alone.push(await smallCall());
    await sleep(PAUSE);
  }
  const row = (name: string, times: readonly number[], rest = ''): void => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1).padStart(7);
    process.stdout.write(`${name.padEnd(22)} p50 ${at(0.5)}  p99 ${at(0.99)}  longest ${at(1)} ms ${rest}\n`);
  };
  row('small calls alone', alone);
  for (const [name, callOf] of Object.entries(largeCalls(MEGABYTES * 1_000_000, pseudonym))) {
    if (process.argv[3] !== undefined && process.argv[3] !== name) continue;
    const { path, body } = callOf();
    const sent = { path, body: JSON.stringify(body) };
    const beside: number[] = [];
    let [seconds, blocked] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      await longestDelay();
      const state = { isRunning: true };
      const start = performance.now();
      const call = post(large, sent).finally(() => (state.isRunning = false));
      while (state.isRunning) {
        beside.push(await smallCall());
        await sleep(PAUSE);
      }
      await call;
      seconds = (performance.now() - start) / 1000;
      blocked = Math.max(blocked, await longestDelay());
    }
    row(name, beside, ` blocked ${blocked.toFixed(0)} ms, large call ${seconds.toFixed(1)} s`);
  }
  await Promise.all(pools.map((pool) => pool.close()));
  service.disconnect();
  await once(service, 'exit');
}

if (process.send !== undefined) {
  const app = await startBenchService({ GUARDRAIL_MAX_BODY: '64MiB', GUARDRAIL_PRESIDIO_API: 'true' });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.send(app.port);
  process.on('message', () => {
    process.send?.(delay.max / 1e6);
    delay.reset();
  });
  await new Promise((resolve) => process.once('disconnect', resolve));
  await app.drain();
} else {
  await measure();
}
