import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import readRaw from 'raw-body';
import { echo, type Json, type JsonObject } from '../gateway/gateway.ts';
import { answerMcp, MCP_PATH } from './mcpServer.ts';
import { serveRealtime } from './realtimeServer.ts';

/** Records the requests that reached a model. */
export interface Witness {
  /** @returns the requests since the last reset, as JSON text, oldest first */
  saw(): readonly string[];
  reset(): void;
}

/** A request as the fake provider received it. */
export interface Arrived {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly text: string;
}

/** A scripted answer: JSON, server-sent events, or text of another type. */
export type Reply =
  { readonly json: Json } | { readonly events: readonly string[] } | { readonly text: string; readonly type: string };

/** Computes the answer to a request. With undefined, the API of the path answers. */
export type Script = (arrived: Arrived) => Reply | undefined;

/** A witness with scripted answers. */
export interface ScriptedWitness extends Witness {
  /** Answers with this script until the next reset. */
  script(script: Script): void;
}

/** A fake provider of models with the APIs of OpenAI and Anthropic. It records its requests. */
export interface ModelServer extends ScriptedWitness {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Asked {
  readonly body: JsonObject;
  readonly model: string;
  readonly streamed: boolean;
}

/** The answer of an endpoint: a body, or a list of server-sent events. */
interface Dialect {
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
    return { id: 'cmpl-1', object: 'text_completion', created: 1, model, choices: prompts.map(choice), usage: USAGE };
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
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model,
  output: [...output],
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
});

const responses: Dialect = {
  whole({ body, model }) {
    const asked = responsesText(body.input);
    echo.refuse(model, asked);
    const call = {
      id: 'fc_1',
      type: 'function_call',
      status: 'completed',
      call_id: 'call_1',
      name: 'send_mail',
      arguments: JSON.stringify({ to: asked }),
    };
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: `You said: ${asked}`, annotations: [] }],
    };
    const output = [model.startsWith('tool') ? call : message];
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
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: asked.model,
      content: [...(choice?.text === null ? [] : [textBlock]), ...calls],
      stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 5 },
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

/**
 * Starts the fake provider on loopback.
 * @param port 0 picks a free one
 */
export async function startModelServer(port = 0): Promise<ModelServer> {
  let bodies: string[] = [];
  let script: Script | undefined;
  const router = new Router<{ text: string }>();
  const serve = (path: string, dialect: Dialect): void => {
    router.post([path, `/v1${path}`], async (ctx) => {
      const body = JSON.parse(ctx.state.text) as JsonObject;
      const asked = { body, model: typeof body.model === 'string' ? body.model : '', streamed: body.stream === true };
      try {
        if (asked.streamed) await send(ctx, [...dialect.events(asked)]);
        else ctx.body = dialect.whole(asked);
      } catch (error) {
        if (!(error instanceof echo.ModelError)) throw error;
        ctx.status = error.status;
        ctx.body = { error: { message: error.message, type: 'fake', code: error.status } };
      }
    });
  };
  serve('/chat/completions', chat);
  serve('/completions', completions);
  serve('/embeddings', embeddings);
  serve('/responses', responses);
  serve('/messages', messages);
  const app = new Koa<{ text: string }>();
  app.use(async (ctx, next) => {
    const text = await readRaw(ctx.req, { encoding: 'utf8', limit: '64mb' });
    ctx.state.text = text;
    if (ctx.path === MCP_PATH) {
      answerMcp(ctx, text, (called) => bodies.push(called));
      return;
    }
    // Records a JSON body alone, so that the test cases can parse it. Records a request without a body, such as a GET, by its
    // path.
    bodies.push(text === '' ? `${ctx.method} ${ctx.url}` : text);
    const reply = script?.({ method: ctx.method, path: ctx.url, text });
    if (reply === undefined) await next();
    else if ('events' in reply) await send(ctx, reply.events);
    else if ('json' in reply) ctx.body = reply.json;
    else {
      ctx.type = reply.type;
      ctx.body = reply.text;
    }
  });
  app.use(router.routes());
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response));
  const realtime = serveRealtime(server, (event) => bodies.push(event));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    saw: () => [...bodies],
    reset: () => {
      bodies = [];
      script = undefined;
    },
    script: (next) => {
      script = next;
    },
    stop: async () => {
      const closed = once(server, 'close');
      realtime.close();
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Writes each event in a separate turn of the event loop, so that a gateway receives them one by one. */
async function send(ctx: Context, events: readonly string[]): Promise<void> {
  ctx.respond = false;
  const response: ServerResponse = ctx.res;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    if (response.destroyed) return;
    response.write(event);
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}
