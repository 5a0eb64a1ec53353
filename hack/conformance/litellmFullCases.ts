/** Cases for LiteLLM's client llm_shield_proxy, which the operator calls Full. */
import type { JsonObject } from '../harness/gateway/gateway.ts';
import { CHAT, chat, CHAT_CASES, TOOL, user } from './chatCases.ts';
import { chatTexts, toolArguments } from './client.ts';
import { event } from './exposure/probe.ts';
import { demand, emailPseudonyms, exact, neverSaw, prefixes } from './judge.ts';
import type { Reply } from '../harness/upstream/modelServer.ts';
import { STREAM_CASES } from './litellmCases.ts';
import type { RealLiteLlmBench } from './litellm.ts';
import { blockedByPolicy, refusedAfter, refusedBefore } from './refusalCases.ts';
import type { Case } from './suite.ts';
import { letter, newPerson, valuesOf } from './syntheticPerson.ts';

type FullCase = Case<RealLiteLlmBench>;

/** The status of LiteLLM when the guardrail blocks, and when its call fails. */
const REFUSED = 400;

/** Routes besides chats that answer with the last text of the user, and their bodies. The table measures their whole answers. */
const ROUTES: Readonly<Record<string, (text: string) => JsonObject>> = {
  '/v1/completions': (prompt) => ({ prompt }),
  '/v1/responses': (input) => ({ input }),
  '/v1/messages': (text) => ({ max_tokens: 100, messages: [user(text)] }),
};

const routes = Object.entries(ROUTES).flatMap(([path, body]) =>
  [1, 7].map((size): FullCase => ({
    name: `${path}, stream, ${size} characters a chunk`,
    run: async ({ client, model }) => {
      const person = newPerson();
      const { status, moments } = await client.stream(path, { model: `echo-c${size}`, ...body(letter(person)) });
      exact(status, 200);
      neverSaw(model.saw(), valuesOf(person));
      prefixes(moments[0] ?? [], `You said: ${letter(person)}`);
    },
  })),
);

const toolCall: FullCase = {
  name: 'stream, text before a tool call',
  run: async ({ client, model }) => {
    const { email } = newPerson();
    const { events, moments } = await client.stream(CHAT, chat(email, { model: 'mix-c3', tools: [TOOL] }));
    neverSaw(model.saw(), [email]);
    prefixes(moments[0] ?? [], `You said: ${email}`);
    const pieces = events.flatMap((event) => toolArguments((event.choices as { delta?: JsonObject }[])[0]?.delta));
    exact(pieces.join(''), `{"to": "${email}"}`);
  },
};

const system = (content: string): JsonObject => ({ role: 'system', content });

const ANSWER = { id: 'c', created: 1, model: 'm' };
const completion = (content: string): Reply => {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return { json: { ...ANSWER, object: 'chat.completion', choices } };
};
const chunk = (content: string, finish_reason: string | null): string =>
  event({ ...ANSWER, object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason }] });

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
        return completion(`It is ${tag}.`);
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
        if (!/"stream": ?true/.test(text)) return completion(`${tag} ${own}`);
        return { events: [chunk(tag.slice(0, 9), null), chunk(`${tag.slice(9)} ${own}`, null), chunk('', 'stop')] };
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
  toolCall,
  ...sessions,
  ...refusals,
];
