/**
 * The inline proxy: forwards calls of model APIs to a gateway or a provider, with personal data replaced on the way there
 * and restored on the way back. Whatever it does not understand, it refuses.
 */
import { generic } from '../bodies/bodies.ts';
import { TEAM_HEADER } from '../gateways/gateways.ts';
import { auditCalls } from '../http/http.ts';
import { INLINE_TENANT, type Tenant } from '../ids.ts';
import { callerHash } from './callerHash.ts';
import type { Call, Client, InlineContext, InlineOptions } from './call.ts';
import type { ProxyError } from './errors.ts';
import { answerFailure } from './failures.ts';
import { requestHeaders } from './headers.ts';
import { callerOf, type Caller } from './identity.ts';
import { prepare, type Prepared } from './prepare.ts';
import { relay } from './relay.ts';
import { checkForm, knownOperation, routeOf } from './route.ts';
import { parseTarget } from './target.ts';
import { createReverseProxy, type Proxy } from './reverseProxy.ts';
import { sendMeasured } from './send.ts';
import type { Upstream, UpstreamAnswer, UpstreamTimeouts } from './upstream.ts';

export type { AnswerHead, Client, InlineContext, InlineOptions } from './call.ts';
export { ClientGoneError, ProxyError } from './errors.ts';
export { problemOf, type Problem } from './failures.ts';
export { callerOf, customersIn, identityOf, keyHashesIn, type Caller } from './identity.ts';
export { reading, sendable } from './prepare.ts';
export { decodedBy, relayAsIs, withWholeAnswer } from './relay.ts';
export { createReverseProxy, type HttpTransport, type Proxy, type ReverseProxyOptions } from './reverseProxy.ts';
export { checkForm, hasBody } from './route.ts';
export { sendMeasured } from './send.ts';
export { parseTarget } from './target.ts';
export { StoredAnswers } from './storedAnswers.ts';
export { answerHeaders, CONNECTION_HEADERS, leadsAway, requestHeaders, TRANSPORT_HEADERS } from './headers.ts';
export type { Upstream, UpstreamAnswer, UpstreamRequest, UpstreamTimeouts } from './upstream.ts';

export interface ProxyOptions extends Omit<InlineOptions, 'protocol'> {
  /** The base URL of the upstream. */
  readonly upstream: URL;
  /** Default: {@link UPSTREAM_TIMEOUTS}. */
  readonly timeouts?: UpstreamTimeouts;
}

export function createProxy(options: ProxyOptions): Proxy {
  const inline: InlineOptions = { ...options, protocol: 'inline' };
  const { audit } = options;
  return createReverseProxy(
    { ...options, ...(audit && { record: auditCalls(audit, { protocol: inline.protocol }) }) },
    (transport) => serveCall(transport, inline),
  );
}

/** A call, and both of its sides. */
export interface Transport {
  readonly context: InlineContext;
  readonly client: Client;
  readonly upstream: Upstream;
  /** Why the call cannot be served, whatever it contains. */
  readonly problem?: ProxyError;
}

/** Answers a call with the answer of the upstream. What it throws is answered in the format of the API. */
export async function serveCall(
  { context, client, upstream, problem }: Transport,
  options: InlineOptions,
): Promise<void> {
  const { admission, unknown, identityHeaders, fence, logger, protocol } = options;
  const { req, method, state } = context;
  let operation = generic;
  let leave: (() => void) | undefined;
  let answer: UpstreamAnswer | undefined;
  state.route = protocol;
  state.answerFailure = (thrown) => {
    answerFailure({ context, client }, operation, thrown, logger);
  };
  try {
    if (problem) throw problem;
    const target = parseTarget(req.url ?? '');
    const api = knownOperation(method, target.path);
    operation = api ?? generic;
    checkForm(req);
    const route = routeOf(method, target, req.headers, { unknown, api });
    operation = route.operation;
    state.route = `${protocol}/${route.handling === 'pass' ? 'pass' : operation.name}`;
    const caller = callerOf(req.headers, target.query, identityHeaders);
    state.tenant = shareOf(caller, req.socket);
    state.log.tenant = INLINE_TENANT;
    const call: Call = {
      ...{ ...route, context, client, target, caller },
      ...{ base: upstream.base, fence: fence() },
    };
    leave = admission.arrive(context);
    const prepared = await prepare(call, options);
    // A preflight carries nothing that could be checked.
    if (state.audit && call.handling === 'pass') state.audit[method === 'OPTIONS' ? 'isLeftOut' : 'isUnchecked'] = true;
    answer = await send(call, prepared, upstream, options);
    // While a stream is open, this function is suspended, and the fewer functions are, the less memory it takes.
    await relay(call, answer, prepared.answer, options);
  } finally {
    answer?.cancel();
    leave?.();
  }
}

async function send(
  { context, client, target, operation }: Call,
  { body, length, query, isRead, answer }: Prepared,
  upstream: Upstream,
  { metrics, identityHeaders, protocol, mark }: InlineOptions,
): Promise<UpstreamAnswer> {
  const { log } = context.state;
  const headers = requestHeaders(context.req.headers, {
    requestId: context.state.requestId,
    isGuarded: isRead,
    isTeamTrusted: identityHeaders?.includes(TEAM_HEADER) ?? false,
    // Without an answer to restore, nothing was replaced.
    mark: answer && mark.value(),
  });
  const declared = isRead ? length : context.req.headers['content-length'];
  if (body !== null && declared !== undefined) headers.push('content-length', String(declared));
  const path = target.path + (query === '' ? '' : `?${query}`);
  const request = { method: context.method, path, headers, body, signal: client.signal };
  return sendMeasured(upstream, request, {
    ...{ operation: operation.name, log, metrics },
    knowsAddress: protocol === 'inline',
  });
}

/**
 * Callers share the capacity of the process as tenants do: the calls of one do not delay those of another. The name of the
 * share is a hash of the credentials.
 * @param connection the connection of the call, if it is the caller's
 */
export function shareOf({ name }: Caller, connection?: object): Tenant {
  return `inline:${name === undefined ? '' : callerHash(name, 'share', connection)}` as Tenant;
}
