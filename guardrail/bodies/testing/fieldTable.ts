/**
 * Test support: a request of each operation with a value in each field that can carry text. The types of the official
 * SDKs check that no field of the first level is missing.
 */
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';

export interface FieldCase {
  readonly method: string;
  readonly path: string;
  /** @param v makes a text with a value */
  readonly body: (v: () => string) => object;
  /** Members that keep the value: what the API or the gateway needs. */
  readonly kept?: readonly string[];
}

type Chat = Required<OpenAI.ChatCompletionCreateParamsNonStreaming>;
type Completion = Required<OpenAI.CompletionCreateParamsNonStreaming>;
type Response = Required<OpenAI.Responses.ResponseCreateParamsNonStreaming>;
type Messages = Required<Anthropic.MessageCreateParamsNonStreaming>;

const openAiTools = (v: () => string): OpenAI.ChatCompletionTool[] => [
  {
    type: 'function',
    function: {
      name: 'find',
      description: v(),
      parameters: {
        type: 'object',
        title: v(),
        properties: {
          name: { type: 'string', description: v(), default: v(), examples: [v(), { name: v(), required: v() }] },
          kind: { enum: [v()], const: v() },
          headers: { type: 'string', description: v() },
          default: { type: 'string', description: v() },
        },
        required: ['name', v()],
      },
    },
  },
  { type: 'custom', custom: { name: 'write', description: v(), format: { type: 'text' } } },
];

const chat = (v: () => string): Partial<Chat> => ({
  model: 'm',
  messages: [
    { role: 'developer', content: v(), name: v() },
    { role: 'system', content: [{ type: 'text', text: v() }], name: v() },
    { role: 'user', content: [{ type: 'text', text: v() }], name: v() },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: v() },
        { type: 'refusal', refusal: v() },
      ],
      refusal: v(),
      name: v(),
      audio: null,
      // oxlint-disable-next-line typescript/no-deprecated -- clients still send it
      function_call: { name: 'find', arguments: JSON.stringify({ [v()]: v(), n: 1 }) },
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'find', arguments: JSON.stringify({ who: v() }) } },
        { id: 'call_2', type: 'custom', custom: { name: 'write', input: v() } },
      ],
      ...{ reasoning_content: v(), thinking_blocks: [{ type: 'thinking', thinking: v(), signature: 's' }] },
      ...{ annotations: [{ type: 'url_citation', url_citation: { title: v(), url: 'https://example.com' } }] },
    },
    { role: 'tool', content: v(), tool_call_id: 'call_1' },
    { role: 'function', content: v(), name: 'find' },
    {
      ...{ role: 'user', status: v(), format: v(), session_id: v() },
      content: [{ type: 'image_url', image_url: { url: 'https://example.com/a', detail: v() as 'low' } }],
    },
    { role: 'user', content: v(), ...{ customer: { name: v(), list: [v()], [v()]: 1 } } },
  ],
  audio: null,
  stop: [v(), v()],
  prediction: { type: 'content', content: [{ type: 'text', text: v() }] },
  tools: openAiTools(v),
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'n', description: v(), schema: { properties: { a: { description: v(), enum: [v()] } } } },
  },
  metadata: { [v()]: v() },
  prompt_cache_key: v(),
  web_search_options: { user_location: { type: 'approximate', approximate: { city: v(), region: v() } } },
  ...{
    ['functions' as string]: [
      { name: 'find', description: v(), parameters: { properties: { a: { description: v() } } } },
    ],
  },
  ...{ extra: v(), extra_list: [v(), { [v()]: v() }], nested: { name: v(), status: v(), x_id: v(), deep: [[v()]] } },
});

