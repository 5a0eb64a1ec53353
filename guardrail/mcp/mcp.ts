/**
 * A reverse proxy for a trusted server of the Model Context Protocol, over streamable HTTP: pseudonyms in calls of its tools
 * become values on the way there, and values in what it returns become pseudonyms on the way back.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { INLINE_TENANT } from '../ids.ts';
import { TEAM_HEADER } from '../gateways/gateways.ts';
import { auditCalls, logError, recordForwarded, reportSession, ServiceError, withTimeLimit } from '../http/http.ts';
import {
  checkForm,
  ClientGoneError,
  createReverseProxy,
  parseTarget,
  problemOf,
  ProxyError,
  reading,
  requestHeaders,
  sendable,
  sendMeasured,
  shareOf,
  type Caller,
  type HttpTransport,
  type Problem,
  type Proxy,
  type UpstreamAnswer,
  type UpstreamTimeouts,
} from '../proxy/proxy.ts';
import type { McpCall, McpOptions } from './call.ts';
import { asModelCall, CALLER_HEADER, mcpCallerOf, mcpIdentityOf, type CallerRequest } from './caller.ts';
import { headersWithoutSession, isMetadata, relayMetadata } from './metadata.ts';
import { momentOf } from './moment.ts';
import { relayAnswer, relayHead } from './relay.ts';
import { errorMessage } from './rpc.ts';
import { noteMonitored, policyIn, termsFor } from './terms.ts';
import { restoreMessages } from './toServer.ts';

export type { McpOptions } from './call.ts';

/** A server may have nothing to say for long: clients resume a stream that ends. */
const TIMEOUTS: UpstreamTimeouts = { connect: 10_000, headers: 600_000, body: 3_600_000 };

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'OPTIONS']);

export function createMcpProxy(options: McpOptions): Proxy {
  const { audit } = options;
  const record = audit && auditCalls(audit, { protocol: 'mcp' });
  return createReverseProxy({ timeouts: TIMEOUTS, ...options, ...(record && { record }) }, (transport) =>
    serve(transport, options),
  );
}

/** Answers a call with the answer of the server. What it throws is answered in the format of the protocol. */
async function serve(transport: HttpTransport, options: McpOptions): Promise<void> {
  const { context } = transport;
  const { req, method, state } = context;
  state.route = 'mcp';
  state.answerFailure = (thrown) => {
    answerFailure(transport, thrown, options);
  };
  checkOrigin(req.headers, options.origins);
  const { path, query } = parseTarget(req.url ?? '');
  checkForm(req);
  if (!METHODS.has(method)) throw new ProxyError('method_refused');
  const target = path + (query === '' ? '' : `?${query}`);
  if (method === 'OPTIONS') return servePreflight(transport, target, options);
  if (isMetadata(path)) return serveMetadata(transport, path, options);
  const request = asModelCall({ headers: req.headers, query });
  const caller = mcpCallerOf(request, options.identityHeaders);
  state.tenant = shareOf(caller);
  state.log.tenant = INLINE_TENANT;
  const call = callOf(transport, target, { ...request, caller }, options);
  reportSession(context, options.guard.sessionOf(call.identity));
  if (options.admission.draining && method === 'GET') throw new ServiceError('draining', { waitMs: 0 });
  // A stream without an end is no call that a drain waits for.
  if (method === 'GET') return exchange(call, null, options);
  const leave = options.admission.arrive(context);
  try {
    await forward(call, options);
  } finally {
    leave();
  }
}

function answerFailure({ context, client }: HttpTransport, thrown: unknown, { logger }: McpOptions): void {
  if (thrown instanceof ClientGoneError) {
    context.state.log.error = 'client_gone';
    client.drop(499);
    return;
  }
  const problem = problemOf(thrown);
  logError(logger, context, problem, thrown);
  if (client.hasBegun) return;
  const { headers = {} }: Problem = problem;
  const body = Buffer.from(errorMessage(undefined, problem));
  client.refuse(problem.status, headers, { contentType: 'application/json', body });
}

/** A preflight is no message: neither it nor its answer has a body. */
async function servePreflight(transport: HttpTransport, target: string, options: McpOptions): Promise<void> {
  const { state, req } = transport.context;
  state.route = 'mcp/pass';
  if (state.audit) state.audit.isLeftOut = true;
  const answer = await send(transport, target, null, options, headersWithoutSession(req.headers));
  await relayHead(transport, answer);
}

