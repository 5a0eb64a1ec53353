/** Cases for LiteLLM's client llm_shield_proxy, which the operator calls Full. */
import type { JsonObject } from '../harness/gateway/gateway.ts';
import { CHAT, chat, CHAT_CASES, TOOL, user } from './chatCases.ts';
import { chatTexts, toolArguments } from './client.ts';
import { demand, emailPseudonyms, exact, neverSaw, prefixes } from './judge.ts';
import { STREAM_CASES } from './litellmCases.ts';
import type { RealLiteLlmBench } from './litellmBench.ts';
import { blockedByPolicy, refusedAfter, refusedBefore } from './refusalCases.ts';
import type { Case } from './suite.ts';
import { letter, newPerson, valuesOf } from './syntheticPerson.ts';

type FullCase = Case<RealLiteLlmBench>;

/** The status of LiteLLM when the guardrail blocks, and when its call fails. */
const REFUSED = 400;

const ANTHROPIC_TOOL: JsonObject = { name: 'send_mail', description: 'd', input_schema: { type: 'object' } };
const RESPONSES_TOOL: JsonObject = { type: 'function', name: 'send_mail', parameters: { type: 'object' } };

/** A route that answers with the last text of the user, as a whole and as a stream. */
function route(path: string, body: (text: string) => JsonObject, textOf: (body: JsonObject) => unknown): FullCase[] {
  return [
    {
      name: `${path}, whole`,
      run: async ({ client, model }) => {
        const person = newPerson();
        const answer = await client.post(path, { model: 'echo-c7', ...body(letter(person)) });
        neverSaw(model.saw(), valuesOf(person));
        exact(textOf(answer.body), `You said: ${letter(person)}`);
      },
    },
    ...[1, 7].map((size): FullCase => ({
      name: `${path}, stream, ${size} characters a chunk`,
      run: async ({ client, model }) => {
        const person = newPerson();
        const { status, moments } = await client.stream(path, { model: `echo-c${size}`, ...body(letter(person)) });
        exact(status, 200);
        neverSaw(model.saw(), valuesOf(person));
        prefixes(moments[0] ?? [], `You said: ${letter(person)}`);
      },
    })),
  ];
}

const routes: readonly FullCase[] = [
  ...route(
    '/v1/completions',
    (prompt) => ({ prompt }),
    ({ choices }) => (choices as { text: string }[])[0]?.text,
  ),
  ...route(
    '/v1/responses',
    (input) => ({ input }),
    ({ output }) => (output as { content: { text: string }[] }[])[0]?.content[0]?.text,
  ),
  ...route(
    '/v1/messages',
    (text) => ({ max_tokens: 100, messages: [user(text)] }),
    ({ content }) => (content as { text: string }[])[0]?.text,
  ),
];

const toolCalls: readonly FullCase[] = [
  {
    name: 'chat, tool call in the answer',
    run: async ({ client, model }) => {
      const { email } = newPerson();
      const { body } = await client.post(CHAT, chat(email, { model: 'tool-c7', tools: [TOOL] }));
      neverSaw(model.saw(), [email]);
      const [choice] = body.choices as { message: JsonObject }[];
      exact(toolArguments(choice?.message), [`{"to": "${email}"}`]);
    },
  },
  {
    name: 'stream, text before a tool call',
    run: async ({ client, model }) => {
      const { email } = newPerson();
      const { events, moments } = await client.stream(CHAT, chat(email, { model: 'mix-c3', tools: [TOOL] }));
      neverSaw(model.saw(), [email]);
      prefixes(moments[0] ?? [], `You said: ${email}`);
      const pieces = events.flatMap((event) => toolArguments((event.choices as { delta?: JsonObject }[])[0]?.delta));
      exact(pieces.join(''), `{"to": "${email}"}`);
    },
  },
  {
    name: '/v1/responses, function call in the answer',
    run: async ({ client, model }) => {
      const { email } = newPerson();
      const item = (tag: string): JsonObject => ({
        ...{ type: 'function_call', id: 'f', call_id: 'c', status: 'completed', name: 'send_mail' },
        arguments: `{"to":"${tag}"}`,
      });
      model.script(({ text }) => ({
        json: {
          ...{ id: 'r', object: 'response', created_at: 1, model: 'm', status: 'completed' },
          output: [item(emailPseudonyms(text)[0] ?? '')],
        },
      }));
      const { body } = await client.post('/v1/responses', { model: 'echo', input: email, tools: [RESPONSES_TOOL] });
      neverSaw(model.saw(), [email]);
      exact((body.output as { arguments: string }[])[0]?.arguments, `{"to":"${email}"}`);
    },
  },
  {
    name: '/v1/messages, tool call in the answer',
    run: async ({ client, model }) => {
      const { email } = newPerson();
      const { body } = await client.post('/v1/messages', {
        ...{ model: 'tool-c7', max_tokens: 100, tools: [ANTHROPIC_TOOL] },
        messages: [user(email)],
      });
      neverSaw(model.saw(), [email]);
      exact((body.content as { input?: unknown }[]).find(({ input }) => input !== undefined)?.input, { to: email });
    },
  },
];

