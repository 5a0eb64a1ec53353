import type { JsonObject } from '../../../harness/gateway/gateway.ts';
import { CHAT, chat, TOOL, user } from '../../chatCases.ts';
import type { Reply } from '../../../harness/upstream/modelServer.ts';
import { answer, event, over, pieces, type Probe, probesOf } from '../probe.ts';

/** A model that LiteLLM knows. For unknown models, LiteLLM drops fields that it does not expect. */
const MODEL = 'gpt-4o';

/** @returns the body of a conversation in which the message is between two of the user */
const between = (message: JsonObject): JsonObject => ({
  model: MODEL,
  messages: [user('Hello'), message, user('Go on')],
});

const SHAPES = {
  call: over({ model: MODEL, messages: [user('Hello')] }),
  message: { body: between },
  part: { body: (part: JsonObject) => between(user([{ type: 'text', text: 'Look at this' }, part])) },
};

const requests = probesOf(
  SHAPES,
  `
/v1/chat/completions:
  - [call, <content> of a message, { model: echo-c7, messages: [{ role: user, content: Mail $value }] }]
  - [part, text parts, { type: text, text: Mail $value }]
  - [message, <system> and <developer> messages, { role: developer, content: You work for $value }]
  - [message, <content> of an assistant, { role: assistant, content: I mailed $value }]
  - [message, arguments of <tool_calls>, { role: assistant, content: null, tool_calls: [{ id: call_1, type: function,
      function: { name: send_mail, arguments: '{"to":"$value"}' } }] }]
  - [message, <tool> messages, { role: tool, tool_call_id: call_1, content: Sent to $value }]
  - [call, <description> of a tool, { tools: [{ type: function, function: { name: send_mail, description: Mails $value,
      parameters: { type: object, properties: { to: { type: string } } } } }] }]
  - [call, <parameters> of a tool, { tools: [{ type: function, function: { name: send_mail, description: Sends,
      parameters: { type: object, properties: { to: { type: string, description: Such as $value } } } } }] }]
  - [call, custom tools, { tools: [{ type: custom, custom: { name: send_mail, description: Mails $value } }] }]
  - [message, <name> of a message, { role: user, content: Hello, name: $value }]
  - [message, <refusal> of an assistant, { role: assistant, content: null, refusal: Not for $value }]
  - [message, <refusal> parts, { role: assistant, content: [{ type: refusal, refusal: Not for $value }] }]
  - [message, <reasoning_content> of an assistant, { role: assistant, content: Hello,
      reasoning_content: This is $value }]
  - [message, signed <thinking_blocks> of an assistant, { role: assistant, content: Hello,
      thinking_blocks: [{ type: thinking, thinking: This is $value, signature: s }] }]
  - [message, arguments of <function_call>, { role: assistant, content: null, function_call: { name: send_mail,
      arguments: '{"to":"$value"}' } }]
  - [message, <id> of a tool call, { role: assistant, content: null, tool_calls: [{ id: $value, type: function,
      function: { name: send_mail, arguments: '{}' } }] }, { spared: true }]
  - [call, <functions>, { functions: [{ name: send_mail, description: Mails $value, parameters: { type: object,
      properties: { to: { type: string } } } }] }]
  - [call, <response_format>, { response_format: { type: json_schema, json_schema: { name: mail,
      schema: { type: object, properties: { to: { type: string, description: Such as $value } } } } } }]
  - [call, <stop>, { stop: [$value] }]
  - [call, <prediction>, { prediction: { type: content, content: Mail $value } }]
  - [call, <web_search_options>, { web_search_options: { user_location: { type: approximate,
      approximate: { city: $value } } } }]
  - [call, <user>, { user: $value }]
  - [call, <safety_identifier>, { safety_identifier: $value }]
  - [call, <prompt_cache_key>, { prompt_cache_key: $value }]
  - [call, <metadata>, { metadata: { customer: $value } }]
  - [call, <extra_body>, { extra_body: { note: $value } }]
  - [call, unknown fields, { x_note: $value }]
  - [call, <messages> in <fallbacks>, { model: err-500, fallbacks: [{ model: echo-c7, messages: [{ role: user,
      content: Mail $value }] }] }]
  - [part, <image_url> that is an address, { type: image_url, image_url: { url: 'https://example.org/$value.png' } }]
  - [part, <file_data>, { type: file, file: { filename: a.txt, file_data: 'data:text/plain;base64,$value' } },
      { value: file }]
  - [part, <filename>, { type: file, file: { filename: $value.pdf, file_id: file-1 } }]
  - [part, <input_audio>, { type: input_audio, input_audio: { data: $value, format: wav } }, { value: file }]
  - [part, <video_url>, { type: video_url, video_url: { url: 'https://example.org/$value.mp4' } }]
  - [call, an image with text, { model: echo-c7, messages: [{ role: user, content: [{ type: text,
      text: 'Is it $email?' }, { type: image_url, image_url: { url: $value } }] }] }, { value: image }]
  - [call, an image without text, { model: echo-c7, messages: [{ role: user, content: [{ type: image_url,
      image_url: { url: $value } }] }] }, { value: image }]
`,
);

