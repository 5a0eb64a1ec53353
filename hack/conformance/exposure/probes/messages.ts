import type { Json, JsonObject } from '../../../harness/gateway/gateway.ts';
import { user } from '../../chatCases.ts';
import type { Reply } from '../../../harness/upstream/modelServer.ts';
import { answer, pieces, type Probe, type ProbeOptions, request, typed } from '../probe.ts';
import { newFile, newImage } from '../values.ts';

const MESSAGES = '/v1/messages';
const MODEL = { model: 'anthropic/echo-c7', max_tokens: 100 };

const asked = (field: string, more: (value: string) => JsonObject, options?: ProbeOptions): Probe =>
  request(MESSAGES, field, (value) => ({ ...MODEL, messages: [user('Hello')], ...more(value) }), options);

const block = (field: string, of: (value: string) => JsonObject, options?: ProbeOptions): Probe =>
  asked(field, (value) => ({ messages: [user([{ type: 'text', text: 'Look at this' }, of(value)])] }), options);

/** @returns a conversation with blocks of the assistant, and the user's answering blocks. */
const turn = (
  field: string,
  blocks: (value: string) => Json,
  result: (value: string) => Json = () => 'Go on',
  options?: ProbeOptions,
): Probe =>
  asked(
    field,
    (value) => ({ messages: [user('Hello'), { role: 'assistant', content: blocks(value) }, user(result(value))] }),
    options,
  );

const use = (input: JsonObject = {}): JsonObject => ({ type: 'tool_use', id: 't1', name: 'send_mail', input });
const tool = (description: string, about = 'Whom'): JsonObject => ({
  name: 'send_mail',
  description,
  input_schema: { type: 'object', properties: { to: { type: 'string', description: about } } },
});

const requests: readonly Probe[] = [
  asked('`content` of a message', (value) => ({ messages: [user(`Mail ${value}`)] })),
  block('text blocks', (value) => ({ type: 'text', text: `Mail ${value}` })),
  asked('`system`', (value) => ({ system: `You work for ${value}` })),
  asked('`system` as blocks', (value) => ({ system: [{ type: 'text', text: `You work for ${value}` }] })),
  turn(
    '`tool_use`',
    (value) => [use({ to: value })],
    () => [{ type: 'tool_result', tool_use_id: 't1', content: 'Sent' }],
  ),
  turn(
    '`tool_result`',
    () => [use()],
    (value) => [{ type: 'tool_result', tool_use_id: 't1', content: `Sent to ${value}` }],
  ),
  turn(
    '`tool_result` as blocks',
    () => [use()],
    (value) => [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: `Sent to ${value}` }] }],
  ),
  turn(
    'signed `thinking`',
    (value) => [
      { type: 'thinking', thinking: `This is ${value}`, signature: 's' },
      { type: 'text', text: 'Hello' },
    ],
    () => 'Go on',
  ),
  turn('`server_tool_use`', (value) => [
    { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: `Who is ${value}` } },
    { type: 'text', text: 'Hello' },
  ]),
  turn('`mcp_tool_use` and `mcp_tool_result`', (value) => [
    { type: 'mcp_tool_use', id: 'm1', name: 'lookup', server_name: 'lab', input: { about: 'them' } },
    {
      type: 'mcp_tool_result',
      tool_use_id: 'm1',
      is_error: false,
      content: [{ type: 'text', text: `Found ${value}` }],
    },
  ]),
  asked('`description` of a tool', (value) => ({ tools: [tool(`Mails ${value}`)] })),
  asked('`input_schema` of a tool', (value) => ({ tools: [tool('Mails', `Such as ${value}`)] })),
  block('`document` of plain text', (value) => ({
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: `Mail ${value}` },
  })),
  block('`title` and `context` of a `document`', (value) => ({
    type: 'document',
    title: `About ${value}`,
    context: `About ${value}`,
    source: { type: 'text', media_type: 'text/plain', data: 'Hello' },
  })),
  block(
    '`document` as base64',
    (value) => ({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: value },
    }),
    { value: newFile },
  ),
  block('`document` that is an address', (value) => ({
    type: 'document',
    source: { type: 'url', url: `https://example.org/${value}.pdf` },
  })),
  block('`search_result` blocks', (value) => ({
    type: 'search_result',
    source: 'https://example.org',
    title: 'Mail',
    content: [{ type: 'text', text: `Mail ${value}` }],
  })),
  asked(
    'an image without text',
    (value) => ({
      messages: [user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: value } }])],
    }),
    { value: async () => (await newImage()).split(',')[1] ?? '' },
  ),
  asked('`metadata.user_id`', (value) => ({ metadata: { user_id: value } })),
  asked('`stop_sequences`', (value) => ({ stop_sequences: [value] })),
  asked('`mcp_servers`', (value) => ({
    mcp_servers: [{ type: 'url', url: `https://example.org/${value}`, name: 'lab' }],
  })),
  asked('location in `web_search` tools', (value) => ({
    tools: [{ type: 'web_search_20250305', name: 'web_search', user_location: { type: 'approximate', city: value } }],
  })),
  asked('unknown fields', (value) => ({ x_note: value })),
];

