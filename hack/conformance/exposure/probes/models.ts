import type { Json, JsonObject } from '../../../harness/gateway/gateway.ts';
import { answer, event, pieces, type Probe, type ProbeOptions, request } from '../probe.ts';
import { newFile, newToken } from '../values.ts';
import { file, form, json } from './bodies.ts';

const EMBEDDINGS = '/v1/embeddings';
const embed = (field: string, more: (value: string) => JsonObject, options?: ProbeOptions): Probe =>
  request(EMBEDDINGS, field, (value) => ({ model: 'emb', input: 'Hello', ...more(value) }), options);

const MODERATIONS = '/v1/moderations';
const moderate = (field: string, input: (value: string) => Json): Probe =>
  request(MODERATIONS, field, (value) => ({ model: 'mod', input: input(value) }), {
    reply: json({ id: 'modr-1', model: 'fake', results: [{ flagged: false, categories: {}, category_scores: {} }] }),
  });

const RERANK = '/v1/rerank';
const RANKED = json({
  id: 'r1',
  results: [{ index: 0, relevance_score: 0.5 }],
  meta: { billed_units: { search_units: 1 } },
});
const rerank = (field: string, more: (value: string) => JsonObject): Probe =>
  request(RERANK, field, (value) => ({ model: 'rerank', query: 'Hello', documents: ['Hello'], ...more(value) }), {
    reply: RANKED,
  });

const IMAGE_REPLY = json({ created: 1, data: [{ b64_json: '' }] });
const draw = (field: string, more: (value: string) => JsonObject): Probe =>
  request('/v1/images/generations', field, (value) => ({ model: 'img', prompt: 'A cat', ...more(value) }), {
    reply: IMAGE_REPLY,
  });

const SPEECH = '/v1/audio/speech';
const speak = (field: string, more: (value: string) => JsonObject): Probe =>
  request(SPEECH, field, (value) => ({ model: 'tts', voice: 'alloy', input: 'Hello', ...more(value) }), {
    reply: { text: 'sound', type: 'audio/mpeg' },
  });

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
const TRANSCRIPTIONS = '/v1/audio/transcriptions';
const HEARD = json({ text: 'Hello' });
const GENERATED: JsonObject = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
};

const GEMINI = '/v1beta/models/{model}:generateContent';
const generated = (text: string): JsonObject => ({
  ...GENERATED,
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
});
const turn = (text: string): JsonObject => ({ contents: [{ role: 'user', parts: [{ text }] }] });
const AT_GEMINI = { path: '/v1beta/models/gemini-echo:generateContent' };
const generate = (field: string, more: (value: string) => JsonObject): Probe =>
  request(GEMINI, field, (value) => ({ ...turn('Hello'), ...more(value) }), { ...AT_GEMINI, reply: json(GENERATED) });

/** All fields of the routes that call models, other than chats, completions, responses and messages. */
export const MODEL_PROBES: readonly Probe[] = [
  embed('`input`', (value) => ({ input: `Mail ${value}` })),
  embed('`input` as a list', (value) => ({ input: ['Hello', `Mail ${value}`] })),
  embed('`input` as tokens', (value) => ({ input: [Number(value), 1] }), { value: newToken }),
  embed('`user`', (value) => ({ user: value })),
  embed('unknown fields', (value) => ({ x_note: value })),
  moderate('`input`', (value) => `Mail ${value}`),
  moderate('`input` as a list', (value) => ['Hello', `Mail ${value}`]),
  rerank('`query`', (value) => ({ query: `Mail ${value}` })),
  rerank('`documents`', (value) => ({ documents: ['Hello', `Mail ${value}`] })),
  rerank('`documents` as objects', (value) => ({ documents: [{ text: `Mail ${value}` }] })),
  draw('`prompt`', (value) => ({ prompt: `Write ${value} on a wall` })),
  draw('`user`', (value) => ({ user: value })),
  request(
    '/v1/images/edits',
    '`prompt`',
    (value) => form({ model: 'img', prompt: `Write ${value} on it`, image: file(PIXEL, 'a.png', 'image/png') }),
    { reply: IMAGE_REPLY },
  ),
  request(
    '/v1/images/edits',
    '`image`',
    (value) => form({ model: 'img', prompt: 'Paint it red', image: file(value, 'a.png', 'image/png') }),
    { reply: IMAGE_REPLY, value: newFile },
  ),
  speak('`input`', (value) => ({ input: `Mail ${value}` })),
  speak('`instructions`', (value) => ({ instructions: `Speak as ${value}` })),
  request(
    TRANSCRIPTIONS,
    '`prompt`',
    (value) => form({ model: 'stt', prompt: `A call with ${value}`, file: file('sound') }),
    { reply: HEARD },
  ),
  request(TRANSCRIPTIONS, '`file`', (value) => form({ model: 'stt', file: file(value) }), {
    reply: HEARD,
    value: newFile,
  }),
  request(
    TRANSCRIPTIONS,
    'name of the `file`',
    (value) => form({ model: 'stt', file: file('sound', `${value}.wav`) }),
    {
      reply: HEARD,
    },
  ),
  generate('`contents`', (value) => turn(`Mail ${value}`)),
  generate('`systemInstruction`', (value) => ({ systemInstruction: { parts: [{ text: `You work for ${value}` }] } })),
  generate('`functionCall` parts', (value) => ({
    contents: [
      { role: 'user', parts: [{ text: 'Hello' }] },
      { role: 'model', parts: [{ functionCall: { name: 'send_mail', args: { to: value } } }] },
      { role: 'user', parts: [{ text: 'Go on' }] },
    ],
  })),
  generate('`functionResponse` parts', (value) => ({
    contents: [
      { role: 'user', parts: [{ text: 'Hello' }] },
      { role: 'model', parts: [{ functionCall: { name: 'send_mail', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'send_mail', response: { sent: value } } }] },
    ],
  })),
  generate('`tools`', (value) => ({
    tools: [{ functionDeclarations: [{ name: 'send_mail', description: `Mails ${value}` }] }],
  })),
  generate('`inlineData` parts', (value) => ({
    contents: [{ role: 'user', parts: [{ text: 'See' }, { inlineData: { mimeType: 'text/plain', data: value } }] }],
  })),
  generate('`stopSequences`', (value) => ({ generationConfig: { stopSequences: [value] } })),
  answer(
    GEMINI,
    'answer: `text`',
    (value) => turn(`Mail ${value}`),
    (pseudonym) => json(generated(`Mailed ${pseudonym}`)),
    AT_GEMINI,
  ),
  answer(
    GEMINI,
    'stream: `text`',
    (value) => turn(`Mail ${value}`),
    (pseudonym) => ({ events: pieces(`Mailed ${pseudonym}`).map((text) => event(generated(text))) }),
    { path: '/v1beta/models/gemini-echo:streamGenerateContent?alt=sse' },
  ),
];
