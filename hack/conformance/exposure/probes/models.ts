import type { JsonObject } from '../../../harness/gateway/gateway.ts';
import { answer, event, over, pieces, type Probe, probesOf, request } from '../probe.ts';
import { FORM, json } from './bodies.ts';

const IMAGES = { reply: json({ created: 1, data: [{ b64_json: '' }] }) };
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

const GEMINI = '/v1beta/models/{model}:generateContent';
const AT_GEMINI = { path: '/v1beta/models/gemini-echo:generateContent' };
const generated = (text: string): JsonObject => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
});
const turn = (text: string): JsonObject => ({ contents: [{ role: 'user', parts: [{ text }] }] });

const SHAPES = {
  embed: over({ model: 'emb', input: 'Hello' }),
  moderate: over(
    { model: 'mod' },
    {
      reply: json({ id: 'modr-1', model: 'fake', results: [{ flagged: false, categories: {}, category_scores: {} }] }),
    },
  ),
  rerank: over(
    { model: 'rerank', query: 'Hello', documents: ['Hello'] },
    {
      reply: json({
        id: 'r1',
        results: [{ index: 0, relevance_score: 0.5 }],
        meta: { billed_units: { search_units: 1 } },
      }),
    },
  ),
  draw: over({ model: 'img', prompt: 'A cat' }, IMAGES),
  edit: { ...FORM, options: IMAGES },
  speak: over(
    { model: 'tts', voice: 'alloy', input: 'Hello' },
    { reply: { text: 'sound', type: 'audio/mpeg' } as const },
  ),
  transcribe: { ...FORM, options: { reply: json({ text: 'Hello' }) } },
  generate: over(turn('Hello'), { ...AT_GEMINI, reply: json(generated('Hello')) }),
};

/** All fields of the routes that call models, other than chats, completions, responses and messages. */
export const MODEL_PROBES: readonly Probe[] = [
  ...probesOf(
    SHAPES,
    `
/v1/embeddings:
  - [embed, <input>, { input: Mail $value }]
  - [embed, <input> as a list, { input: [Hello, Mail $value] }]
  - [embed, <input> as tokens, { input: [$number, 1] }, { value: token }]
  - [embed, <user>, { user: $value }]
  - [embed, unknown fields, { x_note: $value }]
/v1/moderations:
  - [moderate, <input>, { input: Mail $value }]
  - [moderate, <input> as a list, { input: [Hello, Mail $value] }]
/v1/rerank:
  - [rerank, <query>, { query: Mail $value }]
  - [rerank, <documents>, { documents: [Hello, Mail $value] }]
  - [rerank, <documents> as objects, { documents: [{ text: Mail $value }] }]
/v1/images/generations:
  - [draw, <prompt>, { prompt: Write $value on a wall }]
  - [draw, <user>, { user: $value }]
/v1/images/edits:
  - [edit, <image>, { model: img, prompt: Paint it red, image: { name: a.png, type: image/png, content: $value } },
      { value: file }]
/v1/audio/speech:
  - [speak, <input>, { input: Mail $value }]
  - [speak, <instructions>, { instructions: Speak as $value }]
/v1/audio/transcriptions:
  - [transcribe, <prompt>, { model: stt, prompt: A call with $value,
      file: { name: a.wav, type: audio/wav, content: sound } }]
  - [transcribe, <file>, { model: stt, file: { name: a.wav, type: audio/wav, content: $value } }, { value: file }]
  - [transcribe, name of the <file>, { model: stt, file: { name: $value.wav, type: audio/wav, content: sound } }]
'/v1beta/models/{model}:generateContent':
  - [generate, <contents>, { contents: [{ role: user, parts: [{ text: Mail $value }] }] }]
  - [generate, <systemInstruction>, { systemInstruction: { parts: [{ text: You work for $value }] } }]
  - [generate, <functionCall> parts, { contents: [{ role: user, parts: [{ text: Hello }] },
      { role: model, parts: [{ functionCall: { name: send_mail, args: { to: $value } } }] },
      { role: user, parts: [{ text: Go on }] }] }]
  - [generate, <functionResponse> parts, { contents: [{ role: user, parts: [{ text: Hello }] },
      { role: model, parts: [{ functionCall: { name: send_mail, args: {} } }] },
      { role: user, parts: [{ functionResponse: { name: send_mail, response: { sent: $value } } }] }] }]
  - [generate, <tools>, { tools: [{ functionDeclarations: [{ name: send_mail, description: Mails $value }] }] }]
  - [generate, <inlineData> parts, { contents: [{ role: user, parts: [{ text: See },
      { inlineData: { mimeType: text/plain, data: $value } }] }] }]
  - [generate, <stopSequences>, { generationConfig: { stopSequences: [$value] } }]
`,
  ),
  request(
    '/v1/images/edits',
    '`prompt`',
    (value) => {
      const data = new FormData();
      data.set('model', 'img');
      data.set('prompt', `Write ${value} on it`);
      data.set('image', new File([PIXEL], 'a.png', { type: 'image/png' }));
      return data;
    },
    IMAGES,
  ),
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
