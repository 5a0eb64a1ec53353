import type { Json, JsonObject } from '../../../harness/gateway/gateway.ts';
import { CHAT, chat, user } from '../../chatCases.ts';
import { pseudonymIn } from '../outcome.ts';
import { type Probe, request } from '../probe.ts';
import { newEmail } from '../values.ts';
import { file, form, json } from './bodies.ts';

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

/** @returns a probe of a route that passes its calls to OpenAI */
export const openai = (
  route: string,
  field: string,
  body: (value: string) => JsonObject,
  reply: Json,
  path?: string,
): Probe =>
  request(route, field, (value) => ({ custom_llm_provider: 'openai', ...body(value) }), {
    reply: json(reply),
    ...(path !== undefined && { path }),
  });

/** All fields of the routes that store data at the provider. */
export const STORAGE_PROBES: readonly Probe[] = [
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
