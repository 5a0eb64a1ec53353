import type { JsonObject } from '../../../harness/gateway/gateway.ts';
import { CHAT, chat, TOOL, user } from '../../chatCases.ts';
import type { Reply } from '../../../harness/upstream/modelServer.ts';
import { newPerson } from '../../syntheticPerson.ts';
import { answer, event, pieces, type Probe, type ProbeOptions, request } from '../probe.ts';
import { newFile, newImage } from '../values.ts';

/** A model that LiteLLM knows. For unknown models, LiteLLM drops fields that it does not expect. */
const MODEL = 'gpt-4o';

const asked = (field: string, more: (value: string) => JsonObject, options?: ProbeOptions): Probe =>
  request(CHAT, field, (value) => chat('Hello', { model: MODEL, ...more(value) }), options);

const said = (field: string, message: (value: string) => JsonObject, options?: ProbeOptions): Probe =>
  request(
    CHAT,
    field,
    (value) => ({ model: MODEL, messages: [user('Hello'), message(value), user('Go on')] }),
    options,
  );

const part = (field: string, content: (value: string) => JsonObject, options?: ProbeOptions): Probe =>
  said(field, (value) => user([{ type: 'text', text: 'Look at this' }, content(value)]), options);

const assistant = (more: JsonObject): JsonObject => ({ role: 'assistant', content: 'Hello', ...more });

const called = (more: JsonObject): JsonObject => {
  const call = { id: 'call_1', type: 'function', function: { name: 'send_mail', arguments: '{}' }, ...more };
  return { role: 'assistant', content: null, tool_calls: [call] };
};

const described = (description: string): JsonObject => ({ ...(TOOL.function as JsonObject), description });

const image = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } });

const schemaWith = (description: string): JsonObject => ({
  type: 'object',
  properties: { to: { type: 'string', description } },
});

const requests: readonly Probe[] = [
  request(CHAT, '`content` of a message', (value) => chat(`Mail ${value}`)),
  part('text parts', (value) => ({ type: 'text', text: `Mail ${value}` })),
  said('`system` and `developer` messages', (value) => ({ role: 'developer', content: `You work for ${value}` })),
  said('`content` of an assistant', (value) => assistant({ content: `I mailed ${value}` })),
  said('arguments of `tool_calls`', (value) =>
    called({ function: { name: 'send_mail', arguments: `{"to":"${value}"}` } }),
  ),
  said('`tool` messages', (value) => ({ role: 'tool', tool_call_id: 'call_1', content: `Sent to ${value}` })),
  asked('`description` of a tool', (value) => ({
    tools: [{ type: 'function', function: described(`Mails ${value}`) }],
  })),
  asked('`parameters` of a tool', (value) => ({
    tools: [{ type: 'function', function: { ...described('Sends'), parameters: schemaWith(`Such as ${value}`) } }],
  })),
  asked('custom tools', (value) => ({
    tools: [{ type: 'custom', custom: { name: 'send_mail', description: `Mails ${value}` } }],
  })),
  said('`name` of a message', (value) => ({ ...user('Hello'), name: value })),
  said('`refusal` of an assistant', (value) => assistant({ content: null, refusal: `Not for ${value}` })),
  said('`refusal` parts', (value) => assistant({ content: [{ type: 'refusal', refusal: `Not for ${value}` }] })),
  said('`reasoning_content` of an assistant', (value) => assistant({ reasoning_content: `This is ${value}` })),
  said('signed `thinking_blocks` of an assistant', (value) =>
    assistant({ thinking_blocks: [{ type: 'thinking', thinking: `This is ${value}`, signature: 's' }] }),
  ),
  said('arguments of `function_call`', (value) => ({
    role: 'assistant',
    content: null,
    function_call: { name: 'send_mail', arguments: `{"to":"${value}"}` },
  })),
  said('`id` of a tool call', (value) => called({ id: value }), { spared: true }),
  asked('`functions`', (value) => ({ functions: [described(`Mails ${value}`)] })),
  asked('`response_format`', (value) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'mail', schema: schemaWith(`Such as ${value}`) } },
  })),
  asked('`stop`', (value) => ({ stop: [value] })),
  asked('`prediction`', (value) => ({ prediction: { type: 'content', content: `Mail ${value}` } })),
  asked('`web_search_options`', (value) => ({
    web_search_options: { user_location: { type: 'approximate', approximate: { city: value } } },
  })),
  asked('`user`', (value) => ({ user: value })),
  asked('`safety_identifier`', (value) => ({ safety_identifier: value })),
  asked('`prompt_cache_key`', (value) => ({ prompt_cache_key: value })),
  asked('`metadata`', (value) => ({ metadata: { customer: value } })),
  asked('`extra_body`', (value) => ({ extra_body: { note: value } })),
  asked('unknown fields', (value) => ({ x_note: value })),
  asked('`messages` in `fallbacks`', (value) => ({
    model: 'err-500',
    fallbacks: [{ model: 'echo-c7', messages: [user(`Mail ${value}`)] }],
  })),
  part('`image_url` that is an address', (value) => ({
    type: 'image_url',
    image_url: { url: `https://example.org/${value}.png` },
  })),
  part(
    '`file_data`',
    (value) => ({ type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${value}` } }),
    { value: newFile },
  ),
  part('`filename`', (value) => ({
    type: 'file',
    file: { filename: `${value}.pdf`, file_id: 'file-1' },
  })),
  part('`input_audio`', (value) => ({ type: 'input_audio', input_audio: { data: value, format: 'wav' } }), {
    value: newFile,
  }),
  part('`video_url`', (value) => ({ type: 'video_url', video_url: { url: `https://example.org/${value}.mp4` } })),
  request(
    CHAT,
    'an image with text',
    (value) => ({
      model: 'echo-c7',
      messages: [user([{ type: 'text', text: `Is it ${newPerson().email}?` }, image(value)])],
    }),
    { value: newImage },
  ),
  request(CHAT, 'an image without text', (value) => ({ model: 'echo-c7', messages: [user([image(value)])] }), {
    value: newImage,
  }),
];

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
