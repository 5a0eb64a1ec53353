/** Cases with the official clients of OpenAI and Anthropic. Those with tools and refusals are in guardrail/proxy/sdks.test.ts. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { InlineBench, InlineCase } from './inline.ts';
import { exact, neverSaw, prefixes } from './judge.ts';
import { letter, newPerson, type Person, valuesOf } from './syntheticPerson.ts';

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
const user = (content: string): { role: 'user'; content: string } => ({ role: 'user', content });

/** A call of a client. @returns the answer, and the text after each event of a stream */
type Ask = (clients: Clients, person: Person) => Promise<readonly [answer: string | null | undefined, seen?: string[]]>;

const claude = (text: string) => ({ model: `anthropic/${MODEL}`, max_tokens: 100, messages: [user(text)] });

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

/** Cases with the official clients. */
export const INLINE_SDK_CASES = Object.entries(ECHOES).map(([name, ask]): InlineCase => ({
  name,
  run: async (bench) => {
    const person = newPerson();
    const [answer, seen] = await ask(clientsOf(bench), person);
    neverSaw(bench.model.saw(), valuesOf(person));
    exact(answer, `You said: ${letter(person)}`);
    if (seen !== undefined) prefixes(seen, `You said: ${letter(person)}`);
  },
}));
