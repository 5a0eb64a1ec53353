import { chat } from '../../chatCases.ts';
import { type Probe, request } from '../probe.ts';
import { file, form, json } from './bodies.ts';
import { MODEL_PROBES } from './models.ts';
import { openai, STORAGE_PROBES } from './storage.ts';

/** Other names of the routes in the sibling files, and routes that only count or shorten their input. */
const RELATED_PROBES: readonly Probe[] = [
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
export const OTHER_PROBES: readonly Probe[] = [...MODEL_PROBES, ...STORAGE_PROBES, ...RELATED_PROBES];