/** Probes of the pseudonyms in a chat answer, whole or streamed. */
const got = (field: string, body: (value: string) => JsonObject, reply: (pseudonym: string) => Reply): Probe =>
  answer(CHAT, field, body, reply);

const completion = (message: JsonObject, choice: JsonObject = {}): Reply => ({
  json: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'fake',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Done.', ...message }, finish_reason: 'stop', ...choice },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
  },
});

const chunk = (delta: JsonObject, choice: JsonObject = {}): string =>
  event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'fake',
    choices: [{ index: 0, delta, finish_reason: null, ...choice }],
  });

const chunks = (deltas: readonly JsonObject[], choices: readonly JsonObject[] = []): Reply => ({
  events: [
    chunk({ role: 'assistant', content: '' }),
    ...deltas.map((delta, index) => chunk(delta, choices[index])),
    chunk({ content: 'Done.' }),
    chunk({}, { finish_reason: 'stop' }),
    'data: [DONE]\n\n',
  ],
});

const mail = (value: string): JsonObject => chat(`Mail ${value}`, { model: MODEL, tools: [TOOL] });
const streamed = (value: string): JsonObject => ({ ...mail(value), stream: true });
const call = (args: string): JsonObject => ({
  tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'send_mail', arguments: args } }],
});
const logprobs = (token: string): JsonObject => ({
  logprobs: { content: [{ token, logprob: -1, bytes: [], top_logprobs: [] }], refusal: null },
});
/** A text that contains the pseudonym in another form, as the tokens belong to it. */
const spelled = (pseudonym: string): string => pseudonym.replace('<', '&lt;').replace('>', '&gt;');
const cited = (title: string): JsonObject => ({
  annotations: [
    { type: 'url_citation', url_citation: { url: 'https://example.org', title, start_index: 0, end_index: 1 } },
  ],
});

const answers: readonly Probe[] = [
  got('answer: `content`', mail, (pseudonym) => completion({ content: `Mailed ${pseudonym}` })),
  got('stream: `content`', streamed, (pseudonym) =>
    chunks(pieces(`Mailed ${pseudonym}`).map((content) => ({ content }))),
  ),
  got('answer: arguments of `tool_calls`', mail, (pseudonym) => completion(call(`{"to":"${pseudonym}"}`))),
  got('stream: arguments of `tool_calls`', streamed, (pseudonym) => {
    const more = (text: string): JsonObject => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });
    return chunks([call(''), ...pieces(`{"to":"${pseudonym}"}`).map(more)]);
  }),
  got('answer: arguments of `function_call`', mail, (pseudonym) =>
    completion({ function_call: { name: 'send_mail', arguments: `{"to":"${pseudonym}"}` } }),
  ),
  got('answer: `reasoning_content`', mail, (pseudonym) => completion({ reasoning_content: `It is ${pseudonym}` })),
  got('stream: `reasoning_content`', streamed, (pseudonym) =>
    chunks(pieces(`It is ${pseudonym}`).map((text) => ({ reasoning_content: text }))),
  ),
  got('answer: `thinking_blocks`', mail, (pseudonym) =>
    completion({ thinking_blocks: [{ type: 'thinking', thinking: `It is ${pseudonym}`, signature: 's' }] }),
  ),
  got('answer: `refusal`', mail, (pseudonym) => completion({ refusal: `Not for ${pseudonym}` })),
  got('stream: `refusal`', streamed, (pseudonym) =>
    chunks(pieces(`Not for ${pseudonym}`).map((refusal) => ({ refusal }))),
  ),
  got('answer: `annotations`', mail, (pseudonym) => completion(cited(pseudonym))),
  got('answer: transcript of `audio`', mail, (pseudonym) =>
    completion({ audio: { id: 'audio_1', data: '', expires_at: 1, transcript: `Mailed ${pseudonym}` } }),
  ),
  got('answer: `logprobs`', mail, (pseudonym) => completion({ content: spelled(pseudonym) }, logprobs(pseudonym))),
  got('stream: `logprobs`', streamed, (pseudonym) => chunks([{ content: spelled(pseudonym) }], [logprobs(pseudonym)])),
];

/** All fields of a chat, in the request and in the answer. */
export const CHAT_PROBES: readonly Probe[] = [...requests, ...answers];
