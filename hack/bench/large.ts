/**
 * Measures how long small calls wait beside one large call: their latency alone and beside it, and the longest time for which
 * the event loop was blocked, in processor time. The values of a large body are 16 kB apart, as in a document.
 *
 *     node hack/bench/large.ts [megabytes] [name of a body]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { collectable, collected } from '../attack/memory.ts';
import { BASIC, post, print, quantile, startGuardrail, timeOf } from './harness.ts';

const [, , MEGABYTES = '10', ONLY] = process.argv;
const ROUNDS = 3;
/** The time between two small calls, in milliseconds. */
const PAUSE = 5;
const FILLER = 'The quarterly figures are attached, and the team thinks that they look fine. '.repeat(208);
const VALUE = /anna\.schmidt\d+@example\.org/g;

const asked = (texts: readonly string[]): object => ({
  litellm_call_id: 'call',
  request_data: { user_api_key_hash: 'hash' },
  input_type: 'request',
  texts,
});

/** The large calls, by name: a path and a body. The text has paragraphs of about 16 kB, with one value in each. */
function largeCalls(length: number, pseudonym: string): Readonly<Record<string, () => readonly [string, object]>> {
  const paragraph = (at: number): string => `Write to anna.schmidt${at}@example.org. ${FILLER}\n`;
  const parts = Array.from({ length: Math.ceil(length / 16_060) }, (_, at) => paragraph(at));
  const text = parts.join('');
  const answer = text.replace(VALUE, pseudonym);
  const response = (said: string) => [BASIC, { ...asked([said]), input_type: 'response' }] as const;
  const found = (): object[] =>
    Array.from(text.matchAll(VALUE), ({ index: start, 0: value }) => ({
      start,
      end: start + value.length,
      entity_type: 'EMAIL_ADDRESS',
      score: 1,
    }));
  return {
    'one text': () => [BASIC, asked([text])],
    'many texts': () => [BASIC, asked(parts)],
    'JSON in a text': () => [BASIC, asked([JSON.stringify(parts.map((note, id) => ({ id, note })))])],
    'JSON, escaped twice': () => [BASIC, asked([JSON.stringify({ rows: JSON.stringify(parts) })])],
    'an answer': () => response(answer),
    'an answer with HTML': () => response(`<p class="a">${answer}</p>`),
    '/anonymize': () => ['/anonymize', { text, analyzer_results: found() }],
    '/analyze': () => ['/analyze', { text, language: 'en' }],
  };
}

const settings = { GUARDRAIL_MAX_BODY: '64MiB', GUARDRAIL_PRESIDIO_API: 'true' };
const service = await startGuardrail(settings, { args: collectable() });
const [large, small] = [new Pool(service.url), new Pool(service.url)];
const sentence = 'Please write to bert.meier@example.org about the invoice of last month. ';
const smallBody = JSON.stringify(asked([sentence.repeat(13)]));
const smallCall = (): Promise<string> => post(small, BASIC, smallBody);

/** Times small calls, with pauses, while there is more to do. */
async function smallCalls(isMore: (calls: number) => boolean): Promise<number[]> {
  const times: number[] = [];
  while (isMore(times.length)) {
    times.push(await timeOf(smallCall));
    await sleep(PAUSE);
  }
  return times;
}

const row = (name: string, times: readonly number[], rest = ''): void => {
  const [p50 = '', p99 = '', longest = ''] = [0.5, 0.99, 1].map((part) => quantile(times, part).toFixed(1).padStart(7));
  print(name, `p50 ${p50}  p99 ${p99}  longest ${longest} ms${rest}`);
};

const first = await post(small, BASIC, JSON.stringify(asked(['anna.schmidt1@example.org'])));
const { texts } = JSON.parse(first) as { texts: string[] };
for (let call = 0; call < 300; call += 1) await smallCall();
row('small calls alone', await smallCalls((calls) => calls < 300));
for (const [name, callOf] of Object.entries(largeCalls(Number(MEGABYTES) * 1_000_000, texts[0] ?? ''))) {
  if (ONLY !== undefined && ONLY !== name) continue;
  const [path, body] = callOf();
  const sent = JSON.stringify(body);
  const beside: number[] = [];
  let [seconds, blocked] = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    await collected(service.pid);
    const state = { isRunning: true };
    const call = timeOf(() => post(large, path, sent)).finally(() => (state.isRunning = false));
    beside.push(...(await smallCalls(() => state.isRunning)));
    seconds = (await call) / 1000;
    blocked = Math.max(blocked, (await collected(service.pid)).blockedMs);
  }
  row(name, beside, `; blocked for ${blocked.toFixed(0)} ms, large call ${seconds.toFixed(1)} s`);
}
await Promise.all([large.close(), small.close()]);
await service.stop();
