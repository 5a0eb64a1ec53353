import type { Json, JsonObject } from '../../../testing/gateway/gateway.ts';
import { CHAT, chat, user } from '../../chatCases.ts';
import type { Reply } from '../../../testing/upstream/modelServer.ts';
import { answer, event, pieces, type Probe, type ProbeOptions, request } from '../probe.ts';
import { pseudonymIn } from '../outcome.ts';
import { newFile, newEmail, newToken } from '../values.ts';

const json = (body: Json): Reply => ({ json: body });

/** A multipart body. */
function form(fields: Readonly<Record<string, string | File>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

const file = (content: string, name = 'a.wav', type = 'audio/wav'): File => new File([content], name, { type });

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

const models: readonly Probe[] = [
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
    (value) => form({ model: 'img', prompt: `Write ${value} on it`, image: file('pixels', 'a.png', 'image/png') }),
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

const FILES = '/v1/files';
const KEPT = json({
  id: 'file-1',
  object: 'file',
  bytes: 1,
  created_at: 1,
  filename: 'a.jsonl',
  purpose: 'batch',
  status: 'processed',
});
const batchFile = (value: string): FormData => {
  const line = JSON.stringify({ custom_id: '1', method: 'POST', url: CHAT, body: chat(`Mail ${value}`) });
  return form({ purpose: 'batch', custom_llm_provider: 'openai', file: file(line, 'a.jsonl', 'application/jsonl') });
};
const upload = (field: string, purpose: string, of: (value: string) => File): Probe =>
  request(FILES, field, (value) => form({ purpose, custom_llm_provider: 'openai', file: of(value) }), { reply: KEPT });

/** Uploads a batch file with a value. The batch's answer file contains its pseudonym. */
const batchOutput: Probe = {
  route: '`/v1/files/{file}/content`',
  field: 'answers of a batch',
  side: 'answer',
  spared: false,
  value: newEmail,
  send: async ({ client, model }, value) => {
    model.script(({ method, text }) => {
      if (method === 'POST') pseudonym = pseudonymIn(text) ?? '';
      return method === 'POST' ? KEPT : { text: JSON.stringify({ said: pseudonym }), type: 'application/jsonl' };
    });
    let pseudonym = '';
    await client.raw(FILES, { body: batchFile(value) });
    return client.raw('/v1/files/file-1/content?custom_llm_provider=openai', { method: 'GET' });
  },
};

const BATCH = json({
  id: 'batch_1',
  object: 'batch',
  endpoint: CHAT,
  errors: null,
  input_file_id: 'file-1',
  completion_window: '24h',
  status: 'validating',
  created_at: 1,
});

const openai = (route: string, field: string, body: (value: string) => JsonObject, reply: Json, path?: string): Probe =>
  request(route, field, (value) => ({ custom_llm_provider: 'openai', ...body(value) }), {
    reply: json(reply),
    ...(path !== undefined && { path }),
  });

const stored: readonly Probe[] = [
  request(FILES, 'lines of a batch', batchFile, { reply: KEPT }),
  batchOutput,
  upload('any other file', 'user_data', (value) => file(`Mail ${value}`, 'a.txt', 'text/plain')),
  upload('name of a file', 'user_data', (value) => file('Hello', `${value}.txt`, 'text/plain')),
  request(
    '/v1/batches',
    '`metadata`',
    (value) => ({
      custom_llm_provider: 'openai',
      input_file_id: 'file-1',
      endpoint: CHAT,
      completion_window: '24h',
      metadata: { customer: value },
    }),
    { reply: BATCH },
  ),
  openai(
    '/v1/fine_tuning/jobs',
    '`suffix`',
    (value) => ({ model: 'gpt-4o-mini', training_file: 'file-1', suffix: value }),
    {
      id: 'ft_1',
      object: 'fine_tuning.job',
      created_at: 1,
      model: 'm',
      organization_id: 'o',
      result_files: [],
      status: 'queued',
      seed: 1,
      training_file: 'file-1',
      hyperparameters: {},
      fine_tuned_model: null,
      finished_at: null,
      error: null,
      trained_tokens: null,
      validation_file: null,
    },
  ),
  openai('/v1/assistants', '`instructions`', (value) => ({ model: 'gpt-4o', instructions: `You work for ${value}` }), {
    id: 'asst_1',
    object: 'assistant',
    created_at: 1,
    model: 'gpt-4o',
    tools: [],
  }),
  openai('/v1/threads', '`messages`', (value) => ({ messages: [user(`Mail ${value}`)] }), {
    id: 'thread_1',
    object: 'thread',
    created_at: 1,
    metadata: {},
  }),
  openai(
    '/v1/threads/{thread}/messages',
    '`content`',
    (value) => user(`Mail ${value}`),
    {
      id: 'msg_1',
      object: 'thread.message',
      created_at: 1,
      thread_id: 'thread_1',
      role: 'user',
      content: [],
      status: 'completed',
      metadata: {},
    },
    '/v1/threads/thread_1/messages',
  ),
  openai('/v1/vector_stores', '`name`', (value) => ({ name: value }), {
    id: 'vs_1',
    object: 'vector_store',
    created_at: 1,
    name: 'n',
    status: 'completed',
    file_counts: {},
    bytes: 0,
  }),
  openai(
    '/v1/vector_stores/{store}/search',
    '`query`',
    (value) => ({ query: `Who is ${value}?` }),
    { object: 'vector_store.search_results.page', search_query: 'q', data: [], has_more: false, next_page: null },
    '/v1/vector_stores/vs_1/search',
  ),
  openai('/v1/videos', '`prompt`', (value) => ({ model: 'vid', prompt: `Film ${value}` }), {
    id: 'video_1',
    object: 'video',
    created_at: 1,
    status: 'queued',
    model: 'sora-2',
    progress: 0,
  }),
];

/** Other names of the routes above, and routes that only count or shorten their input. */
const relatedRoutes: readonly Probe[] = [
  request('/engines/{model}/chat/completions', '`content` of a message', (value) => chat(`Mail ${value}`), {
    path: '/engines/gpt-4o/chat/completions',
  }),
  request('/openai/deployments/{model}/chat/completions', '`content` of a message', (value) => chat(`Mail ${value}`), {
    path: '/openai/deployments/gpt-4o/chat/completions',
  }),
  request('/queue/chat/completions', '`content` of a message', (value) => ({ ...chat(`Mail ${value}`), priority: 1 })),
  request('/cursor/chat/completions', '`input`', (value) => ({ model: 'gpt-4o', input: `Mail ${value}` })),
  request('/v1/responses/input_tokens', '`input`', (value) => ({ model: 'gpt-4o', input: `Mail ${value}` }), {
    reply: json({ object: 'response.input_tokens', input_tokens: 5 }),
  }),
  request('/v1/responses/compact', '`input`', (value) => ({ model: 'gpt-4o', input: `Mail ${value}` }), {
    reply: json({
      id: 'resp_1',
      object: 'response.compaction',
      created_at: 1,
      output: [],
      usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
    }),
  }),
  request('/v1beta/interactions', '`input`', (value) => ({ model: 'gemini-echo', input: `Mail ${value}` }), {
    reply: json({
      id: 'i1',
      object: 'interaction',
      model: 'm',
      status: 'completed',
      role: 'model',
      outputs: [{ type: 'text', text: 'Hello' }],
      created: '2026-01-01T00:00:00Z',
      updated: '2026-01-01T00:00:00Z',
    }),
  }),
  request(
    '/v1/ocr',
    '`document_url`',
    (value) => ({
      model: 'ocr',
      document: { type: 'document_url', document_url: `https://example.org/${value}.pdf` },
    }),
    { reply: json({ pages: [], model: 'm', usage_info: { pages_processed: 1 } }) },
  ),
  request('/v1/search/{tool}', '`query`', (value) => ({ query: `Who is ${value}?` }), {
    path: '/v1/search/lab-search',
    reply: json({ query: 'q', results: [] }),
  }),
  openai('/v1/containers', '`name`', (value) => ({ name: value }), {
    id: 'cntr_1',
    object: 'container',
    created_at: 1,
    status: 'running',
    name: 'n',
  }),
  request(
    '/v1/rag/query',
    '`messages`',
    (value) => ({
      ...chat(`Who is ${value}?`, { model: 'gpt-4o' }),
      retrieval_config: { vector_store_id: 'vs_1', custom_llm_provider: 'openai' },
    }),
    { path: '/v1/rag/query' },
  ),
  request(
    '/v1/rag/ingest',
    '`file`',
    (value) => ({
      file: { filename: 'a.txt', content: Buffer.from(`Mail ${value}`).toString('base64'), content_type: 'text/plain' },
      ingest_options: { vector_store: { custom_llm_provider: 'openai' } },
    }),
    {
      reply: json({
        id: 'vs_1',
        object: 'vector_store',
        created_at: 1,
        name: 'n',
        bytes: 1,
        status: 'completed',
        filename: 'a.txt',
        purpose: 'assistants',
        file_counts: { completed: 1, in_progress: 0, failed: 0, cancelled: 0, total: 1 },
      }),
    },
  ),
  request(
    '/v1/realtime/client_secrets',
    '`instructions`',
    (value) => ({
      model: 'gpt-realtime',
      session: { type: 'realtime', model: 'gpt-realtime', instructions: `You work for ${value}` },
    }),
    { reply: json({ value: 'ek_1', expires_at: 1, session: {} }) },
  ),
  request(
    '/v1/skills',
    '`display_title`',
    (value) =>
      form({
        display_title: value,
        custom_llm_provider: 'anthropic',
        'files[]': file('---\nname: a\ndescription: b\n---', 'a/SKILL.md', 'text/markdown'),
      }),
    {
      reply: json({
        id: 'skill_1',
        type: 'skill',
        display_title: 't',
        created_at: '2026-01-01T00:00:00Z',
        updated_at: '2026-01-01T00:00:00Z',
        source: 'custom',
        latest_version: '1',
      }),
    },
  ),
  request(
    '/a2a/{agent}',
    '`message`',
    (value) => ({
      jsonrpc: '2.0',
      id: '1',
      method: 'message/send',
      params: { message: { role: 'user', messageId: 'm1', parts: [{ kind: 'text', text: `Mail ${value}` }] } },
    }),
    {
      path: '/a2a/lab-agent',
      reply: json({
        jsonrpc: '2.0',
        id: '1',
        result: { kind: 'message', messageId: 'm2', role: 'agent', parts: [{ kind: 'text', text: 'Hello' }] },
      }),
    },
  ),
];

/** All routes other than chats, completions, responses and messages. */
export const OTHER_PROBES: readonly Probe[] = [...models, ...stored, ...relatedRoutes];
