import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import Router from '@koa/router';
import Koa, { type Next, type ParameterizedContext } from 'koa';
import readRaw from 'raw-body';
import { echo, type Json, type JsonObject } from '../gateway/gateway.ts';
import { listen } from '../gateway/listen.ts';
import { type Dialect, DIALECTS } from './dialects.ts';
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

/** A scripted answer: JSON, server-sent events, text of another type, or the answer of the server at a base URL. */
export type Reply =
  | { readonly json: Json }
  | { readonly events: readonly string[] }
  | { readonly text: string; readonly type: string }
  | { readonly forward: string };

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

/** Starts the fake provider on loopback. */
export async function startModelServer(): Promise<ModelServer> {
  const model = new FakeModel();
  const handle = model.app().callback();
  const server = createServer((request, response) => void handle(request, response));
  const realtime = serveRealtime(server, (event) => {
    model.record(event);
  });
  const { url, stop } = await listen(server);
  return {
    url,
    saw: () => model.saw(),
    reset: () => {
      model.reset();
    },
    script: (next) => {
      model.script(next);
    },
    stop: async () => {
      realtime.close();
      await stop();
    },
  };
}

interface State {
  /** The body of the request. */
  text: string;
}

/** The endpoints of the fake provider, with the recorded requests and the script. */
class FakeModel implements ScriptedWitness {
  #bodies: string[] = [];
  #script: Script | undefined;

  saw(): readonly string[] {
    return [...this.#bodies];
  }

  reset(): void {
    this.#bodies = [];
    this.#script = undefined;
  }

  script(script: Script): void {
    this.#script = script;
  }

  record(body: string): void {
    this.#bodies.push(body);
  }

  app(): Koa<State> {
    const app = new Koa<State>();
    app.use((ctx, next) => this.#receive(ctx, next));
    const router = new Router<State>();
    for (const [path, dialect] of Object.entries(DIALECTS)) {
      router.post([path, `/v1${path}`], (ctx) => answer(ctx, dialect));
    }
    app.use(router.routes());
    return app;
  }

  /** Records a request, and answers it if the script does. */
  async #receive(ctx: ParameterizedContext<State>, next: Next): Promise<void> {
    const text = await readRaw(ctx.req, { encoding: 'utf8', limit: '64mb' });
    ctx.state.text = text;
    if (ctx.path === MCP_PATH) {
      answerMcp(ctx, text, (called) => {
        this.record(called);
      });
      return;
    }
    // Records a JSON body alone, so that the test cases can parse it. Records a request without a body, such as a GET, by its
    // path.
    this.record(text === '' ? `${ctx.method} ${ctx.url}` : text);
    const reply = this.#script?.({ method: ctx.method, path: ctx.url, text });
    if (reply === undefined) await next();
    else if ('events' in reply) await send(ctx, reply.events);
    else if ('forward' in reply) await forward(ctx, reply.forward);
    else if ('json' in reply) ctx.body = reply.json;
    else {
      ctx.type = reply.type;
      ctx.body = reply.text;
    }
  }
}

/** Answers a request as an API does. */
async function answer(ctx: ParameterizedContext<State>, dialect: Dialect): Promise<void> {
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
}

/** Passes a request to another server unchanged, and streams its answer back. */
async function forward(ctx: ParameterizedContext<State>, base: string): Promise<void> {
  // The headers as an array keep their order, their spelling and their repetitions.
  const outgoing = request(new URL(ctx.url, base), { method: ctx.method, headers: ctx.req.rawHeaders });
  outgoing.end(ctx.state.text);
  const [answered] = (await once(outgoing, 'response')) as [IncomingMessage];
  ctx.respond = false;
  ctx.res.writeHead(answered.statusCode ?? 502, answered.headers);
  await pipeline(answered, ctx.res);
}

/** Writes each event in a separate turn of the event loop, so that a gateway receives them one by one. */
async function send(ctx: ParameterizedContext, events: readonly string[]): Promise<void> {
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
