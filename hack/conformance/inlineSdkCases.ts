/** Cases with the official clients of OpenAI and Anthropic. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Json } from '../harness/gateway/gateway.ts';
import type { Arrived, Reply } from '../harness/upstream/modelServer.ts';
import { pseudonymIn } from './exposure/outcome.ts';
import { event, pieces, typed } from './exposure/probe.ts';
import type { InlineBench, InlineCase } from './inline.ts';
import { demand, exact, neverSaw, prefixes } from './judge.ts';
import { FORBIDDEN, letter, newPerson, type Person, valuesOf } from './syntheticPerson.ts';

interface Clients {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}

function clientsOf({ client, masterKey: apiKey }: InlineBench): Clients {
  return {
    openai: new OpenAI({ baseURL: `${client.url}/v1`, apiKey, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: client.url, apiKey, maxRetries: 0 }),
  };
}

const MODEL = 'echo-c3';
const CLAUDE = 'anthropic/echo-c3';
const user = (content: string): { role: 'user'; content: string } => ({ role: 'user', content });
const parameters = { type: 'object' as const, properties: { to: { type: 'string' } } };
const argumentsWith = (value: string): string => JSON.stringify({ to: value });

/** Answers the first call with a call of the tool, and the next with the echo. */
const callsTool =
  (callOf: (pseudonym: string) => Reply) =>
  ({ text }: Arrived): Reply | undefined => {
    const isFirst = !text.includes('Sent to');
    return isFirst ? callOf(pseudonymIn(text) ?? 'no pseudonym') : undefined;
  };

const openaiToolCall = (pseudonym: string): Reply => ({
  events: [
    ...[
      {
        role: 'assistant',
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'send_mail', arguments: '' } }],
      },
      ...pieces(argumentsWith(pseudonym)).map((piece) => ({
        tool_calls: [{ index: 0, function: { arguments: piece } }],
      })),
    ].map((delta) => chunkOf(delta, null)),
    chunkOf({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ],
});

function chunkOf(delta: Json, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return event({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices });
}

const anthropicToolCall = (pseudonym: string): Reply => {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_sequence: null };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const block = { type: 'tool_use', id: 'toolu_1', name: 'send_mail', input: {} };
  return {
    events: [
      typed({ type: 'message_start', message: { ...message, stop_reason: null, usage } }),
      typed({ type: 'content_block_start', index: 0, content_block: block }),
      ...pieces(argumentsWith(pseudonym)).map((piece) =>
        typed({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: piece } }),
      ),
      typed({ type: 'content_block_stop', index: 0 }),
      typed({ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage }),
      typed({ type: 'message_stop' }),
    ],
  };
};

/** A call of a client. @returns the answer, and the text after each event of a stream */
type Ask = (clients: Clients, person: Person) => Promise<readonly [answer: string | null | undefined, seen?: string[]]>;

const claude = (text: string) => ({ model: CLAUDE, max_tokens: 100, messages: [user(text)] });

/** Calls of the echo model with a letter. */
const ECHOES: Readonly<Record<string, Ask>> = {
  'openai: chat': async ({ openai }, person) => {
    const { choices } = await openai.chat.completions.create({ model: MODEL, messages: [user(letter(person))] });
    return [choices[0]?.message.content];
  },
  'openai: chat, stream': async ({ openai }, person) => {
    const seen: string[] = [];
    const stream = openai.chat.completions.stream({ model: MODEL, messages: [user(letter(person))] });
    stream.on('content', (_, snapshot) => seen.push(snapshot));
    return [await stream.finalContent(), seen];
  },
  'openai: responses': async ({ openai }, person) => [
    (await openai.responses.create({ model: MODEL, input: letter(person) })).output_text,
  ],
  'openai: responses, stream': async ({ openai }, person) => {
    const seen: string[] = [];
    const stream = openai.responses.stream({ model: 'gpt-4o', input: letter(person) });
    stream.on('response.output_text.delta', ({ delta }) => seen.push((seen.at(-1) ?? '') + delta));
    return [(await stream.finalResponse()).output_text, seen];
  },
  'openai: completions, stream': async ({ openai }, person) => {
    const seen: string[] = [];
    const stream = await openai.completions.create({ model: MODEL, prompt: letter(person), stream: true });
    for await (const { choices } of stream) seen.push((seen.at(-1) ?? '') + (choices[0]?.text ?? ''));
    return [seen.at(-1), seen];
  },
  'anthropic: messages': async ({ anthropic }, person) => {
    const { content } = await anthropic.messages.create({
      ...claude(letter(person)),
      system: `You work for ${person.email}.`,
    });
    return [content[0]?.type === 'text' ? content[0].text : undefined];
  },
  'anthropic: messages, stream': async ({ anthropic }, person) => {
    const seen: string[] = [];
    const stream = anthropic.messages.stream(claude(letter(person)));
    stream.on('text', (_, snapshot) => seen.push(snapshot));
    return [await stream.finalText(), seen];
  },
};

