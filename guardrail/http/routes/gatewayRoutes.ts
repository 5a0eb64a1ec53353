import type Router from '@koa/router';
import type { CallIdentity, Guard, RequestOutcome } from '../../pseudonymization/pseudonymization.ts';
import type { AuditNotes } from '../../audit/audit.ts';
import type { Access, NamedCaller } from '../../customers/customers.ts';
import type { Policy } from '../../detection/detection.ts';
import type { SubjectId, Tenant } from '../../ids.ts';
import {
  adapterFor,
  FieldError,
  gatewayRoutesOf,
  isObject,
  passOf,
  TEAM_HEADER,
  type GatewayAdapter,
  type GatewayExchange,
  type GatewayRoute,
  type JsonObject,
  type PseudonymizedMark,
} from '../../gateways/gateways.ts';
import { authenticatedRouter } from '../middleware/authentication.ts';
import { recordAction, recordFindings, recordPseudonyms, type ActionTaken } from '../middleware/callRecord.ts';
import {
  reportSession,
  type AuthenticatedContext,
  type AuthenticatedState,
  type CallContext,
  type CallMiddleware,
} from '../middleware/context.ts';
import { withDeadline } from '../middleware/deadline.ts';
import type { EndUserCheck } from '../middleware/endUserCheck.ts';
import { ServiceError } from '../middleware/errors.ts';
import { failures, type FailurePolicy } from '../middleware/failures.ts';
import { JSON_TYPE, jsonBytes } from '../middleware/json.ts';
import type { Metrics } from '../middleware/metrics.ts';

export interface GatewayRouteOptions {
  readonly guard: Guard;
  /** Who may call; undefined: everybody may. */
  readonly access: Access | undefined;
  /** The policy of a call, by the revisions of the policies of the customers that it names. */
  readonly policyOf: (revisions: readonly (string | undefined)[]) => Policy;
  /** Whether calls with a policy are only watched. */
  readonly isFailOpen: (policy: Policy) => boolean;
  readonly metrics: Metrics;
  /** The revision of the policy of the service; undefined: it has none. */
  readonly policyRevision: () => string | undefined;
  /** The names of the LiteLLM proxies. Each has its own path. */
  readonly proxyNames: readonly string[];
  /** Derives the id of an end user of a tenant in the store. */
  readonly subjectOf: (tenant: Tenant, endUser: string) => SubjectId;
  readonly mark: PseudonymizedMark;
  readonly endUsers: EndUserCheck;
  /** Admission and body reading, in this order. */
  readonly preHandlers: readonly CallMiddleware[];
  readonly onFailure: FailurePolicy;
}

const ANONYMOUS = `The request contains personal data, and the gateway does not identify its team. Set the header ${TEAM_HEADER} in the configuration of the gateway.`;
const FAILED = 'The guardrail could not check this call. Try again.';

/** Every path that gateways call, with one pipeline for all of them. */
export function gatewayRoutes(options: GatewayRouteOptions): Router<AuthenticatedState> {
  const router = authenticatedRouter();
  for (const route of gatewayRoutesOf(options.proxyNames)) {
    const pass = passOf(route, undefined);
    const failing = failures(options.onFailure, (context) => {
      const dialect = dialectIn(context);
      return dialect === undefined ? pass : passOf(route, dialect);
    });
    router.post(route.path, failing, ...options.preHandlers, async (context) => {
      await writeJson(context, await handleCall(context, route, options));
    });
  }
  return router;
}

async function handleCall(
  context: AuthenticatedContext,
  route: GatewayRoute,
  options: GatewayRouteOptions,
): Promise<object> {
  const { body } = context.state;
  if (!isObject(body)) throw new FieldError('The body must be an object.');
  const adapter = adapterFor(route, dialectIn(context), body);
  const isRecognized = adapter.recognizes(body);
  context.state.failureAnswers = { pass: adapter.pass, isRecognized };
  const exchange = read(context, adapter, body, options);
  if (adapter.onFailure === 'block') {
    context.state.failureAnswers = { pass: adapter.pass, block: adapter.block(FAILED), isRecognized: true };
  }
  context.state.log.phase = phaseOf(exchange);
  context.state.log.dialect = adapter.dialect;
  noteExchange(context.state.audit, adapter, exchange);
  // Set before the check, so that error responses also name the session.
  reportSession(context, options.guard.sessionOf(exchange.identity));
  return withDeadline(context, (signal) => runGuard(context, adapter, exchange, signal, options), adapter.timeoutMs);
}