export const FIELD_CASES: readonly FieldCase[] = [
  { method: 'POST', path: '/v1/chat/completions', body: chat },
  {
    ...{ method: 'POST', path: '/v1/chat/completions', kept: ['user', 'safety_identifier', 'metadata.user_id'] },
    body: (v) => ({ messages: [], user: v(), safety_identifier: v(), metadata: { user_id: v() } }),
  },
  {
    ...{
      method: 'POST',
      path: '/v1/responses',
      kept: ['tools.0.server_url', 'tools.0.authorization', 'tools.0.headers.x'],
    },
    body: (v) => ({
      tools: [{ type: 'mcp', server_url: v(), authorization: v(), headers: { x: v() }, server_label: v() }],
    }),
  },
  {
    ...{ method: 'POST', path: '/v1/messages', kept: ['mcp_servers.0.url', 'mcp_servers.0.authorization_token'] },
    body: (v) => ({ mcp_servers: [{ type: 'url', name: 'n', url: v(), authorization_token: v() }] }),
  },
  {
    ...{ method: 'POST', path: '/v1/completions' },
    body: (v): Partial<Completion> => ({ model: 'm', prompt: [v(), v()], suffix: v(), stop: v(), ...{ extra: v() } }),
  },
  { method: 'POST', path: '/openai/deployments/gpt/completions', body: (v) => ({ prompt: v() }) },
  {
    ...{ method: 'POST', path: '/v1/responses' },
    body: (v): Partial<Response> => ({
      model: 'm',
      instructions: v(),
      input: [
        { role: 'user', content: v() },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: v() }] },
        {
          ...{ type: 'message', role: 'assistant', id: 'msg_1', status: 'completed' },
          content: [
            { type: 'output_text', text: v(), annotations: [] },
            { type: 'refusal', refusal: v() },
          ],
        },
        { type: 'function_call', call_id: 'call_1', name: 'find', arguments: JSON.stringify({ a: v() }) },
        { type: 'function_call_output', call_id: 'call_1', output: v() },
        { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: v() }] },
        { type: 'custom_tool_call', call_id: 'call_2', name: 'write', input: v() },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: v() }] },
        { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', queries: [v()] } },
        {
          ...{ type: 'local_shell_call', id: 'l', call_id: 'c', status: 'completed' },
          action: { type: 'exec', command: ['ls', v()], env: { NAME: v() } },
        },
        { type: 'mcp_call', id: 'm', name: 'n', server_label: 's', arguments: JSON.stringify([v()]), output: v() },
      ] as OpenAI.Responses.ResponseInput,
      prompt: { id: 'pmpt_1', variables: { name: v(), part: { type: 'input_text', text: v() } } },
      metadata: { note: v() },
      prompt_cache_key: v(),
      text: { format: { type: 'json_schema', name: 'n', description: v(), schema: { title: v() } } },
      tools: [{ type: 'function', name: 'find', strict: null, description: v(), parameters: { title: v() } }],
      ...{ extra: { [v()]: v() } },
    }),
  },
  { method: 'POST', path: '/v1/responses', body: (v) => ({ input: v() }) },
  { method: 'POST', path: '/v1/responses/input_tokens', body: (v) => ({ input: v() }) },
  { method: 'POST', path: '/v1/embeddings', body: (v) => ({ model: 'm', input: [v(), v()], extra: v() }) },
  { method: 'POST', path: '/v1/embeddings', body: (v) => ({ input: v() }) },
  {
    ...{ method: 'POST', path: '/v1/moderations' },
    body: (v): OpenAI.ModerationCreateParams => ({ input: [{ type: 'text', text: v() }] }),
  },
  {
    ...{ method: 'POST', path: '/v1/images/generations' },
    body: (v) => ({ model: 'm', prompt: v(), extra: v() }),
  },
  { method: 'POST', path: '/v1/audio/speech', body: (v) => ({ input: v(), instructions: v(), voice: 'alloy' }) },
  {
    ...{ method: 'POST', path: '/v1/batches' },
    body: (v) => ({ input_file_id: 'file-1', endpoint: '/v1/chat/completions', metadata: { note: v() } }),
  },
  {
    ...{ method: 'POST', path: '/v1/rerank' },
    body: (v) => ({ model: 'm', query: v(), documents: [v(), { text: v(), title: v(), status: v() }] }),
  },
  {
    ...{ method: 'POST', path: '/anthropic/v1/messages' },
    body: (v): Partial<Messages> => ({
      model: 'm',
      max_tokens: 10,
      system: [{ type: 'text', text: v(), cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: v() },
        {
          role: 'user',
          content: [
            { type: 'text', text: v() },
            {
              type: 'document',
              title: v(),
              context: v(),
              source: { type: 'text', media_type: 'text/plain', data: v() },
            },
            { type: 'search_result', source: v(), title: v(), content: [{ type: 'text', text: v() }] },
            { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: v() }] },
            { type: 'tool_result', tool_use_id: 't', content: v() },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: v(), signature: 's' },
            { type: 'tool_use', id: 't', name: 'find', input: { [v()]: [v(), { name: v(), type: v() }] } },
          ],
        },
      ],
      stop_sequences: [v()],
      tools: [
        {
          name: 'find',
          description: v(),
          input_schema: { type: 'object', properties: { a: { description: v() } } },
          ...{ input_examples: [{ name: v() }] },
        },
      ],
      ...{ extra: v(), ['metadata' as string]: { note: v() } },
    }),
  },
  { method: 'POST', path: '/v1/messages', body: (v) => ({ system: v(), messages: [] }) },
  { method: 'POST', path: '/v1/messages', kept: ['metadata.user_id'], body: (v) => ({ metadata: { user_id: v() } }) },
  {
    ...{ method: 'POST', path: '/v1/messages/batches', kept: ['requests.0.params.metadata.user_id'] },
    body: (v) => ({ requests: [{ custom_id: 'a', params: { metadata: { user_id: v(), note: v() }, messages: [] } }] }),
  },
  { method: 'POST', path: '/v1/messages/count_tokens', body: (v) => ({ messages: [{ role: 'user', content: v() }] }) },
  {
    ...{ method: 'POST', path: '/v1/messages/batches' },
    body: (v) => ({
      requests: [{ custom_id: 'a', params: { model: 'm', system: v(), messages: [{ role: 'user', content: v() }] } }],
    }),
  },
  {
    ...{ method: 'POST', path: '/v1beta/models/gemini:generateContent' },
    body: (v) => ({
      contents: [
        { role: 'user', parts: [{ text: v() }, { functionResponse: { name: 'find', response: { [v()]: v() } } }] },
        {
          role: 'model',
          parts: [{ functionCall: { name: 'find', args: { a: v(), n: [v()] } } }, { thought: true, text: v() }],
        },
      ],
      systemInstruction: { parts: [{ text: v() }] },
      tools: [{ functionDeclarations: [{ name: 'find', description: v(), parameters: { title: v() } }] }],
      generationConfig: { stopSequences: [v()], responseSchema: { description: v(), enum: [v()] } },
      labels: { [v()]: v() },
    }),
  },
  {
    method: 'POST',
    path: '/v1beta/models/e:embedContent',
    body: (v) => ({ content: { parts: [{ text: v() }] }, title: v() }),
  },
  {
    ...{ method: 'POST', path: '/v1beta/models/e:batchEmbedContents' },
    body: (v) => ({ requests: [{ model: 'models/e', content: { parts: [{ text: v() }] }, title: v() }] }),
  },
  {
    method: 'POST',
    path: '/v1beta/models/g:countTokens',
    body: (v) => ({ generateContentRequest: { contents: [{ parts: [{ text: v() }] }] } }),
  },
];
