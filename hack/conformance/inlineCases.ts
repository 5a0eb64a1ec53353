import { setTimeout as sleep } from 'node:timers/promises';
import { FIELD_CASES } from '../../guardrail/bodies/testing/fieldTable.ts';
import type { JsonObject } from '../harness/gateway/gateway.ts';
import { CHAT, chat, user } from './chatCases.ts';
import { pseudonymIn } from './exposure/outcome.ts';
import type { InlineBench, InlineCase } from './inline.ts';
import { INLINE_SDK_CASES } from './inlineSdkCases.ts';
import { demand, exact, neverSaw } from './judge.ts';
import { letter, newPerson, valuesOf } from './syntheticPerson.ts';

/** What LiteLLM needs besides the fields: a model that it knows, and members without which it refuses the call. */
const NEEDED: Readonly<Record<string, JsonObject>> = {
  '/v1/rerank': { model: 'rerank' },
  '/v1/messages': { model: 'anthropic/echo-c7', max_tokens: 100 },
  '/v1/batches': { custom_llm_provider: 'openai', completion_window: '24h' },
};
const GEMINI = '/v1beta/models/gemini:generateContent';
/** Routes of the table that LiteLLM does not serve, or answers without a model. */
const WITHOUT_MODEL = ['/v1/messages/batches', ':embedContent', ':batchEmbedContents', ':countTokens'];
/** The address of an image in the table. The guardrail refuses addresses. */
const REMOTE_IMAGE = 'https://example.com/a';
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

function sentFor(path: string, body: object): JsonObject {
  const text = JSON.stringify(body).replaceAll(`"${REMOTE_IMAGE}"`, `"${PIXEL}"`);
  return { ...(JSON.parse(text) as JsonObject), model: 'gpt-4o', ...NEEDED[path] };
}

/** Every field of the table that the tests of bodies use. */
const fields: readonly InlineCase[] = FIELD_CASES.flatMap(({ path, body, kept }, at): InlineCase[] => {
  if (kept !== undefined || WITHOUT_MODEL.some((end) => path.endsWith(end))) return [];
  const run = async ({ client, model }: InlineBench): Promise<void> => {
    const values: string[] = [];
    const planted = body(() => {
      const { email } = newPerson();
      values.push(email);
      return email;
    });
    const served = path === GEMINI ? path.replace('gemini', 'gemini-echo') : path;
    const { text } = await client.raw(served, { body: sentFor(path, planted) });
    demand(model.saw().length > 0, `The model was never called, and the client got ${text.slice(0, 300)}`);
    neverSaw(model.saw(), values);
    demand(pseudonymIn(text) === undefined, `The client got a pseudonym: ${text.slice(0, 300)}`);
  };
  return [{ name: `all fields of ${path} (${at + 1})`, run }];
});

const LOGGED_MS = 30_000;

/** Waits until LiteLLM has written the records of some calls. @returns them, as JSON texts */
async function spendLogs({ admin }: InlineBench, key: string, count: number): Promise<string[]> {
  const deadline = Date.now() + LOGGED_MS;
  for (;;) {
    const { text } = await admin.raw(`/spend/logs?api_key=${key}`, { method: 'GET' });
    const rows = JSON.parse(text) as readonly { readonly call_type: string }[];
    if (rows.length >= count) return rows.map((row) => JSON.stringify(row));
    const types = rows.map((row) => row.call_type).join(', ');
    demand(Date.now() < deadline, `LiteLLM recorded only ${rows.length} of ${count} calls: ${types}.`);
    await sleep(50);
  }
}

const records: InlineCase = {
  name: 'the records of LiteLLM hold pseudonyms only',
  run: async (bench) => {
    const { client, model, newKey } = bench;
    const key = await newKey(false);
    const person = newPerson();
    const text = letter(person);
    const messages = [user(text)];
    const calls: readonly [path: string, body: JsonObject][] = [
      [CHAT, chat(text, { metadata: { about: person.email } })],
      [CHAT, chat(text, { model: 'tool-c7' })],
      ['/v1/completions', { model: 'echo-c7', prompt: text }],
      ['/v1/responses', { model: 'gpt-4o', input: text }],
      ['/v1/messages', { model: 'anthropic/echo-c7', max_tokens: 100, messages }],
    ];
    for (const [path, body] of calls) {
      exact((await client.raw(path, { body }, { key })).status, 200);
      exact((await client.stream(path, body, { key })).status, 200);
    }
    const rows = await spendLogs(bench, key, 2 * calls.length);
    neverSaw(model.saw(), valuesOf(person));
    for (const row of rows) {
      const value = valuesOf(person).find((one) => row.toLowerCase().includes(one.toLowerCase()));
      demand(value === undefined, `LiteLLM recorded a real value: ${row.slice(0, 600)}`);
    }
    const recorded = rows.filter((row) => pseudonymIn(row) !== undefined);
    demand(recorded.length === rows.length, `Only ${recorded.length} records contain the texts of the call.`);
  },
};

const errors: InlineCase = {
  name: 'an error of the model is restored',
  run: async ({ client, model }) => {
    const { email } = newPerson();
    for (const stream of [false, true]) {
      const { status, text } = await client.raw(CHAT, { body: chat(`Mail ${email}`, { model: 'err-400', stream }) });
      exact(status, 400);
      demand(pseudonymIn(text) === undefined, `The client got a pseudonym: ${text.slice(0, 300)}`);
      demand(text.includes(email), `The error does not repeat the value: ${text.slice(0, 300)}`);
    }
    neverSaw(model.saw(), [email]);
  },
};

/** All cases of the guardrail as a proxy in front of LiteLLM. */
export const INLINE_CASES: readonly InlineCase[] = [...INLINE_SDK_CASES, ...fields, records, errors];

/** A body that has a custom tool call. */
const WITH_CUSTOM_TOOL_CALL = 'all fields of /v1/chat/completions (1)';

const customToolCall: InlineCase = {
  name: 'a custom tool call in the history',
  limit: 'LiteLLM cannot show a custom tool call to a guardrail: it refuses the call.',
  run: async ({ client, model }) => {
    const { email } = newPerson();
    const calls = [{ id: 'call_1', type: 'custom', custom: { name: 'mail', input: email } }];
    const messages = [
      user('Mail'),
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'call_1', content: 'Sent' },
    ];
    const { status } = await client.raw(CHAT, { body: { model: 'gpt-4o', messages } });
    exact(status, 500);
    exact(model.saw().length, 0);
  },
};

/** The cases of a LiteLLM that calls the guardrail too. The result of each call is the same. */
export const CALLBACK_AND_INLINE_CASES: readonly InlineCase[] = [
  ...INLINE_CASES.filter(({ name }) => name !== WITH_CUSTOM_TOOL_CALL),
  customToolCall,
];
