import type Router from '@koa/router';
import type { CallContext as GuardContext, Guard } from '../pseudonymization/pseudonymization.ts';
import type { SubjectId, Tenant } from '../ids.ts';
import {
  FieldError,
  isObject,
  peerAdapterFor,
  peerPass,
  TEAM_HEADER,
  type JsonObject,
  type PeerAdapter,
  type PeerExchange,
} from '../gateways/gateways.ts';
import { authenticatedRouter } from './authentication.ts';
import {
  tellSession,
  type AuthenticatedContext,
  type AuthenticatedState,
  type CallContext,
  type CallMiddleware,
} from './context.ts';
import { underDeadline } from './deadline.ts';
import { failures, type FailurePolicy } from './failures.ts';
import type { Metrics } from './metrics.ts';

export interface PeerRouteOptions {
  readonly guard: Guard;
  readonly metrics: Metrics;
  /** Names an end user of a tenant in the store. */
  readonly subjectOf: (tenant: Tenant, endUser: string) => SubjectId;
  /** Admission and body reading. */
  readonly before: readonly CallMiddleware[];
  readonly onFailure: FailurePolicy;
}

/** Where peers call: one path for all of them, and agentgateway's own of before 1.4. */
export const PEER_PATHS = ['/v1/peer/check', '/request', '/response'] as const;

const ANONYMOUS = `The request holds personal data, and the gateway does not prove whose it is: set the header ${TEAM_HEADER} in its configuration.`;
const FAILED = 'The guardrail could not check this call: try again.';

/** The guardrail protocols of other gateways, over the same core. */
export function peerRoutes(options: PeerRouteOptions): Router<AuthenticatedState> {
  const router = authenticatedRouter();
  for (const path of PEER_PATHS) {
    const dialectOf = (context: CallContext): string | undefined =>
      path === '/v1/peer/check' ? first(context.query.dialect) : 'agentgateway';
    const failing = failures(options.onFailure, (context) => peerPass(dialectOf(context)));
    router.post(path, failing, ...options.before, async (context) => {
      const { body } = context.state;
      if (!isObject(body)) throw new FieldError('The body must be an object.');
      const adapter = peerAdapterFor(dialectOf(context), body);
      context.state.failureAnswers = { pass: adapter.pass, isRecognized: adapter.recognizes(body) };
      context.body = await answer(context, adapter, body, options);
    });
  }
  return router;
}

async function answer(
  context: AuthenticatedContext,
  adapter: PeerAdapter,
  body: JsonObject,
  options: PeerRouteOptions,
): Promise<JsonObject> {
  const { tenant } = context.state;
  const tokenOf = (name: string): string =>
    options.guard.sessionOf({ tenant, keyHash: `${adapter.dialect}:${name}`, callId: name, traceId: name });
  const exchange = adapter.read(body, {
    tenant,
    team: context.get(TEAM_HEADER) || undefined,
    tokenOf,
    subjectOf: (endUser) => options.subjectOf(tenant, endUser),
    header: (name) => context.get(name),
  });
  tellSession(context, options.guard.sessionOf(exchange.identity));
  context.state.log.phase = exchange.phase;
  context.state.log.dialect = adapter.dialect;
  context.state.failureAnswers = { pass: adapter.pass, reject: adapter.reject(FAILED), isRecognized: true };
  const count = (action: string): void => {
    context.state.log.action = action;
    options.metrics.guarded(exchange.phase, adapter.dialect, action);
  };
  return underDeadline(
    context,
    (signal) => check(adapter, exchange, { signal, begun: context.state.begun }, options, count),
    adapter.timeoutMs,
  );
}

async function check(
  adapter: PeerAdapter,
  exchange: PeerExchange,
  timing: Pick<GuardContext, 'signal' | 'begun'>,
  { guard, metrics }: PeerRouteOptions,
  count: (action: string) => void,
): Promise<JsonObject> {
  const call = { identity: exchange.identity, ...timing };
  if (exchange.phase === 'response') {
    const outcome = await guard.response(exchange.document, call);
    metrics.pseudonyms(outcome);
    count(outcome.action);
    return exchange.render(outcome);
  }
  const outcome = await guard.request(exchange.document, call);
  metrics.entities(outcome.entities);
  if (outcome.action === 'BLOCKED' || (outcome.action === 'GUARDRAIL_INTERVENED' && exchange.anonymous)) {
    count('BLOCKED');
    return adapter.reject(outcome.action === 'BLOCKED' ? outcome.blockedReason : ANONYMOUS);
  }
  count(outcome.monitored === undefined ? outcome.action : `MONITORED_${outcome.monitored}`);
  return exchange.render(outcome);
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
