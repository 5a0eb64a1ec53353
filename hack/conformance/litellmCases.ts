import { pngOf } from '../../guardrail/images/testing/files.ts';
import { draw, note } from '../../guardrail/images/testing/drawings.ts';
import { startIndependentOcr } from '../../guardrail/images/testing/independentOcr.ts';
import type { JsonObject } from '../testing/gateway/gateway.ts';
import { anthropicToolCall, CHAT, chat, CHAT_CASES, illustrated, messagesOf, TOOL, user } from './chatCases.ts';
import { chatTexts, type GatewayClient, toolArguments } from './client.ts';
import { BLOCK_REASON, type Fault, type Interceptor } from './interceptor.ts';
import { FAILS_OPEN } from './litellm.ts';
import { demand, exact, neverSaw, prefixes, pseudonymized, emailPseudonyms } from './judge.ts';
import type { Witness } from '../testing/upstream/modelServer.ts';
import { FORBIDDEN, letter, type Person, newPerson, valuesOf } from './syntheticPerson.ts';
import type { Case } from './suite.ts';

/** What the LiteLLM cases need. */
export interface LiteLlmBench {
  readonly client: GatewayClient;
  readonly model: Witness;
  readonly guardrail: Interceptor;
  /** Creates a virtual key, in a new team if `team` is true. */
  readonly newKey: (team: boolean) => Promise<string>;
}

type LiteLlmCase = Case<LiteLlmBench>;

/** @returns an image of a note with an e-mail address, and the rest of its text. */
async function imageOf({ email }: Person): Promise<string> {
  const file = await draw(note(`Please write to ${email} about the delivery`))
    .png()
    .toBuffer();
  return `data:image/png;base64,${file.toString('base64')}`;
}

/** Checks that the model saw exactly one image, and that OCR reads its text without the address. */
async function checkImageWithout({ email }: Person, requests: readonly string[]): Promise<void> {
  neverSaw(requests, [email]);
  const images = requests.flatMap((request) => request.match(/(?<=data:image\/png;base64,)[A-Za-z0-9+/]+=*/g) ?? []);
  exact(images.length, 1);
  const reader = await startIndependentOcr();
  const text = await reader.read(Buffer.from(images[0] ?? '', 'base64'));
  await reader.close();
  demand(
    text.includes('write') && text.includes('delivery'),
    `The model saw an image with the text ${JSON.stringify(text)}.`,
  );
  demand(!/@|example/.test(text), `The address is still legible in the image: ${JSON.stringify(text)}.`);
}

/** A PNG of one pixel, without any text. */
const PIXEL = `data:image/png;base64,${pngOf(1, 1).toString('base64')}`;

