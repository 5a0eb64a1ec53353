import type { Json, JsonObject } from '../../../harness/gateway/gateway.ts';
import { user } from '../../chatCases.ts';
import type { Reply } from '../../../harness/upstream/modelServer.ts';
import { answer, over, pieces, type Probe, probesOf, typed } from '../probe.ts';

const MESSAGES = '/v1/messages';
const MODEL = { model: 'anthropic/echo-c7', max_tokens: 100 };

const SHAPES = {
  call: over({ ...MODEL, messages: [user('Hello')] }),
  block: {
    body: (block: JsonObject) => ({ ...MODEL, messages: [user([{ type: 'text', text: 'Look at this' }, block])] }),
  },
  /** Blocks of the assistant, and the answering blocks of the user. */
  turn: {
    body: ({ said = [], result = 'Go on' }: JsonObject) => ({
      ...MODEL,
      messages: [user('Hello'), { role: 'assistant', content: said }, user(result)],
    }),
  },
};

const use = (input: JsonObject = {}): JsonObject => ({ type: 'tool_use', id: 't1', name: 'send_mail', input });
const tool = (description: string, about = 'Whom'): JsonObject => ({
  name: 'send_mail',
  description,
  input_schema: { type: 'object', properties: { to: { type: 'string', description: about } } },
});

const requests = probesOf(
  SHAPES,
  `
/v1/messages:
  - [call, <content> of a message, { messages: [{ role: user, content: Mail $value }] }]
  - [block, text blocks, { type: text, text: Mail $value }]
  - [call, <system>, { system: You work for $value }]
  - [call, <system> as blocks, { system: [{ type: text, text: You work for $value }] }]
  - [turn, <tool_use>, { said: [{ type: tool_use, id: t1, name: send_mail, input: { to: $value } }],
      result: [{ type: tool_result, tool_use_id: t1, content: Sent }] }]
  - [turn, <tool_result>, { said: [{ type: tool_use, id: t1, name: send_mail, input: {} }],
      result: [{ type: tool_result, tool_use_id: t1, content: Sent to $value }] }]
  - [turn, <tool_result> as blocks, { said: [{ type: tool_use, id: t1, name: send_mail, input: {} }],
      result: [{ type: tool_result, tool_use_id: t1, content: [{ type: text, text: Sent to $value }] }] }]
  - [turn, signed <thinking>, { said: [{ type: thinking, thinking: This is $value, signature: s }, { type: text,
      text: Hello }] }]
  - [turn, <server_tool_use>, { said: [{ type: server_tool_use, id: s1, name: web_search,
      input: { query: Who is $value } }, { type: text, text: Hello }] }]
  - [turn, <mcp_tool_use> and <mcp_tool_result>, { said: [{ type: mcp_tool_use, id: m1, name: lookup, server_name: lab,
      input: { about: them } }, { type: mcp_tool_result, tool_use_id: m1, is_error: false, content: [{ type: text,
      text: Found $value }] }] }]
  - [call, <description> of a tool, { tools: [{ name: send_mail, description: Mails $value,
      input_schema: { type: object, properties: { to: { type: string, description: Whom } } } }] }]
  - [call, <input_schema> of a tool, { tools: [{ name: send_mail, description: Mails, input_schema: { type: object,
      properties: { to: { type: string, description: Such as $value } } } }] }]
  - [block, <document> of plain text, { type: document, source: { type: text, media_type: text/plain,
      data: Mail $value } }]
  - [block, <title> and <context> of a <document>, { type: document, title: About $value, context: About $value,
      source: { type: text, media_type: text/plain, data: Hello } }]
  - [block, <document> as base64, { type: document, source: { type: base64, media_type: application/pdf,
      data: $value } }, { value: file }]
  - [block, <document> that is an address, { type: document, source: { type: url,
      url: 'https://example.org/$value.pdf' } }]
  - [block, <search_result> blocks, { type: search_result, source: 'https://example.org', title: Mail,
      content: [{ type: text, text: Mail $value }] }]
  - [call, an image without text, { messages: [{ role: user, content: [{ type: image, source: { type: base64,
      media_type: image/png, data: $value } }] }] }, { value: png }]
  - [call, <metadata.user_id>, { metadata: { user_id: $value } }]
  - [call, <stop_sequences>, { stop_sequences: [$value] }]
  - [call, <mcp_servers>, { mcp_servers: [{ type: url, url: 'https://example.org/$value', name: lab }] }]
  - [call, location in <web_search> tools, { tools: [{ type: web_search_20250305, name: web_search,
      user_location: { type: approximate, city: $value } }] }]
  - [call, unknown fields, { x_note: $value }]
/v1/messages/count_tokens:
  - [call, <content> of a message, { messages: [{ role: user, content: Mail $value }] },
      { reply: { input_tokens: 5 } }]
`,
);

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
export const MESSAGES_PROBES: readonly Probe[] = [...requests, ...answers];
