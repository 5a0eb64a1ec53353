/** Cases for the routes `/v1/responses`, `/v1/messages` and other routes besides chats. */
import type { JsonObject } from '../harness/gateway/gateway.ts';
import { anthropicToolCall, user } from './chatCases.ts';
import { exact, neverSaw, pseudonymized } from './judge.ts';
import type { LiteLlmCase } from './litellmBench.ts';
import { checkImageWithout, imageOf } from './litellmImages.ts';
import { newPerson } from './syntheticPerson.ts';

const images: readonly LiteLlmCase[] = [
  {
    name: '/v1/responses, an image with an address in it',
    run: async ({ client, model }) => {
      const person = newPerson();
      const image = { type: 'input_image', image_url: await imageOf(person), detail: 'auto' };
      await client.post('/v1/responses', {
        model: 'echo-c7',
        input: [user([{ type: 'input_text', text: 'What is this?' }, image])],
      });
      await checkImageWithout(person, model.saw());
    },
  },
  {
    name: '/v1/messages, an image with an address in it',
    run: async ({ client, model }) => {
      const person = newPerson();
      const data = (await imageOf(person)).split(',')[1] ?? '';
      const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
      const content = [{ type: 'text', text: 'What is this?' }, image];
      await client.post('/v1/messages', { model: 'echo-c7', max_tokens: 100, messages: [user(content)] });
      await checkImageWithout(person, model.saw());
    },
  },
];

function notRestored(path: string, body: (text: string) => JsonObject): LiteLlmCase {
  return {
    name: `${path}, stream`,
    limit: 'LiteLLM discards the restored text of this stream: the client gets pseudonyms.',
    run: async ({ client, model }) => {
      const { email } = newPerson();
      const { moments } = await client.stream(path, { model: 'echo-c3', ...body(`Mail ${email}`) });
      neverSaw(model.saw(), [email]);
      pseudonymized(moments[0]?.at(-1), `You said: Mail ${email}`, [email]);
    },
  };
}

const texts: readonly LiteLlmCase[] = [
  {
    name: '/v1/completions',
    run: async ({ client, model }) => {
      const [one, two] = [newPerson(), newPerson()];
      const prompt = [`Dear ${one.email},`, `Hi ${two.email}`];
      const { body } = await client.post('/v1/completions', { model: 'echo-c7', prompt });
      neverSaw(model.saw(), [one.email, two.email]);
      exact(
        (body.choices as { text: string }[]).map(({ text }) => text),
        prompt.map((text) => `You said: ${text}`),
      );
    },
  },
  {
    name: '/v1/embeddings',
    run: async ({ client, model }) => {
      const [one, two] = [newPerson(), newPerson()];
      const input = [`about ${one.email}`, `about ${two.phone}`];
      const { status, body } = await client.post('/v1/embeddings', { model: 'emb', input });
      exact(status, 200);
      neverSaw(model.saw(), [one.email, two.phone]);
      exact((body.data as unknown[]).length, 2);
    },
  },
  {
    name: '/v1/responses',
    run: async ({ client, model }) => {
      const [boss, person] = [newPerson(), newPerson()];
      const { body } = await client.post('/v1/responses', {
        model: 'echo-c7',
        instructions: `You work for ${boss.email}.`,
        input: [
          user(`Mail ${person.email}`),
          { type: 'function_call', call_id: 'c1', name: 'send_mail', arguments: JSON.stringify({ to: person.email }) },
          { type: 'function_call_output', call_id: 'c1', output: `sent to ${person.email}` },
          user(`Is ${person.email} informed?`),
        ],
      });
      neverSaw(model.saw(), [boss.email, person.email]);
      const [item] = body.output as { content: { text: string }[] }[];
      exact(item?.content[0]?.text, `You said: Is ${person.email} informed?`);
    },
  },
  {
    name: '/v1/messages',
    run: async ({ client, model }) => {
      const [boss, person] = [newPerson(), newPerson()];
      const { body } = await client.post('/v1/messages', {
        model: 'echo-c7',
        max_tokens: 100,
        system: `You work for ${boss.email}.`,
        tools: [
          {
            name: 'send_mail',
            description: 'd',
            input_schema: { type: 'object', properties: { to: { type: 'string' } } },
          },
        ],
        messages: anthropicToolCall(person),
      });
      neverSaw(model.saw(), [boss.email, person.email]);
      const [block] = body.content as { text: string }[];
      exact(block?.text, `You said: Is ${person.email} informed?`);
    },
  },
  notRestored('/v1/completions', (prompt) => ({ prompt })),
  notRestored('/v1/responses', (input) => ({ input })),
  notRestored('/v1/messages', (text) => ({ max_tokens: 100, messages: [user(text)] })),
];

/** Images at the other routes. */
export const ROUTE_IMAGE_CASES = [...images];

/** Texts at the other routes. */
export const ROUTE_CASES = [...texts];
