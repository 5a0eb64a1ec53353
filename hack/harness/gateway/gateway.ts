import { createServer } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { requireMasterKey } from './auth.ts';
import { budgetRoutes } from './budgets.ts';
import { chatRoutes } from './chat.ts';
import { customerRoutes } from './customers.ts';
import { GatewayError } from './errors.ts';
import { GuardrailClient, type GuardrailSource } from './guardrailClient.ts';
import { keyRoutes } from './keys.ts';
import { listen } from './listen.ts';
import { Records } from './records.ts';
import { type Seen, SeenLog } from './seen.ts';

export * as echo from './echoModel.ts';
export type { GuardrailSource, GuardrailTarget } from './guardrailClient.ts';
export type { Json, JsonObject } from './json.ts';
export type { Seen } from './seen.ts';

/** The settings of a development gateway. */
export interface DevGatewayOptions {
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** TCP port; 0 picks a free one. */
  readonly port: number;
  /** The admin's key, for `Authorization: Bearer`. It starts with `sk-` at real gateways. */
  readonly masterKey: string;
  /** The proxy's name in paths, fields and headers, such as `gateway` (default) or `litellm`. */
  readonly proxyName?: string;
  /** The guardrail to call before and after each model call. Without it, requests are sent to the model unchanged. */
  readonly guardrail?: GuardrailSource | undefined;
  /** Timeout of a call to the guardrail, in milliseconds. Default 10,000. */
  readonly guardrailTimeoutMs?: number;
  /** A JSON file that keeps customers and budgets after a restart. Without it, they are kept in memory. */
  readonly stateFile?: string | undefined;
  /** Names of the models that a customer can have as `default_model`. A call can name any model. */
  readonly models?: readonly string[];
  /** Whether `/customer/list` has pages, as in LiteLLM from 1.109 on. Default: it has all customers, as before. */
  readonly pagedLists?: boolean;
  /** Called with one line for each model call, which shows the text that the model received. */
  readonly print?: (line: string) => void;
}

/** A running development gateway. */
export interface DevGateway {
  /** `http://127.0.0.1:<port>`, even if it listens on other addresses, too. */
  readonly url: string;
  /** @returns what the model received in the latest calls, oldest first */
  log(): readonly Seen[];
  /** Stops listening and ends open connections. Resolves when the state file is written. */
  readonly stop: () => Promise<void>;
}

/** The default models. */
const MODELS = ['gpt-4o-mini', 'fast'];

/**
 * Starts an AI gateway for development and tests: the admin API of customers, budgets and keys, and an echo model behind a guardrail.
 * Both behave like LiteLLM 1.106, but no limit is enforced.
 * @throws Error if the port is in use or the state file is invalid
 */
export async function startDevGateway(options: DevGatewayOptions): Promise<DevGateway> {
  const proxyName = options.proxyName ?? 'gateway';
  const models = options.models ?? MODELS;
  const records = await Records.open(options.stateFile);
  const seen = new SeenLog(options.print ?? (() => undefined));
  const guardrail =
    options.guardrail === undefined
      ? undefined
      : new GuardrailClient(options.guardrail, { proxyName, timeoutMs: options.guardrailTimeoutMs ?? 10_000 });

  const app = new Koa();
  app.use(answerErrors);
  app.use(openRoutes(seen).routes());
  app.use(requireMasterKey(options.masterKey, proxyName));
  const { pagedLists = false } = options;
  app.use(customerRoutes('/customer', { records, proxyName, models, pagedLists }).routes());
  app.use(customerRoutes('/end_user', { records, proxyName, models, pagedLists }).routes());
  app.use(budgetRoutes(records).routes());
  app.use(keyRoutes().routes());
  app.use(chatRoutes({ proxyName, records, guardrail, seen }).routes());

  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response));
  const { url, stop } = await listen(server, options.port, options.host);
  return {
    url,
    log: () => seen.all(),
    stop: async () => {
      await stop();
      await records.settled();
    },
  };
}

/** The endpoints that need no key. */
function openRoutes(seen: SeenLog): Router {
  const router = new Router();
  router.get(['/health/liveliness', '/health/liveness'], (ctx) => {
    ctx.body = JSON.stringify("I'm alive!");
    ctx.type = 'json';
  });
  router.get('/health/readiness', (ctx) => {
    ctx.body = { status: 'healthy', db: 'connected' };
  });
  router.get('/_log', (ctx) => {
    ctx.body = seen.all();
  });
  return router;
}

/** Answers errors, and requests for unknown paths. */
async function answerErrors(ctx: Context, next: Next): Promise<void> {
  try {
    await next();
    if (ctx.body === undefined) throw new GatewayError(404, { detail: 'Not Found' });
  } catch (error) {
    if (!(error instanceof GatewayError)) ctx.app.emit('error', error, ctx);
    ctx.status = error instanceof GatewayError ? error.status : 500;
    const internal = { error: { message: 'Internal server error', type: 'internal_server_error' } };
    // Serialized here, because Koa treats null as no body.
    ctx.body = JSON.stringify(error instanceof GatewayError ? error.body : internal);
    ctx.type = 'json';
  }
}
