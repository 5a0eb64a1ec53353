/** Chat cases, with helpers, for each gateway that sends the complete call to the guardrail. */
import type { Json, JsonObject } from '../harness/gateway/gateway.ts';
import { chatTexts, type GatewayClient, toolArguments } from './client.ts';
import { demand, emailPseudonyms, exact, neverSaw, pseudonymized } from './judge.ts';
import type { Witness } from '../harness/upstream/modelServer.ts';
import { letter, newPerson, type Person, valuesOf } from './syntheticPerson.ts';
import type { Case } from './suite.ts';

/** What the chat cases need. */
export interface ChatBench {
  readonly client: Pick<GatewayClient, 'post'>;
  readonly model: Witness;
}

export const CHAT = '/v1/chat/completions';

export const user = (content: Json): JsonObject => ({ role: 'user', content });

/** A conversation of the Anthropic API in which a tool gets a person's address and answers with it. */
export const anthropicToolCall = (person: Person): JsonObject[] => [
  user(`Mail ${person.email}`),
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 't1', name: 'send_mail', input: { to: person.email } }],
  },
  user([
    { type: 'tool_result', tool_use_id: 't1', content: `sent to ${person.email}` },
    { type: 'text', text: `Is ${person.email} informed?` },
  ]),
];

/** @returns a chat of one message to the echo model, with seven characters per chunk. */
export const chat = (text: string, more: JsonObject = {}): JsonObject => ({
  model: 'echo-c7',
  messages: [user(text)],
  ...more,
});

export const TOOL: JsonObject = {
  type: 'function',
  function: {
    name: 'send_mail',
    description: 'Sends a mail',
    parameters: { type: 'object', properties: { to: { type: 'string' } } },
  },
};

/** The assistant's message with a call of {@link TOOL}. */
const called = (args: string): JsonObject => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'send_mail', arguments: args } }],
});

/** @returns the messages of a request as it reached the model. */
export function messagesOf(request: string | undefined): JsonObject[] {
  return (JSON.parse(request ?? '{"messages":[]}') as { messages: JsonObject[] }).messages;
}

/** @returns a text with the address of an image, which a client loads automatically. */
export const illustrated = (value: string, inAddress: string): string =>
  `For ${value}: ![to ${value}](//images.example/?q=${inAddress}) and ${value}.`;

/** A stream that the gateway does not let the guardrail restore. */
export const pseudonymsInStream = (
  limit: string,
): Case<{ readonly client: Pick<GatewayClient, 'stream'>; readonly model: Witness }> => ({
  name: 'stream',
  limit,
  run: async ({ client, model }) => {
    const person = newPerson();
    const { status, moments } = await client.stream(CHAT, chat(letter(person)));
    exact(status, 200);
    neverSaw(model.saw(), valuesOf(person));
    pseudonymized(moments[0]?.at(-1), `You said: ${letter(person)}`, valuesOf(person));
  },
});

/** A text that the client gets back from the model as it is, and the values in it that the model must not see. */
const echoes = (name: string, make: () => readonly [text: string, values: readonly string[]]): Case<ChatBench> => ({
  name,
  run: async ({ client, model }) => {
    const [text, values] = make();
    exact(chatTexts(await client.post(CHAT, chat(text))), [`You said: ${text}`]);
    neverSaw(model.saw(), values);
  },
});

const cases: readonly Case<ChatBench>[] = [
  echoes('chat', () => {
    const person = newPerson();
    return [letter(person), valuesOf(person)];
  }),
  echoes('chat, text that looks like a pseudonym', () => [
    'Literally <PERSON_K7Q2RTM4>, <EMAIL_ADDRESS_ABC23456> and <EMAIL_.',
    [],
  ]),
  echoes('chat, twelve people in one text, emoji before values', () => {
    const people = Array.from({ length: 12 }, newPerson);
    const text = people.map(({ name, email, phone }) => `🙂 ${name}: 👩‍👩‍👧 ${email}, 𝒜 ${phone}`).join('\n');
    return [text, people.flatMap(({ email, phone }) => [email, phone])];
  }),
  {
    name: 'chat, n = 2',
    run: async ({ client, model }) => {
      const person = newPerson();
      const answer = await client.post(CHAT, chat(letter(person), { n: 2 }));
      neverSaw(model.saw(), valuesOf(person));
      exact(chatTexts(answer), [`[0] You said: ${letter(person)}`, `[1] You said: ${letter(person)}`]);
    },
  },
  {
    name: 'chat, many turns of one user',
    run: async ({ client, model }) => {
      const people = [newPerson(), newPerson(), newPerson()];
      const history: JsonObject[] = [
        { role: 'system', content: `You work for ${people.map(({ email }) => email).join()}.` },
      ];
      for (const [turn, person] of [...people, ...people, ...people].entries()) {
        history.push(user(`Turn ${turn}: what about ${person.email}?`));
        const answer = await client.post(CHAT, { model: 'echo-c7', messages: history, user: 'turns' });
        const [text] = chatTexts(answer);
        exact(text, `You said: Turn ${turn}: what about ${person.email}?`);
        history.push({ role: 'assistant', content: text ?? null });
      }
      neverSaw(model.saw(), people.flatMap(valuesOf));
      const turns = messagesOf(model.saw().at(-1)).filter(({ role }) => role === 'user');
      const tags = turns.map(({ content }) => emailPseudonyms(JSON.stringify(content))[0]);
      exact(tags.slice(3, 6), tags.slice(0, 3));
      exact(new Set(tags).size, people.length);
    },
  },
  {
    name: 'chat, content parts',
    run: async ({ client, model }) => {
      const [one, two] = [newPerson(), newPerson()];
      const parts = [`Ask ${one.email}.`, `Then ${two.phone}.`];
      const content = parts.map((text) => ({ type: 'text', text }));
      const answer = await client.post(CHAT, { model: 'echo-c7', messages: [user(content)] });
      neverSaw(model.saw(), [one.email, two.phone]);
      exact(chatTexts(answer), [`You said: ${parts.join(' ')}`]);
    },
  },
  {
    name: 'chat, tool call and result in the history',
    run: async ({ client, model }) => {
      const person = newPerson();
      const messages = [
        user(`Mail ${person.email}`),
        called(JSON.stringify({ to: person.email, nested: JSON.stringify({ card: person.card }) })),
        { role: 'tool', tool_call_id: 'call_1', content: `sent to ${person.email}` },
      ];
      const answer = await client.post(CHAT, { model: 'tres-c7', messages, tools: [TOOL] });
      neverSaw(model.saw(), [person.email, person.card]);
      const args = toolArguments(messagesOf(model.saw()[0])[1])[0] ?? '';
      demand(
        Object.keys(JSON.parse(args) as object).join() === 'to,nested',
        'The arguments are not the original JSON.',
      );
      exact(chatTexts(answer), [`You said: sent to ${person.email}`]);
    },
  },
  {
    name: 'chat, address of an image',
    run: async ({ client, model }) => {
      const { email } = newPerson();
      const answer = await client.post(CHAT, chat(illustrated(email, email)));
      neverSaw(model.saw(), [email]);
      const [tag = ''] = emailPseudonyms(model.saw().join());
      exact(chatTexts(answer), [`You said: ${illustrated(email, tag)}`]);
    },
  },
];

/** All cases for gateways that show the guardrail a whole chat and apply its answer. */
export const CHAT_CASES = [...cases];
