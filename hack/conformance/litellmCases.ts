import { pngOf } from '../../guardrail/images/testing/files.ts';
import type { JsonObject } from '../harness/gateway/gateway.ts';
import { CHAT, chat, CHAT_CASES, illustrated, messagesOf, TOOL, user } from './chatCases.ts';
import { chatTexts, toolArguments } from './client.ts';
import type { Interceptor } from './interceptor.ts';
import { exact, neverSaw, prefixes, pseudonymized, emailPseudonyms } from './judge.ts';
import type { LiteLlmCase, RealLiteLlmBench } from './litellm.ts';
import { FAIL_OPEN_CASES, FAULT_CASES } from './litellmFaultCases.ts';
import { IMAGE_CASES } from './litellmImageCases.ts';
import { LEAK_CASES } from './litellmLeakCases.ts';
import { END_USER_CASES, TENANT_CASES } from './litellmTenantCases.ts';
import type { Case } from './suite.ts';
import { letter, type Person, newPerson, valuesOf } from './syntheticPerson.ts';

/** A PNG of one pixel, without any text. */
const PIXEL = `data:image/png;base64,${pngOf(1, 1).toString('base64')}`;

const whole: readonly LiteLlmCase[] = [
  {
    name: 'chat, an image with text',
    run: async ({ client, model }) => {
      const person = newPerson();
      const image = { type: 'image_url', image_url: { url: PIXEL } };
      const content = [{ type: 'text', text: `Who is ${person.email}?` }, image, { type: 'text', text: 'Thanks.' }];
      const answer = await client.post(CHAT, { model: 'echo-c7', messages: [user(content)] });
      neverSaw(model.saw(), [person.email]);
      exact(chatTexts(answer), [`You said: Who is ${person.email}? Thanks.`]);
      exact((messagesOf(model.saw()[0])[0]?.content as JsonObject[])[1], image);
    },
  },
  {
    name: 'chat, text beside a tool call in the answer',
    run: async ({ client, model }) => {
      const person = newPerson();
      const answer = await client.post(CHAT, chat(person.email, { model: 'mix-c7', tools: [TOOL] }));
      neverSaw(model.saw(), [person.email]);
      exact(chatTexts(answer), [`You said: ${person.email}`]);
    },
  },
  {
    name: 'chat, JSON in the answer',
    run: async ({ client, model }) => {
      const person = newPerson();
      const answer = await client.post(CHAT, chat(`"${person.email}"`, { model: 'json-c7' }));
      neverSaw(model.saw(), [person.email]);
      exact(JSON.parse(chatTexts(answer)[0] ?? ''), { echo: `"${person.email}"` });
    },
  },
];

/** Streamed echoes: a name, the model, the text about a person, and what the model adds to its echo. */
const ECHOES: readonly (readonly [name: string, model: string, textOf: (person: Person) => string, added?: string])[] =
  [
    ...[1, 3, 7, 20].map((size) => [`stream, ${size} characters a chunk`, `echo-c${size}`, letter] as const),
    ...[1, 3].map(
      (size) => [`stream, emoji before a value, ${size} characters a chunk`, `echo-c${size}`, decorated] as const,
    ),
    ['stream, a long answer', 'echo-c5', (person) => Array.from({ length: 12 }, () => letter(person)).join(' ')],
    ['stream, end that looks like the beginning of a pseudonym', 'tail-c3', letter, ' <EM'],
  ];

function decorated({ email, phone }: Person): string {
  return `🙂👩‍👩‍👧 𝒜 ${email} 🙂🙂 ${phone} 🙂 ${email}`;
}