function read(
  context: AuthenticatedContext,
  adapter: GatewayAdapter,
  body: JsonObject,
  { guard, subjectOf, mark }: GatewayRouteOptions,
): GatewayExchange {
  const { tenant } = context.state;
  return adapter.read(body, {
    tenant,
    team: context.get(TEAM_HEADER) || undefined,
    tokenOf: (name) => guard.sessionOf({ tenant, keyHash: `${adapter.dialect}:${name}`, callId: name, traceId: name }),
    subjectOf: (endUser) => subjectOf(tenant, endUser),
    header: (name) => context.get(name),
    isMark: (value) => mark.isValid(value),
  });
}

async function runGuard(
  context: AuthenticatedContext,
  adapter: GatewayAdapter,
  exchange: GatewayExchange,
  signal: AbortSignal,
  { guard, access, policyOf, policyRevision, isFailOpen, metrics, endUsers }: GatewayRouteOptions,
): Promise<object> {
  const { identity, stricter, isPseudonymized = false } = exchange;
  const { state } = context;
  const { fence, audit } = state;
  const { refusal: refused, policies = [] } = access?.decide(callerIn(identity, adapter)) ?? {};
  const isUnnamed = exchange.phase === 'request' && adapter.tellsEndUser === true && !identity.endUser;
  const refusal = (isUnnamed ? endUsers.missing(adapter.dialect) : undefined) ?? refused;
  const policy = policyOf(policies);
  context.state.policy = policy;
  if (audit) audit.policy = { service: policyRevision(), customers: policies };
  const call = { identity, signal, fence, policy, isPseudonymized, ...(stricter && { stricter }) };
  const count = (action: ActionTaken['action'], monitored?: ActionTaken['monitored']): void => {
    recordAction(state, { phase: phaseOf(exchange), protocol: adapter.dialect, action, monitored }, metrics);
  };
  if (exchange.phase === 'piece') {
    const outcome = await guard.piece(exchange.piece, call);
    count(recordPseudonyms(state, outcome, metrics));
    return exchange.render(outcome);
  }
  if (exchange.phase === 'response') {
    const outcome = await guard.response(exchange.document, call);
    count(recordPseudonyms(state, outcome, metrics));
    return exchange.render(outcome);
  }
  if (refusal !== undefined && !isFailOpen(policy)) {
    count('BLOCKED');
    return blocked(adapter, refusal);
  }
  const outcome: RequestOutcome = await guard.request(exchange.document, call);
  recordFindings(context, outcome, metrics);
  if (outcome.action === 'BLOCKED' || (outcome.action === 'GUARDRAIL_INTERVENED' && exchange.anonymous)) {
    count('BLOCKED');
    return blocked(adapter, outcome.action === 'BLOCKED' ? outcome.blockedReason : ANONYMOUS);
  }
  count(outcome.action, refusal === undefined ? outcome.monitored : 'BLOCKED');
  return exchange.render(outcome);
}

function noteExchange(
  audit: AuditNotes | undefined,
  { callIds }: GatewayAdapter,
  { phase, identity, model }: GatewayExchange,
): void {
  if (audit) Object.assign(audit, { phase, identity, callIds, model } satisfies AuditNotes);
}

/** A gateway names at most one end user, and the hash of the key that it has verified. */
function callerIn({ team, keyHash, endUser }: CallIdentity, { tellsEndUser }: GatewayAdapter): NamedCaller {
  const customers = endUser ? [endUser] : [];
  return { customers: tellsEndUser ? customers : undefined, team, keyHashes: keyHash ? [keyHash] : [] };
}

function phaseOf({ phase }: GatewayExchange): 'request' | 'response' {
  return phase === 'request' ? 'request' : 'response';
}

/** @throws ServiceError if the gateway stops the call on an error */
function blocked(adapter: GatewayAdapter, reason: string): JsonObject {
  const answer = adapter.block(reason);
  if (!answer) throw new ServiceError('blocked', { message: reason });
  return answer;
}

/** The value of `?dialect=`. Few calls have a query. */
function dialectIn({ url }: CallContext): string | undefined {
  const query = url.indexOf('?');
  return query < 0 ? undefined : (new URLSearchParams(url.slice(query)).get('dialect') ?? undefined);
}

/** Sets the answer as a text: Koa would look up the content type of an object anew for each answer. */
async function writeJson(context: AuthenticatedContext, value: object): Promise<void> {
  const written = jsonBytes(value, context.state.bodyBytes ?? 0);
  context.set('content-type', JSON_TYPE);
  context.body = written instanceof Promise ? await written : written;
}