const echoes = Object.entries(ECHOES).map(([name, ask]): InlineCase => ({
  name,
  run: async (bench) => {
    const person = newPerson();
    const [answer, seen] = await ask(clientsOf(bench), person);
    neverSaw(bench.model.saw(), valuesOf(person));
    exact(answer, `You said: ${letter(person)}`);
    if (seen !== undefined) prefixes(seen, `You said: ${letter(person)}`);
  },
}));

const cases: readonly InlineCase[] = [
  ...echoes,
  {
    name: 'openai: tools runner, stream',
    run: async (bench) => {
      const { email } = newPerson();
      const given: string[] = [];
      bench.model.script(callsTool(openaiToolCall));
      const runner = clientsOf(bench).openai.chat.completions.runTools({
        ...{ model: MODEL, messages: [user(`Mail ${email}`)], stream: true },
        tools: [
          {
            type: 'function',
            function: {
              ...{ name: 'send_mail', description: `Mails ${email}`, parameters },
              parse: JSON.parse as (text: string) => { to: string },
              function: ({ to }: { to: string }) => {
                given.push(to);
                return `Sent to ${to}`;
              },
            },
          },
        ],
      });
      const answer = await runner.finalContent();
      neverSaw(bench.model.saw(), [email]);
      exact(given, [email]);
      exact(answer, `You said: Mail ${email}`);
    },
  },
  {
    name: 'openai: structured output',
    run: async (bench) => {
      const { email } = newPerson();
      const schema = { ...parameters, required: ['to'], additionalProperties: false };
      const { choices } = await clientsOf(bench).openai.chat.completions.parse({
        ...{ model: 'json-c3', messages: [user(`Mail ${email}`)] },
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'mail', description: `To ${email}`, strict: true, schema },
        },
      });
      neverSaw(bench.model.saw(), [email]);
      exact(choices[0]?.message.parsed, { echo: `Mail ${email}` });
    },
  },
  {
    name: 'openai: a block, whole and streamed',
    run: async (bench) => {
      const { openai } = clientsOf(bench);
      const text = `What is ${FORBIDDEN}?`;
      for (const stream of [false, true]) {
        const calls = [
          () => openai.chat.completions.create({ model: MODEL, messages: [user(text)], stream }),
          () => openai.completions.create({ model: MODEL, prompt: text, stream }),
          () => openai.responses.create({ model: MODEL, input: text, stream }),
        ];
        // One after the other: a call that fails before it is awaited ends the process.
        for (const call of calls) {
          const error = await failureOf(call());
          demand(
            error instanceof OpenAI.BadRequestError,
            `The client got ${String(error)} instead of an error with 400.`,
          );
          exact(error.code, 'guardrail_blocked');
          demand(!error.message.includes(FORBIDDEN), 'The error contains the blocked text.');
        }
      }
      exact(bench.model.saw().length, 0);
    },
  },
  {
    name: 'anthropic: a tool call, stream',
    run: async (bench) => {
      const { email } = newPerson();
      bench.model.script(callsTool(anthropicToolCall));
      const { content } = await clientsOf(bench)
        .anthropic.messages.stream({
          ...claude(`Mail ${email}`),
          tools: [{ name: 'send_mail', description: `Mails ${email}`, input_schema: parameters }],
        })
        .finalMessage();
      neverSaw(bench.model.saw(), [email]);
      exact(content[0]?.type === 'tool_use' ? content[0].input : content, { to: email });
    },
  },
  {
    name: 'anthropic: a block, whole and streamed',
    run: async (bench) => {
      const { anthropic } = clientsOf(bench);
      const messages = [user(`What is ${FORBIDDEN}?`)];
      for (const stream of [false, true]) {
        const error = await failureOf(anthropic.messages.create({ model: CLAUDE, max_tokens: 100, messages, stream }));
        demand(
          error instanceof Anthropic.BadRequestError,
          `The client got ${String(error)} instead of an error with 400.`,
        );
        const { type, code } = (error.error as { error: { type: string; code: string } }).error;
        exact([type, code], ['invalid_request_error', 'guardrail_blocked']);
        demand(!error.message.includes(FORBIDDEN), 'The error contains the blocked text.');
      }
      exact(bench.model.saw().length, 0);
    },
  },
];

async function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Cases with the official clients. */
export const INLINE_SDK_CASES = [...cases];
