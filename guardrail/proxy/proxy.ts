/**
 * The inline proxy: forwards calls of model APIs to a gateway or a provider, with personal data replaced on the way there
 * and restored on the way back. Whatever it does not understand, it refuses.
 */
import { hash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import Koa from 'koa';
import { generic } from '../bodies/bodies.ts';
import { TEAM_HEADER } from '../gateways/gateways.ts';
import { accessLog, requestId, ServiceError, type CallState } from '../http/http.ts';
import { INLINE_TENANT, type Tenant } from '../ids.ts';
import type { Call, Client, InlineContext, InlineOptions } from './call.ts';
import { HttpClient } from './client.ts';
import { ClientGoneError, type ProxyError } from './errors.ts';
import { answerFailure, problemOf } from './failures.ts';
import { requestHeaders } from './headers.ts';
import { callerOf, type Caller } from './identity.ts';
import { prepare, type Prepared } from './prepare.ts';
import { relay } from './relay.ts';
import { apiOf, checkForm, routeOf } from './route.ts';
import { parseTarget } from './target.ts';
import { createUpstream, type Upstream, type UpstreamAnswer, type UpstreamTimeouts } from './upstream.ts';

export type { AnswerHead, Client, InlineContext, InlineOptions } from './call.ts';
export { ClientGoneError, ProxyError } from './errors.ts';
export { StoredAnswers } from './storedAnswers.ts';
export { answerHeaders, CONNECTION_HEADERS, TRANSPORT_HEADERS } from './headers.ts';
export type { Upstream, UpstreamAnswer, UpstreamRequest, UpstreamTimeouts } from './upstream.ts';

export interface ProxyOptions extends Omit<InlineOptions, 'protocol'> {
  /** The base URL of the upstream. */
  readonly upstream: URL;
  /** Default: {@link UPSTREAM_TIMEOUTS}. */
  readonly timeouts?: UpstreamTimeouts;
}

export interface Proxy {
  readonly handle: RequestListener;
  /** Ends the calls that still run, each with an error. For calls that have outlived a drain. */
  abort(): void;
  /** Closes the connections to the upstream. */
  close(): Promise<void>;
}

export function createProxy(options: ProxyOptions): Proxy {
  const { logger, metrics, timeouts } = options;
  const upstream = createUpstream(options.upstream, timeouts);
  const inline: InlineOptions = { ...options, protocol: 'inline' };
  const running = new Set<Client>();
  const koa = new Koa<CallState>();
  koa.silent = true;
  koa.use(requestId());
  koa.use(accessLog(logger));
  koa.use(metrics.http);
  koa.use(async (context) => {
    const client = new HttpClient(context, upstream.base);
    running.add(client);
    try {
      await serveCall({ context, client, upstream }, inline);
    } finally {
      running.delete(client);
    }
  });
  const callback = koa.callback();
  return {
    handle: (request, response) => void callback(request, response),
    abort() {
      for (const client of running) client.abort(new ServiceError('draining', { waitMs: 0 }));
    },
    close: () => upstream.close(),
  };
}

/** A call, and both of its sides. */
export interface Transport {
  readonly context: InlineContext;
  readonly client: Client;
  readonly upstream: Upstream;
  /** Why the call cannot be served, whatever it contains. */
  readonly problem?: ProxyError;
}

/** Answers a call: with the answer of the upstream, or with an error in the format of the API. Never rejects. */
export async function serveCall(
  { context, client, upstream, problem }: Transport,
  options: InlineOptions,
): Promise<void> {
  const { admission, unknown, identityHeaders, fence, logger, protocol } = options;
  const { req, method, state } = context;
  let operation = generic;
  state.route = protocol;
  try {
    if (problem) throw problem;
    const target = parseTarget(req.url ?? '');
    operation = apiOf(method, target.path);
    checkForm(req);
    const route = routeOf(method, target, req.headers, unknown);
    operation = route.operation;
    state.route = `${protocol}/${route.handling === 'pass' ? 'pass' : operation.name}`;
    const caller = callerOf(req.headers, target.query, identityHeaders);
    state.tenant = shareOf(caller);
    state.log.tenant = INLINE_TENANT;
    const call: Call = {
      ...{ ...route, context, client, target, caller },
      ...{ base: upstream.base, fence: fence() },
    };
    await admission.enter(context, () => forward(call, upstream, options));
  } catch (thrown) {
    answerFailure({ context, client }, operation, thrown, logger);
  }
}

async function forward(call: Call, upstream: Upstream, options: InlineOptions): Promise<void> {
  const prepared = await prepare(call, options);
  await relay(call, await send(call, prepared, upstream, options), prepared.answer, options);
}

async function send(
  { context, client, target, operation }: Call,
  { body, length, query, isRead }: Prepared,
  upstream: Upstream,
  { metrics, identityHeaders }: InlineOptions,
): Promise<UpstreamAnswer> {
  const { log } = context.state;
  const headers = requestHeaders(context.req.headers, {
    requestId: context.state.requestId,
    isGuarded: isRead,
    isTeamTrusted: identityHeaders?.includes(TEAM_HEADER) ?? false,
  });
  const declared = isRead ? length : context.req.headers['content-length'];
  if (body !== null && declared !== undefined) headers.push('content-length', String(declared));
  const path = target.path + (query === '' ? '' : `?${query}`);
  const start = performance.now();
  const observe = (outcome: string): void => {
    const ms = performance.now() - start;
    metrics.upstream(operation.name, outcome, ms / 1000);
    log.upstream_ms = Math.round(ms * 1000) / 1000;
  };
  try {
    const received = await upstream.send({ method: context.method, path, headers, body, signal: client.signal });
    log.upstream_status = received.status;
    observe(String(received.status));
    return received;
  } catch (thrown) {
    observe(thrown instanceof ClientGoneError ? 'client_gone' : problemOf(thrown).code);
    throw thrown;
  }
}

/**
 * Callers share the capacity of the process as tenants do: the calls of one do not delay those of another. The name of the
 * share is a hash of the credentials.
 */
function shareOf({ name }: Caller): Tenant {
  return `inline:${name === undefined ? '' : hash('sha256', name)}` as Tenant;
}