const system = (content: string): JsonObject => ({ role: 'system', content });

const sessions: readonly FullCase[] = [
  {
    name: 'a value in the system prompt and in a message has one pseudonym, and is restored',
    run: async ({ client, model }) => {
      const { email } = newPerson();
      const messages = [system(`The user is ${email}.`), user(`I am ${email}.`)];
      exact(chatTexts(await client.post(CHAT, { model: 'echo-c7', messages })), [`You said: I am ${email}.`]);
      neverSaw(model.saw(), [email]);
      exact(new Set(emailPseudonyms(model.saw().join())).size, 1);
    },
  },
  {
    name: 'a value that is only in the system prompt',
    limit:
      'LiteLLM gives system prompts an id of their own, for which it asks for nothing again: the client gets pseudonyms.',
    run: async ({ client, model }) => {
      const { email } = newPerson();
      const messages = [system(`The boss is ${email}.`), user('Who is the boss?')];
      let tag = '';
      model.script(({ text }) => {
        tag = emailPseudonyms(text)[0] ?? '';
        const message = { role: 'assistant', content: `It is ${tag}.` };
        return {
          json: {
            ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
            choices: [{ index: 0, message, finish_reason: 'stop' }],
          },
        };
      });
      const [text] = chatTexts(await client.post(CHAT, { model: 'echo-c7', messages }));
      neverSaw(model.saw(), [email]);
      demand(tag !== '', 'The model saw no pseudonym.');
      exact(text, `It is ${tag}.`);
    },
  },
  {
    name: "another team's pseudonym in an answer, plain and streamed",
    run: async ({ client, model, newKey }) => {
      const [one, other] = [await newKey(true), await newKey(true)];
      const [victim, person] = [newPerson(), newPerson()];
      await client.post(CHAT, chat(victim.email), { key: one });
      const [tag = ''] = emailPseudonyms(model.saw().join());
      demand(tag !== '', 'The model saw no pseudonym.');
      model.script(({ text }) => {
        const own = emailPseudonyms(text)[0] ?? '';
        const chunk = (content: string, finish_reason: string | null): string =>
          `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`;
        if (text.includes('"stream":true') || text.includes('"stream": true')) {
          return {
            events: [chunk(tag.slice(0, 9), null), chunk(`${tag.slice(9)} ${own}`, null), chunk('', 'stop')],
          };
        }
        const message = { role: 'assistant', content: `${tag} ${own}` };
        return {
          json: {
            ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
            choices: [{ index: 0, message, finish_reason: 'stop' }],
          },
        };
      });
      const plain = await client.post(CHAT, chat(person.email), { key: other });
      exact(chatTexts(plain), [`${tag} ${person.email}`]);
      const { moments } = await client.stream(CHAT, chat(person.email), { key: other });
      prefixes(moments[0] ?? [], `${tag} ${person.email}`);
    },
  },
];

const refusals: readonly FullCase[] = [
  blockedByPolicy(REFUSED),
  refusedBefore('502', { kind: 'status', status: 502 }, REFUSED),
  refusedBefore('service down', { kind: 'down' }, REFUSED),
  refusedAfter('502', { kind: 'status', status: 502 }, REFUSED),
];

/** All cases for the client. */
export const FULL_CASES: readonly FullCase[] = [
  ...CHAT_CASES,
  ...STREAM_CASES,
  ...routes,
  ...toolCalls,
  ...sessions,
  ...refusals,
];
