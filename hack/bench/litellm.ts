/**
 * Measures what the guardrail adds to a chat of 100 kB through the real LiteLLM, as a ratio to the same LiteLLM without a
 * guardrail, in turns, with one client. The chat grows: each call has a new message, after the 19 before it, of which the last
 * is the answer to the call before. A third way has a guardrail that does nothing: what LiteLLM takes to call one.
 *
 *     LITELLM_LAB=<folder> node hack/bench/litellm.ts [calls [calls before]]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { parseDocument } from 'yaml';
import { startLiteLlm } from '../harness/litellm/litellm.ts';
import { BENCH_KEY, median, post, print, processorTime, serveJson, startGuardrail } from './harness.ts';

/** V8 compiles what runs, and a guardrail runs for weeks. */
const [CALLS = 60, WARM_UP = 700] = process.argv.slice(2).map(Number);
const MESSAGES = 20;
const MESSAGE_LENGTH = 5000;
const MASTER_KEY = 'sk-bench';
const GUARDED = 'the guardrail';
const SAMPLE = join(import.meta.dirname, '../samples/litellm/config.yaml');

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A way of a call through LiteLLM: the name of its guardrail in the configuration, if it has one. */
interface Way {
  readonly name: string;
  readonly guardrail?: string;
  readonly chat: Message[];
  readonly times: number[];
  /** Processor time of LiteLLM and of the guardrail. */
  readonly spent: [litellm: number, guardrail: number];
}

/** Whether the last call of the model contained a value. */
let hasSeenValue = false;

/** The model: repeats the last message. */
function completion(body: string): object {
  hasSeenValue = body.includes('@example.');
  const { messages } = JSON.parse(body) as { messages: readonly Message[] };
  return {
    id: `chatcmpl-${performance.now()}`,
    object: 'chat.completion',
    created: 1,
    model: 'echo',
    choices: [
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: messages.at(-1)?.content ?? '' } },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
  };
}

/** The sample configuration, with the guardrails of the ways, which a call names. */
function configuration(modelUrl: string, guardrails: Readonly<Record<string, string>>): string {
  const document = parseDocument(readFileSync(SAMPLE, 'utf8'));
  const sample = document.toJS() as { guardrails: readonly [{ litellm_params: object }] };
  document.setIn(['model_list', 0, 'litellm_params', 'api_base'], `${modelUrl}/v1`);
  document.setIn(['model_list', 0, 'litellm_params', 'api_key'], 'sk-none');
  document.setIn(
    ['guardrails'],
    Object.entries(guardrails).map(([guardrail_name, api_base]) => ({
      guardrail_name,
      litellm_params: { ...sample.guardrails[0].litellm_params, default_on: false, api_base, api_key: BENCH_KEY },
    })),
  );
  document.setIn(['general_settings'], { master_key: MASTER_KEY });
  return document.toString();
}

const FILLER = 'The quarterly figures are attached, and the team thinks that they look fine. ';
let fresh = 0;
const newMessage = (): Message => {
  fresh += 1;
  return {
    role: 'user',
    content:
      `Please write to anna.schmidt@example.org about invoice ${fresh}, and to ben.meier${fresh}@example.com. `.padEnd(
        MESSAGE_LENGTH,
        FILLER,
      ),
  };
};

const [model, idle] = await Promise.all([serveJson(completion), serveJson(() => ({ action: 'NONE' }))]);
const guardrail = await startGuardrail({ GUARDRAIL_STORE: 'memory' });
const litellm = await startLiteLlm(
  configuration(model.url, { idle: idle.url, guardrail: guardrail.url }),
  {},
  { database: false },
);
const pool = new Pool(litellm.url, { connections: 1 });

async function ask(way: Way, message: Message): Promise<number> {
  way.chat.push(message);
  const body = JSON.stringify({
    model: 'echo',
    user: `user of ${way.name}`,
    messages: way.chat.slice(-MESSAGES),
    ...(way.guardrail !== undefined && { guardrails: [way.guardrail] }),
  });
  const start = performance.now();
  const answered = await post(pool, '/v1/chat/completions', body, {
    authorization: `Bearer ${MASTER_KEY}`,
    'x-api-key': MASTER_KEY,
  });
  const time = performance.now() - start;
  const { choices } = JSON.parse(answered) as { choices: readonly [{ message: Message }] };
  const { content } = choices[0].message;
  if (content !== message.content) throw new Error('The answer is not the message.');
  if (hasSeenValue !== (way.name !== GUARDED))
    throw new Error(`The model saw other values than it should: ${way.name}.`);
  way.chat.push({ role: 'assistant', content });
  return time;
}

const way = (name: string, named?: string): Way => ({
  name,
  ...(named !== undefined && { guardrail: named }),
  chat: Array.from({ length: MESSAGES / 2 }, newMessage).flatMap((message) => [
    message,
    { role: 'assistant', content: `Yes. ${message.content}` },
  ]),
  times: [],
  spent: [0, 0],
});
const none = way('no guardrail');
const ways = [none, way('a guardrail that does nothing', 'idle'), way(GUARDED, 'guardrail')];
for (let call = -WARM_UP; call < CALLS; call += 1) {
  for (const one of ways) {
    const before = [processorTime(litellm.pid), processorTime(guardrail.pid)] as const;
    const time = await ask(one, newMessage());
    if (call < 0) continue;
    one.times.push(time);
    one.spent[0] += processorTime(litellm.pid) - before[0];
    one.spent[1] += processorTime(guardrail.pid) - before[1];
  }
}

print('a chat', `${MESSAGES} messages of ${MESSAGE_LENGTH} characters, ${CALLS} calls each`);
for (const { name, times, spent } of ways) {
  const [own, others] = spent.map((sum) => (sum / CALLS).toFixed(1).padStart(6));
  print(
    name,
    `p50 ${(median(times) / median(none.times)).toFixed(2)} x  (${median(times).toFixed(1)} ms; processor time of LiteLLM ${own} ms, of the guardrail ${others} ms)`,
  );
}
await Promise.all([pool.close(), litellm.stop(), guardrail.stop()]);
for (const { stop } of [model, idle]) await stop();