const streamed: readonly LiteLlmCase[] = [
  ...ECHOES.map(([name, model, textOf, added = '']): LiteLlmCase => ({
    name,
    run: async (bench) => {
      const person = newPerson();
      const { status, moments } = await bench.client.stream(CHAT, chat(textOf(person), { model }));
      exact(status, 200);
      neverSaw(bench.model.saw(), valuesOf(person));
      prefixes(moments[0] ?? [], `You said: ${textOf(person)}${added}`);
    },
  })),
  {
    name: 'stream, address of an image',
    run: async ({ client, model }) => {
      const { email } = newPerson();
      const { moments } = await client.stream(CHAT, chat(illustrated(email, email), { model: 'echo-c3' }));
      neverSaw(model.saw(), [email]);
      const [tag = ''] = emailPseudonyms(model.saw().join());
      prefixes(moments[0] ?? [], `You said: ${illustrated(email, tag)}`);
    },
  },
  {
    name: 'stream, n = 2',
    run: async ({ client, model }) => {
      const person = newPerson();
      const { moments } = await client.stream(CHAT, chat(letter(person), { model: 'echo-c3', n: 2 }));
      neverSaw(model.saw(), valuesOf(person));
      for (const index of [0, 1]) prefixes(moments[index] ?? [], `[${index}] You said: ${letter(person)}`);
    },
  },
];

const streamedToolCalls: readonly LiteLlmCase[] = [
  {
    name: 'stream, text before a tool call',
    limit: 'LiteLLM passes the pieces of a streamed tool call through: the client gets pseudonyms in the arguments.',
    run: async ({ client, model }) => {
      const person = newPerson();
      const { events, moments } = await client.stream(CHAT, chat(person.email, { model: 'mix-c3', tools: [TOOL] }));
      neverSaw(model.saw(), [person.email]);
      prefixes(moments[0] ?? [], `You said: ${person.email}`);
      const pieces = events.flatMap((event) => {
        const [choice] = (event.choices ?? []) as { delta?: JsonObject }[];
        return toolArguments(choice?.delta);
      });
      pseudonymized(pieces.join(''), `{"to": "${person.email}"}`, [person.email]);
    },
  },
];

/** @returns the last guardrail call after the model, without the fields that differ between any two calls. */
function lastCheck(guardrail: Interceptor): JsonObject {
  const last = guardrail.exchanges().findLast(({ phase }) => phase === 'response');
  const { litellm_call_id: _, litellm_trace_id: __, request_headers, ...body } = last?.body ?? {};
  const { 'content-length': ___, ...headers } = request_headers as JsonObject;
  return { ...body, request_headers: headers };
}

const streamModes: readonly LiteLlmCase[] = [
  {
    // If a new LiteLLM distinguishes them, the service can apply the streaming_transform_mode of a call.
    name: 'the guardrail cannot distinguish a streamed answer from a plain one',
    run: async ({ client, guardrail }) => {
      const body = chat(letter(newPerson()));
      await client.post(CHAT, body);
      const plain = lastCheck(guardrail);
      await client.stream(CHAT, body);
      exact(lastCheck(guardrail), plain);
    },
  },
  {
    name: 'streaming_transform_mode block_only in a call: plain and streamed answers are still restored',
    run: async ({ client, model, guardrail }) => {
      const params = { streaming_transform_mode: 'block_only' };
      guardrail.mutate({
        name: 'block_only',
        request: (body) => ({ ...body, additional_provider_specific_params: params }),
      });
      const person = newPerson();
      const body = chat(letter(person), { model: 'echo-c3' });
      exact(chatTexts(await client.post(CHAT, body)), [`You said: ${letter(person)}`]);
      const { status, moments } = await client.stream(CHAT, body);
      exact(status, 200);
      prefixes(moments[0] ?? [], `You said: ${letter(person)}`);
      neverSaw(model.saw(), valuesOf(person));
    },
  },
];

/** Streams of texts. */
export const STREAM_CASES = [...streamed];

/** All cases, under one key, for gateways that call the guardrail for chats as LiteLLM does. */
export const LITELLM_CHAT_CASES: readonly LiteLlmCase[] = [
  ...CHAT_CASES,
  ...whole,
  ...STREAM_CASES,
  ...streamedToolCalls,
  ...FAULT_CASES,
  ...END_USER_CASES,
];

/** All cases for LiteLLM. */
export const LITELLM_CASES: readonly Case<RealLiteLlmBench>[] = [
  ...LITELLM_CHAT_CASES,
  ...IMAGE_CASES,
  ...FAIL_OPEN_CASES,
  ...streamModes,
  ...TENANT_CASES,
  ...LEAK_CASES,
];