const mail = (value: string): JsonObject => ({ ...MODEL, messages: [user(`Mail ${value}`)], tools: [tool('Mails')] });
const streamed = (value: string): JsonObject => ({ ...mail(value), stream: true });

const whole = (content: readonly Json[]): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'fake',
  content: [...content],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 5 },
});

const got = (field: string, content: (pseudonym: string) => JsonObject): Probe =>
  answer(MESSAGES, field, mail, (pseudonym) => ({
    json: whole([{ type: 'text', text: 'Done.' }, content(pseudonym)]),
  }));

function stream(begun: JsonObject, deltas: readonly JsonObject[]): Reply {
  return {
    events: [
      typed({ type: 'message_start', message: { ...whole([]), stop_reason: null } }),
      typed({ type: 'content_block_start', index: 0, content_block: begun }),
      ...deltas.map((delta) => typed({ type: 'content_block_delta', index: 0, delta })),
      typed({ type: 'content_block_stop', index: 0 }),
      typed({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
      typed({ type: 'message_stop' }),
    ],
  };
}

const answers: readonly Probe[] = [
  got('answer: `text`', (pseudonym) => ({ type: 'text', text: `Mailed ${pseudonym}` })),
  got('answer: `tool_use`', (pseudonym) => use({ to: pseudonym })),
  got('answer: `thinking`', (pseudonym) => ({ type: 'thinking', thinking: `It is ${pseudonym}`, signature: 's' })),
  answer(MESSAGES, 'stream: `text`', streamed, (pseudonym) =>
    stream(
      { type: 'text', text: '' },
      pieces(`Mailed ${pseudonym}`).map((text) => ({ type: 'text_delta', text })),
    ),
  ),
  answer(MESSAGES, 'stream: `tool_use`', streamed, (pseudonym) =>
    stream(
      use(),
      pieces(`{"to":"${pseudonym}"}`).map((text) => ({ type: 'input_json_delta', partial_json: text })),
    ),
  ),
  answer(MESSAGES, 'stream: `thinking`', streamed, (pseudonym) =>
    stream(
      { type: 'thinking', thinking: '', signature: '' },
      pieces(`It is ${pseudonym}`).map((thinking) => ({ type: 'thinking_delta', thinking })),
    ),
  ),
];

/** All fields of `/v1/messages` with an Anthropic model, in the request and in the answer. */
export const MESSAGES_PROBES: readonly Probe[] = [
  ...requests,
  ...answers,
  request(
    '/v1/messages/count_tokens',
    '`content` of a message',
    (value) => ({ ...MODEL, messages: [user(`Mail ${value}`)] }),
    {
      reply: { json: { input_tokens: 5 } },
    },
  ),
];
