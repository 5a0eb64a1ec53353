import type { JsonObject } from '../../../harness/gateway/gateway.ts';
import { user } from '../../chatCases.ts';
import { responseObject } from '../../../harness/upstream/dialects.ts';
import type { Reply } from '../../../harness/upstream/modelServer.ts';
import { answer, over, pieces, type Probe, probesOf, typed } from '../probe.ts';

const RESPONSES = '/v1/responses';

/** A model that LiteLLM knows. For unknown models, LiteLLM synthesizes the streams. */
const MODEL = 'gpt-4o';

/** @returns the body of a history in which the item is between two of the user */
const between = (item: JsonObject): JsonObject => ({ model: MODEL, input: [user('Hello'), item, user('Go on')] });

const SHAPES = {
  call: over({ model: MODEL, input: 'Hello' }),
  item: { body: between },
  part: { body: (part: JsonObject) => between(user([{ type: 'input_text', text: 'Look at this' }, part])) },
};

const requests = probesOf(
  SHAPES,
  `
/v1/responses:
  - [call, <input>, { input: Mail $value }]
  - [call, <instructions>, { instructions: You work for $value }]
  - [part, text parts, { type: input_text, text: Mail $value }]
  - [item, <output_text> of an assistant, { type: message, id: msg_1, role: assistant, status: completed,
      content: [{ type: output_text, text: I mailed $value, annotations: [] }] }]
  - [item, <refusal> of an assistant, { type: message, id: msg_1, role: assistant, status: completed,
      content: [{ type: refusal, refusal: Not for $value }] }]
  - [item, arguments of <function_call>, { type: function_call, call_id: c1, name: send_mail,
      arguments: '{"to":"$value"}' }]
  - [call, <function_call_output>, { input: [{ role: user, content: Hello }, { type: function_call, call_id: c1,
      name: send_mail, arguments: '{}' }, { type: function_call_output, call_id: c1, output: Sent to $value }] }]
  - [item, <custom_tool_call>, { type: custom_tool_call, call_id: c1, name: mail, input: To $value }]
  - [item, <custom_tool_call_output>, { type: custom_tool_call_output, call_id: c1, output: To $value }]
  - [item, <reasoning>, { type: reasoning, id: rs_1, summary: [{ type: summary_text, text: This is $value }] }]
  - [item, <mcp_call>, { type: mcp_call, id: mcp_1, name: lookup, server_label: lab, arguments: '{}',
      output: Found $value }]
  - [item, <web_search_call>, { type: web_search_call, id: ws_1, status: completed, action: { type: search,
      query: Who is $value } }]
  - [item, <file_search_call>, { type: file_search_call, id: fs_1, status: completed, queries: [who],
      results: [{ file_id: file-1, text: Mail $value }] }]
  - [item, <code_interpreter_call>, { type: code_interpreter_call, id: ci_1, status: completed, container_id: cntr_1,
      code: 'print(1)', outputs: [{ type: logs, logs: Mail $value }] }]
  - [item, <local_shell_call_output>, { type: local_shell_call_output, id: c1, output: Mail $value }]
  - [item, <computer_call> action, { type: computer_call, id: cu_1, call_id: c1, status: completed,
      pending_safety_checks: [], action: { type: type, text: Mail $value } }]
  - [call, <description> of a tool, { tools: [{ type: function, name: send_mail, description: Mails $value,
      parameters: { type: object, properties: { to: { type: string, description: Whom } } } }] }]
  - [call, <parameters> of a tool, { tools: [{ type: function, name: send_mail, description: d,
      parameters: { type: object, properties: { to: { type: string, description: Such as $value } } } }] }]
  - [call, custom tools, { tools: [{ type: custom, name: send_mail, description: Mails $value }] }]
  - [call, location in <web_search> tools, { tools: [{ type: web_search, user_location: { type: approximate,
      city: $value } }] }]
  - [call, <text.format>, { text: { format: { type: json_schema, name: mail, schema: { type: object,
      properties: { to: { type: string, description: Such as $value } } } } } }]
  - [call, variables of <prompt>, { prompt: { id: pmpt_1, variables: { customer: $value } } }]
  - [call, <metadata>, { metadata: { customer: $value } }]
  - [call, <user>, { user: $value }]
  - [call, <safety_identifier>, { safety_identifier: $value }]
  - [call, <prompt_cache_key>, { prompt_cache_key: $value }]
  - [call, unknown fields, { x_note: $value }]
  - [part, <file_data>, { type: input_file, filename: a.txt, file_data: 'data:text/plain;base64,$value' },
      { value: file }]
  - [part, <filename>, { type: input_file, filename: $value.pdf, file_id: file-1 }]
  - [part, <file_url>, { type: input_file, file_url: 'https://example.org/$value.pdf' }]
  - [call, an image without text, { input: [{ role: user, content: [{ type: input_image, image_url: $value,
      detail: auto }] }] }, { value: image }]
`,
);

const said = (part: JsonObject): JsonObject => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [part],
});

const mail = (value: string): JsonObject => ({ model: MODEL, input: `Mail ${value}` });
const streamed = (value: string): JsonObject => ({ ...mail(value), stream: true });

const got = (field: string, output: (pseudonym: string) => JsonObject): Probe =>
  answer(RESPONSES, field, mail, (pseudonym) => ({ json: responseObject([done, output(pseudonym)]) }));

const done = said({ type: 'output_text', text: 'Done.', annotations: [] });

const call = (args: string): JsonObject => ({
  id: 'fc_1',
  type: 'function_call',
  status: 'completed',
  call_id: 'c1',
  name: 'send_mail',
  arguments: args,
});

/** @returns the events of one item that is sent in pieces. */
function stream(begun: JsonObject, deltas: readonly (JsonObject & { type: string })[], ended: JsonObject): Reply {
  return {
    events: [
      typed({ type: 'response.created', response: { ...responseObject([]), status: 'in_progress', usage: null } }),
      typed({ type: 'response.output_item.added', output_index: 0, item: begun }),
      ...deltas.map(typed),
      typed({ type: 'response.output_item.done', output_index: 0, item: ended }),
      typed({ type: 'response.completed', response: responseObject([ended]) }),
    ],
  };
}

const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };

const answers: readonly Probe[] = [
  got('answer: `output_text`', (pseudonym) =>
    said({ type: 'output_text', text: `Mailed ${pseudonym}`, annotations: [] }),
  ),
  got('answer: arguments of `function_call`', (pseudonym) => call(`{"to":"${pseudonym}"}`)),
  got('answer: `refusal`', (pseudonym) => said({ type: 'refusal', refusal: `Not for ${pseudonym}` })),
  got('answer: `reasoning`', (pseudonym) => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: `It is ${pseudonym}` }],
  })),
  answer(RESPONSES, 'stream: `output_text`', streamed, (pseudonym) => {
    const text = `Mailed ${pseudonym}`;
    const deltas = pieces(text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta }));
    return stream({ ...done, content: [] }, deltas, said({ type: 'output_text', text, annotations: [] }));
  }),
  answer(RESPONSES, 'stream: arguments of `function_call`', streamed, (pseudonym) => {
    const args = `{"to":"${pseudonym}"}`;
    const deltas = pieces(args).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      item_id: 'fc_1',
      output_index: 0,
      delta,
    }));
    const whole = { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 0, arguments: args };
    return stream(call(''), [...deltas, whole], call(args));
  }),
];

/** All fields of `/v1/responses`, in the request and in the answer. */
export const RESPONSES_PROBES: readonly Probe[] = [...requests, ...answers];
