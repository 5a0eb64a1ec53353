import type { JsonObject } from '../../../harness/gateway/gateway.ts';
import { CHAT, chat } from '../../chatCases.ts';
import { pseudonymIn } from '../outcome.ts';
import { over, type Probe, probesOf, request, sentBy } from '../probe.ts';
import { form, json } from './bodies.ts';

const FILES = '/v1/files';
const KEPT = json({
  ...{ id: 'file-1', object: 'file', bytes: 1, created_at: 1 },
  ...{ filename: 'a.jsonl', purpose: 'batch', status: 'processed' },
});
const fileOf = (purpose: string, file: JsonObject): FormData => form({ purpose, custom_llm_provider: 'openai', file });
const batchFile = (value: string): FormData => {
  const line = JSON.stringify({ custom_id: '1', method: 'POST', url: CHAT, body: chat(`Mail ${value}`) });
  return fileOf('batch', { name: 'a.jsonl', type: 'application/jsonl', content: line });
};

/** Uploads a batch file with a value. The batch's answer file contains its pseudonym. */
const batchOutput = sentBy('`/v1/files/{file}/content`', 'answers of a batch', 'answer', async (bench, value) => {
  let pseudonym = '';
  bench.model.script(({ method, text }) => {
    if (method === 'POST') pseudonym = pseudonymIn(text) ?? '';
    return method === 'POST' ? KEPT : { text: JSON.stringify({ said: pseudonym }), type: 'application/jsonl' };
  });
  await bench.client.raw(FILES, { body: batchFile(value) });
  return bench.client.raw('/v1/files/file-1/content?custom_llm_provider=openai', { method: 'GET' });
});

/** The shape of rows of a route that passes its calls to OpenAI. */
export const OPENAI = over({ custom_llm_provider: 'openai' });

/** All fields of the routes that store data at the provider. */
export const STORAGE_PROBES: readonly Probe[] = [
  request(FILES, 'lines of a batch', batchFile, { reply: KEPT }),
  batchOutput,
  ...probesOf(
    { upload: { body: (file) => fileOf('user_data', file), options: { reply: KEPT } }, openai: OPENAI },
    `
/v1/files:
  - [upload, any other file, { name: a.txt, type: text/plain, content: Mail $value }]
  - [upload, name of a file, { name: $value.txt, type: text/plain, content: Hello }]
/v1/batches:
  - [openai, <metadata>, { input_file_id: file-1, endpoint: /v1/chat/completions,
      completion_window: '24h', metadata: { customer: $value } }, { reply: { id: batch_1, object: batch,
      endpoint: /v1/chat/completions, errors: null, input_file_id: file-1, completion_window: '24h',
      status: validating, created_at: 1 } }]
/v1/fine_tuning/jobs:
  - [openai, <suffix>, { model: gpt-4o-mini, training_file: file-1, suffix: $value },
      { reply: { id: ft_1, object: fine_tuning.job, created_at: 1, model: m, organization_id: o, result_files: [],
      status: queued, seed: 1, training_file: file-1, hyperparameters: {}, fine_tuned_model: null, finished_at: null,
      error: null, trained_tokens: null, validation_file: null } }]
/v1/assistants:
  - [openai, <instructions>, { model: gpt-4o, instructions: You work for $value },
      { reply: { id: asst_1, object: assistant, created_at: 1, model: gpt-4o, tools: [] } }]
/v1/threads:
  - [openai, <messages>, { messages: [{ role: user, content: Mail $value }] },
      { reply: { id: thread_1, object: thread, created_at: 1, metadata: {} } }]
'/v1/threads/{thread}/messages':
  - [openai, <content>, { role: user, content: Mail $value },
      { path: /v1/threads/thread_1/messages, reply: { id: msg_1, object: thread.message, created_at: 1,
      thread_id: thread_1, role: user, content: [], status: completed, metadata: {} } }]
/v1/vector_stores:
  - [openai, <name>, { name: $value }, { reply: { id: vs_1, object: vector_store,
      created_at: 1, name: 'n', status: completed, file_counts: {}, bytes: 0 } }]
'/v1/vector_stores/{store}/search':
  - [openai, <query>, { query: 'Who is $value?' }, { path: /v1/vector_stores/vs_1/search,
      reply: { object: vector_store.search_results.page, search_query: q, data: [], has_more: false,
      next_page: null } }]
/v1/videos:
  - [openai, <prompt>, { model: vid, prompt: Film $value }, { reply: { id: video_1,
      object: video, created_at: 1, status: queued, model: sora-2, progress: 0 } }]
`,
  ),
];
