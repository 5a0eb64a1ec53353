import { type Probe, probesOf, request } from '../probe.ts';
import { BODY, FORM, json } from './bodies.ts';
import { MODEL_PROBES } from './models.ts';
import { OPENAI, STORAGE_PROBES } from './storage.ts';

/** Other names of the routes in the sibling files, and routes that only count or shorten their input. */
const RELATED_PROBES: readonly Probe[] = [
  ...probesOf(
    { body: BODY, form: FORM, openai: OPENAI },
    `
'/engines/{model}/chat/completions':
  - [body, <content> of a message, { model: echo-c7, messages: [{ role: user, content: Mail $value }] },
      { path: /engines/gpt-4o/chat/completions }]
'/openai/deployments/{model}/chat/completions':
  - [body, <content> of a message, { model: echo-c7, messages: [{ role: user, content: Mail $value }] },
      { path: /openai/deployments/gpt-4o/chat/completions }]
/queue/chat/completions:
  - [body, <content> of a message, { model: echo-c7, messages: [{ role: user, content: Mail $value }], priority: 1 }]
/cursor/chat/completions:
  - [body, <input>, { model: gpt-4o, input: Mail $value }]
/v1/responses/input_tokens:
  - [body, <input>, { model: gpt-4o, input: Mail $value }, { reply: { object: response.input_tokens,
      input_tokens: 5 } }]
/v1/responses/compact:
  - [body, <input>, { model: gpt-4o, input: Mail $value }, { reply: { id: resp_1, object: response.compaction,
      created_at: 1, output: [], usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 } } }]
/v1beta/interactions:
  - [body, <input>, { model: gemini-echo, input: Mail $value }, { reply: { id: i1, object: interaction, model: m,
      status: completed, role: model, outputs: [{ type: text, text: Hello }], created: '2026-01-01T00:00:00Z',
      updated: '2026-01-01T00:00:00Z' } }]
/v1/ocr:
  - [body, <document_url>, { model: ocr, document: { type: document_url,
      document_url: 'https://example.org/$value.pdf' } }, { reply: { pages: [], model: m,
      usage_info: { pages_processed: 1 } } }]
'/v1/search/{tool}':
  - [body, <query>, { query: 'Who is $value?' }, { path: /v1/search/lab-search, reply: { query: q, results: [] } }]
/v1/containers:
  - [openai, <name>, { name: $value }, { reply: { id: cntr_1, object: container,
      created_at: 1, status: running, name: 'n' } }]
/v1/rag/query:
  - [body, <messages>, { model: gpt-4o, messages: [{ role: user, content: 'Who is $value?' }],
      retrieval_config: { vector_store_id: vs_1, custom_llm_provider: openai } }]
/v1/realtime/client_secrets:
  - [body, <instructions>, { model: gpt-realtime, session: { type: realtime, model: gpt-realtime,
      instructions: You work for $value } }, { reply: { value: ek_1, expires_at: 1, session: {} } }]
/v1/skills:
  - [form, <display_title>, { display_title: $value, custom_llm_provider: anthropic, 'files[]': { name: a/SKILL.md,
      type: text/markdown, content: "---\\nname: a\\ndescription: b\\n---" } }, { reply: { id: skill_1, type: skill,
      display_title: t, created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z', source: custom,
      latest_version: '1' } }]
'/a2a/{agent}':
  - [body, <message>, { jsonrpc: '2.0', id: '1', method: message/send, params: { message: { role: user, messageId: m1,
      parts: [{ kind: text, text: Mail $value }] } } }, { path: /a2a/lab-agent, reply: { jsonrpc: '2.0', id: '1',
      result: { kind: message, messageId: m2, role: agent, parts: [{ kind: text, text: Hello }] } } }]
`,
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
        ...{ id: 'vs_1', object: 'vector_store', created_at: 1, name: 'n', bytes: 1, status: 'completed' },
        ...{ filename: 'a.txt', purpose: 'assistants' },
        file_counts: { completed: 1, in_progress: 0, failed: 0, cancelled: 0, total: 1 },
      }),
    },
  ),
];

/** All routes other than chats, completions, responses and messages. */
export const OTHER_PROBES: readonly Probe[] = [...MODEL_PROBES, ...STORAGE_PROBES, ...RELATED_PROBES];
