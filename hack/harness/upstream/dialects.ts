/** The APIs that the fake provider speaks. Each answers with the echo model. */
import { randomUUID } from 'node:crypto';
import { echo, type Json, type JsonObject } from '../gateway/gateway.ts';
import { isObject } from '../gateway/json.ts';

/** A request to a model. */
export interface Asked {
  readonly body: JsonObject;
  readonly model: string;
  readonly streamed: boolean;
}

/** The answers of one API: a body, or a list of server-sent events. */
export interface Dialect {
  whole(asked: Asked): JsonObject;
  events(asked: Asked): Iterable<string>;
}

const chat: Dialect = {
  whole: (asked) => echo.completionWire(chatAnswer(asked)),
  *events(asked) {
    const whole = chatAnswer(asked);
    for (const chunk of echo.stream(whole)) yield echo.chunkWire(whole, chunk);
    const options = asked.body.stream_options;
    if (isObject(options) && options.include_usage === true) yield echo.chunkWire(whole, { choices: [] }, whole.usage);
    yield 'data: [DONE]\n\n';
  },
};

function chatAnswer({ body, model }: Asked): echo.ModelAnswer {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return echo.answer({ model, messages, n: typeof body.n === 'number' ? body.n : 1 });
}

const USAGE = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };

const completions: Dialect = {
  whole({ body, model }) {
    const prompts = Array.isArray(body.prompt) ? body.prompt : [body.prompt ?? ''];
    const choice = (prompt: Json, index: number): JsonObject => ({
      index,
      text: `You said: ${typeof prompt === 'string' ? prompt : JSON.stringify(prompt)}`,
      finish_reason: 'stop',
      logprobs: null,
    });
    // LiteLLM records one call for each id, here and below.
    const choices = prompts.map(choice);
    return { id: `cmpl-${randomUUID()}`, object: 'text_completion', created: 1, model, choices, usage: USAGE };
  },
  *events(asked) {
    const whole = completions.whole(asked);
    const [first] = whole.choices as JsonObject[];
    for (const part of echo.chunksOf(first?.text as string, echo.chunkSize(asked.model))) {
      yield echo.event({ ...whole, choices: [{ index: 0, text: part, finish_reason: null }] });
    }
    yield echo.event({ ...whole, choices: [{ index: 0, text: '', finish_reason: 'stop' }] });
    yield 'data: [DONE]\n\n';
  },
};

const embeddings: Dialect = {
  whole({ body, model }) {
    const inputs = Array.isArray(body.input) ? body.input : [body.input ?? ''];
    const data = inputs.map((_, index) => ({ object: 'embedding', index, embedding: [0.1, 0.2, index] }));
    return { object: 'list', model, data, usage: { prompt_tokens: 3, total_tokens: 3 } };
  },
  events: () => [],
};

function namedEvent(type: string, fields: JsonObject): string {
  return `event: ${type}\n${echo.event({ type, ...fields })}`;
}

/** The last text of the user, or of a tool, in the input of `/v1/responses`. */
function responsesText(input: Json | undefined): string {
  if (typeof input === 'string') return input;
  const items = Array.isArray(input) ? input.filter(isObject) : [];
  const last = items.findLast((item) => item.role === 'user' || item.type === 'function_call_output');
  return echo.contentText(last?.content ?? last?.output);
}

/** An answer of `/v1/responses`. */
export const responseObject = (output: readonly Json[], model = 'fake'): JsonObject => ({
  ...{ id: `resp_${randomUUID()}`, object: 'response', created_at: 1, status: 'completed', model },
  output: [...output],
  ...{ error: null, incomplete_details: null, instructions: null, metadata: {}, parallel_tool_calls: true },
  ...{ temperature: 1, tool_choice: 'auto', tools: [], top_p: 1 },
  usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
});

const responses: Dialect = {
  whole({ body, model }) {
    const asked = responsesText(body.input);
    echo.refuse(model, asked);
    const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'send_mail' };
    const content = [{ type: 'output_text', text: `You said: ${asked}`, annotations: [] }];
    const item = model.startsWith('tool')
      ? { ...call, arguments: JSON.stringify({ to: asked }) }
      : { id: 'msg_1', type: 'message', role: 'assistant', content };
    const output = [{ ...item, status: 'completed' }];
    return { ...responseObject(output, model), instructions: body.instructions ?? null };
  },
  *events(asked) {
    const whole = responses.whole(asked);
    const [item] = whole.output as JsonObject[];
    const [part] = (item?.content ?? []) as JsonObject[];
    const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    const begun = { ...whole, status: 'in_progress', output: [], usage: null };
    yield namedEvent('response.created', { response: begun });
    yield namedEvent('response.output_item.added', { output_index: 0, item: { ...item, content: [] } });
    yield namedEvent('response.content_part.added', { ...at, part: { ...part, text: '' } });
    for (const delta of echo.chunksOf(part?.text as string, echo.chunkSize(asked.model))) {
      yield namedEvent('response.output_text.delta', { ...at, delta });
    }
    yield namedEvent('response.output_text.done', { ...at, text: part?.text ?? '' });
    yield namedEvent('response.content_part.done', { ...at, part: part ?? {} });
    yield namedEvent('response.output_item.done', { output_index: 0, item: item ?? {} });
    yield namedEvent('response.completed', { response: whole });
  },
};

const messages: Dialect = {
  whole(asked) {
    const [choice] = chatAnswer(asked).choices;
    const textBlock = { type: 'text', text: choice?.text ?? '' };
    const calls = (choice?.toolCalls ?? []).map(({ id, function: called }) => ({
      type: 'tool_use',
      id,
      name: called.name,
      input: JSON.parse(called.arguments) as JsonObject,
    }));
    return {
      ...{ id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: asked.model },
      content: [...(choice?.text === null ? [] : [textBlock]), ...calls],
      stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
      ...{ stop_sequence: null, usage: { input_tokens: 5, output_tokens: 5 } },
    };
  },
  *events(asked) {
    const whole = messages.whole(asked);
    const [block] = whole.content as JsonObject[];
    yield namedEvent('message_start', { message: { ...whole, content: [], stop_reason: null } });
    yield namedEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    for (const text of echo.chunksOf(block?.text as string, echo.chunkSize(asked.model))) {
      yield namedEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
    }
    yield namedEvent('content_block_stop', { index: 0 });
    yield namedEvent('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } });
    yield namedEvent('message_stop', {});
  },
};

/** The dialect of each path. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  '/chat/completions': chat,
  '/completions': completions,
  '/embeddings': embeddings,
  '/responses': responses,
  '/messages': messages,
};