async function serveMetadata(transport: HttpTransport, path: string, options: McpOptions): Promise<void> {
  const { method, state, req } = transport.context;
  if (method !== 'GET') throw new ProxyError('method_refused');
  state.route = 'mcp/metadata';
  // Clients ask for it before they have credentials, or the headers of a trusted hop.
  state.tenant = shareOf(mcpCallerOf(asModelCall({ headers: req.headers, query: '' }), undefined));
  state.log.tenant = INLINE_TENANT;
  const headers = { ...headersWithoutSession(req.headers), accept: 'application/json' };
  const answer = await send(transport, path, null, options, headers);
  await relayMetadata(transport, answer, options);
}

/** A page of another site cannot make a browser call: the browser names the origin of the page. */
function checkOrigin({ origin }: IncomingHttpHeaders, allowed: readonly string[] = []): void {
  if (origin !== undefined && !allowed.includes(origin)) throw new ProxyError('origin_refused');
}

function callOf(
  transport: HttpTransport,
  path: string,
  { headers, query, caller }: CallerRequest & { readonly caller: Caller },
  options: McpOptions,
): McpCall {
  const begun = momentOf(options);
  const { method, state } = transport.context;
  const terms = termsFor({ method, headers, query, caller }, options);
  const now = terms();
  const identity = mcpIdentityOf(caller, headers, options);
  const policies = { service: options.policyRevision(), customers: now.customers };
  if (state.audit) Object.assign(state.audit, { identity, policy: policies });
  noteMonitored(now, state, options);
  return { ...transport, path, policy: policyIn(now, state, options), terms, identity, begun };
}

async function forward(call: McpCall, options: McpOptions): Promise<void> {
  if (call.context.method === 'DELETE') {
    await exchange(call, null, options);
    return;
  }
  const body = await reading(call, options, (bytes) => restored(call, bytes, options));
  await exchange(call, body, options);
}

/** In monitor mode, a body that cannot be restored is forwarded: nothing was replaced. */
async function restored(call: McpCall, bytes: Buffer, options: McpOptions): Promise<Buffer> {
  const { client, policy, context } = call;
  try {
    const { body } = await withTimeLimit(client.signal, (signal) => restoreMessages(bytes, call, signal, options));
    return body;
  } catch (thrown) {
    if (!options.isFailOpen(policy) || client.signal.aborted) throw thrown;
    const { code } = problemOf(thrown);
    recordForwarded(context.state, code, options.metrics);
    return bytes;
  }
}

async function exchange(call: McpCall, body: Buffer | null, options: McpOptions): Promise<void> {
  const answer = await send(call, call.path, body, options);
  const refuse = async (message: string): Promise<void> => {
    // The server waits for an answer that the client cannot give. If it does not get this one, it waits in vain.
    await send(call, call.path, Buffer.from(message), options)
      .then((refusal) => {
        refusal.cancel();
      })
      .catch(() => undefined);
  };
  await relayAnswer(call, answer, refuse, options);
}

/** What the protocol wants of a POST, in place of the headers of a client's GET. */
const POSTED = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function send(
  { context, client, upstream }: HttpTransport,
  path: string,
  bytes: Buffer | null,
  { metrics, identityHeaders }: McpOptions,
  sent: IncomingHttpHeaders = context.req.headers,
): Promise<UpstreamAnswer> {
  const { [CALLER_HEADER]: _, ...received } = sent;
  const isRefusal = bytes !== null && context.method !== 'POST';
  const headers = requestHeaders(isRefusal ? { ...received, ...POSTED } : received, {
    requestId: context.state.requestId,
    ...{ isGuarded: true, mark: undefined },
    isTeamTrusted: identityHeaders?.includes(TEAM_HEADER) ?? false,
  });
  const { body, length } = bytes === null ? { body: null } : sendable(bytes);
  if (length !== undefined) headers.push('content-length', String(length));
  const method = isRefusal ? 'POST' : context.method;
  const request = { method, path, headers, body, signal: client.signal };
  return sendMeasured(upstream, request, {
    ...{ operation: 'mcp', log: context.state.log, metrics },
    knowsAddress: true,
  });
}