function streams(name: string, body: (text: string) => JsonObject, text: (person: Person) => string): LiteLlmCase {
  return {
    name,
    run: async ({ client, model }) => {
      const person = newPerson();
      const original = text(person);
      const { status, moments } = await client.stream(CHAT, body(original));
      exact(status, 200);
      neverSaw(model.saw(), valuesOf(person));
      prefixes(moments[0] ?? [], `You said: ${original}`);
    },
  };
}

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
    name: 'chat, an image with an address in it',
    run: async ({ client, model }) => {
      const person = newPerson();
      const image = { type: 'image_url', image_url: { url: await imageOf(person), detail: 'high' } };
      const content = [{ type: 'text', text: `What does ${person.email} want?` }, image];
      const answer = await client.post(CHAT, { model: 'echo-c7', messages: [user(content)] });
      await checkImageWithout(person, model.saw());
      exact(chatTexts(answer), [`You said: What does ${person.email} want?`]);
    },
  },
  {
    name: 'chat, tool description',
    run: async ({ client, model }) => {
      const person = newPerson();
      const description = `Mails ${person.email} by default`;
      const tools = [{ type: 'function', function: { ...(TOOL.function as JsonObject), description } }];
      await client.post(CHAT, chat('Hello', { tools }));
      neverSaw(model.saw(), [person.email]);
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
    name: 'chat, tool call in the answer',
    limit: 'LiteLLM shows the arguments to the guardrail and ignores its answer: the client gets pseudonyms.',
    run: async ({ client, model }) => {
      const person = newPerson();
      const { status, body } = await client.post(CHAT, chat(person.email, { model: 'tool-c7', tools: [TOOL] }));
      exact(status, 200);
      neverSaw(model.saw(), [person.email]);
      const [choice] = body.choices as { message: JsonObject }[];
      pseudonymized(toolArguments(choice?.message)[0], `{"to": "${person.email}"}`, [person.email]);
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

const streamed: readonly LiteLlmCase[] = [
  ...[1, 3, 7, 20].map((size) =>
    streams(`stream, ${size} characters a chunk`, (text) => chat(text, { model: `echo-c${size}` }), letter),
  ),
  ...[1, 3].map((size) =>
    streams(
      `stream, emoji before a value, ${size} characters a chunk`,
      (text) => chat(text, { model: `echo-c${size}` }),
      ({ email, phone }) => `🙂👩‍👩‍👧 𝒜 ${email} 🙂🙂 ${phone} 🙂 ${email}`,
    ),
  ),
  streams(
    'stream, a long answer',
    (text) => chat(text, { model: 'echo-c5' }),
    (person) => Array.from({ length: 12 }, () => letter(person)).join(' '),
  ),
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
  {
    name: 'stream, end that looks like the beginning of a pseudonym',
    run: async ({ client, model }) => {
      const person = newPerson();
      const { moments } = await client.stream(CHAT, chat(letter(person), { model: 'tail-c3' }));
      neverSaw(model.saw(), valuesOf(person));
      prefixes(moments[0] ?? [], `You said: ${letter(person)} <EM`);
    },
  },
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

const NO_STREAM = 'LiteLLM discards the restored text of this stream: the client gets pseudonyms.';

const otherEndpoints: readonly LiteLlmCase[] = [
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
    name: '/v1/completions, stream',
    limit: NO_STREAM,
    run: async ({ client, model }) => {
      const person = newPerson();
      const { moments } = await client.stream('/v1/completions', { model: 'echo-c3', prompt: `Dear ${person.email},` });
      neverSaw(model.saw(), [person.email]);
      pseudonymized(moments[0]?.at(-1), `You said: Dear ${person.email},`, [person.email]);
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
    name: '/v1/responses, stream',
    limit: NO_STREAM,
    run: async ({ client, model }) => {
      const person = newPerson();
      const { moments } = await client.stream('/v1/responses', { model: 'echo-c3', input: `Mail ${person.email}` });
      neverSaw(model.saw(), [person.email]);
      pseudonymized(moments[0]?.at(-1), `You said: Mail ${person.email}`, [person.email]);
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
  {
    name: '/v1/messages, stream',
    limit: NO_STREAM,
    run: async ({ client, model }) => {
      const person = newPerson();
      const body = { model: 'echo-c3', max_tokens: 100, messages: [user(`Mail ${person.email}`)] };
      const { moments } = await client.stream('/v1/messages', body);
      neverSaw(model.saw(), [person.email]);
      pseudonymized(moments[0]?.at(-1), `You said: Mail ${person.email}`, [person.email]);
    },
  },
];

/** A fault before the model call: the client gets an error without details, and the model is never called. */
function before(name: string, fault: Fault, status: number): LiteLlmCase {
  return {
    name: `${name}, before the call`,
    run: async ({ client, model, guardrail }) => {
      await guardrail.fail({ phase: 'request', ...fault });
      const person = newPerson();
      for (const answer of await Promise.all([
        client.post(CHAT, chat(letter(person))),
        client
          .stream(CHAT, chat(letter(person)))
          .then(({ status: code, events }) => ({ status: code, body: events[0] })),
      ])) {
        exact(answer.status, status);
        const text = JSON.stringify(answer.body);
        demand(!text.includes(person.email), 'The error contains a real value.');
        if (fault.kind === 'block')
          demand(text.includes(BLOCK_REASON), 'The error does not contain the reason for the block.');
      }
      exact(model.saw().length, 0);
    },
  };
}

/**
 * A status before the model call, with a fail-open entry: checks whether LiteLLM treats the guardrail as unreachable and
 * sends the request unchanged.
 */
function failsOpen(status: number, outcome: 'passes raw' | 'fails'): LiteLlmCase {
  return {
    name: `${status} before the call, set to fail open: ${outcome}`,
    run: async ({ client, model, guardrail }) => {
      // Without this, the default entry, which fails closed, would decide.
      const made = await client.post('/key/generate', { metadata: { disable_global_guardrails: true } });
      const key = made.body.key as string;
      const person = newPerson();
      const body = chat(letter(person), { guardrails: [FAILS_OPEN] });
      const guarded = await client.post(CHAT, body, { key });
      exact([guarded.status, model.saw().length], [200, 1]);
      neverSaw(model.saw(), valuesOf(person));

      model.reset();
      await guardrail.fail({ phase: 'request', kind: 'status', status });
      const { status: answered } = await client.post(CHAT, body, { key });
      const { status: streamed } = await client.stream(CHAT, body, { key });
      if (outcome === 'fails') {
        exact([answered, streamed, model.saw().length], [500, 500, 0]);
        return;
      }
      exact([answered, streamed, model.saw().length], [200, 200, 2]);
      for (const request of model.saw()) {
        demand(request.includes(person.email), 'The model did not see the original request.');
      }
    },
  };
}

/** A fault after the model call: the client gets an error and nothing of the model's answer. */
function after(name: string, fault: Fault, status: number): LiteLlmCase {
  return {
    name: `${name}, after the call`,
    run: async ({ client, model, guardrail }) => {
      await guardrail.fail({ phase: 'response', ...fault });
      const person = newPerson();
      const answer = await client.post(CHAT, chat(letter(person)));
      neverSaw(model.saw(), valuesOf(person));
      exact(answer.status, status);
      demand(
        !JSON.stringify(answer.body).includes('You said'),
        'The client received the answer although the guardrail call failed.',
      );
    },
  };
}

/** A fault in the middle of a stream: the client sees a prefix of the original, then an error. */
function amid(name: string, fault: Fault): LiteLlmCase {
  return {
    name: `${name}, amid a stream`,
    run: async ({ client, model, guardrail }) => {
      await guardrail.fail({ phase: 'response', from: 3, ...fault });
      const person = newPerson();
      const { events, moments } = await client.stream(CHAT, chat(letter(person)));
      neverSaw(model.saw(), valuesOf(person));
      const seen = moments[0]?.at(-1) ?? '';
      demand(
        seen.length > 0 && `You said: ${letter(person)}`.startsWith(seen),
        `The client saw ${JSON.stringify(seen)}.`,
      );
      demand(seen.length < letter(person).length, 'The stream was not interrupted.');
      demand(events.at(-1)?.error !== undefined, 'The stream ended without an error.');
    },
  };
}

const faults: readonly LiteLlmCase[] = [
  {
    name: 'blocked by the policy of the service',
    run: async ({ client, model }) => {
      const text = `What is ${FORBIDDEN}?`;
      const whole = await client.post(CHAT, chat(text));
      const streamed = await client.stream(CHAT, chat(text));
      exact([whole.status, streamed.status, model.saw().length], [400, 400, 0]);
      demand(
        !JSON.stringify([whole.body, streamed.events]).includes(FORBIDDEN),
        'The error contains the blocked text.',
      );
    },
  },
  before('blocked', { kind: 'block' }, 400),
  after('blocked', { kind: 'block' }, 400),
  amid('blocked', { kind: 'block' }),
  before('service down', { kind: 'down' }, 500),
  before('401', { kind: 'status', status: 401 }, 500),
  before('502', { kind: 'status', status: 502 }, 500),
  after('413', { kind: 'status', status: 413 }, 500),
  after('502', { kind: 'status', status: 502 }, 500),
  amid('502', { kind: 'status', status: 502 }),
  before('time-out', { kind: 'hang' }, 500),
  after('time-out', { kind: 'hang' }, 500),
];

/** @returns the pseudonyms that the model saw in its last call. */
function lastTags(model: Witness): string[] {
  return emailPseudonyms(model.saw().at(-1) ?? '');
}

function twoTenants(name: string, team: boolean): LiteLlmCase {
  return {
    name,
    run: async ({ client, model, newKey }) => {
      const [one, other] = [await newKey(team), await newKey(team)];
      const person = newPerson();
      const body = chat(`Mail ${person.email}`, { user: 'the-same-end-user' });
      await client.post(CHAT, body, { key: one });
      const [tag] = lastTags(model);
      demand(tag !== undefined, 'The model saw no pseudonym.');
      const answer = await client.post(CHAT, body, { key: other });
      exact(chatTexts(answer), [`You said: Mail ${person.email}`]);
      demand(lastTags(model)[0] !== tag, 'Two tenants that name the same end user share a pseudonym.');
      const probe = `Who is ${tag}?`;
      const probed = await client.post(CHAT, chat(probe, { user: 'the-same-end-user' }), { key: other });
      exact(chatTexts(probed), [`You said: ${probe}`]);
      neverSaw(model.saw(), [person.email]);
    },
  };
}

const identity: readonly LiteLlmCase[] = [
  {
    name: 'the end user in the body and in the header is the same',
    run: async ({ client, model }) => {
      const person = newPerson();
      const text = `Mail ${person.email}`;
      await client.post(CHAT, chat(text, { user: 'u1' }));
      await client.post(CHAT, chat(text), { headers: { 'x-litellm-end-user-id': 'u1' } });
      await client.post(CHAT, chat(text), { headers: { 'x-litellm-customer-id': 'u1' } });
      await client.post(CHAT, chat(text, { user: 'u2' }));
      const tags = model.saw().map((request) => emailPseudonyms(request)[0]);
      exact([tags[1], tags[2]], [tags[0], tags[0]]);
      demand(tags[3] !== tags[0], 'Two end users share a pseudonym.');
    },
  },
  {
    name: 'two users at once, streamed',
    run: async ({ client, model }) => {
      const people = Array.from({ length: 8 }, newPerson);
      await Promise.all(
        people.map(async (person, index) => {
          const body = chat(letter(person), { model: 'echo-c3', user: `user-${index % 2}` });
          const { moments } = await client.stream(CHAT, body);
          prefixes(moments[0] ?? [], `You said: ${letter(person)}`);
        }),
      );
      neverSaw(model.saw(), people.flatMap(valuesOf));
    },
  },
];

const failOpen: readonly LiteLlmCase[] = [
  failsOpen(413, 'fails'),
  failsOpen(429, 'fails'),
  failsOpen(503, 'passes raw'),
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

const tenants: readonly LiteLlmCase[] = [
  twoTenants('virtual keys of two teams, one end user name', true),
  twoTenants('two virtual keys without a team, one end user name', false),
];

/** All cases, under one key, for gateways that call the guardrail for chats as LiteLLM does. */
export const LITELLM_CHAT_CASES: readonly LiteLlmCase[] = [
  ...CHAT_CASES,
  ...whole,
  ...streamed,
  ...faults,
  ...identity,
];

/** All cases for LiteLLM. */
export const LITELLM_CASES: readonly LiteLlmCase[] = [
  ...LITELLM_CHAT_CASES,
  ...otherEndpoints,
  ...images,
  ...failOpen,
  ...streamModes,
  ...tenants,
];
