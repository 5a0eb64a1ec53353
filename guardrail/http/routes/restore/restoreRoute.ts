/** `POST /v1/restore`: gives a tool of an agent the values of pseudonyms that its key may see. */
import type Router from '@koa/router';
import * as z from 'zod';
import { memberText } from '../../../bodies/bodies.ts';
import {
  FieldError,
  identifier,
  identityOfRequestData,
  MAX_TEXTS,
  parseFields,
  requestData,
  TEAM_HEADER,
} from '../../../gateways/gateways.ts';
import type { SessionId, Tenant } from '../../../ids.ts';
import {
  showing,
  type CallIdentity,
  type Guard,
  type Passage,
  type PseudonymCounts,
  type ResponseOutcome,
} from '../../../pseudonymization/pseudonymization.ts';
import type { RestoreKeys, RestoreRight } from '../../../settings/settings.ts';
import type { MappingStore } from '../../../store/store.ts';
import { authenticatedRouter } from '../../middleware/authentication.ts';
import { noteAction, recordToolPseudonyms } from '../../middleware/callRecord.ts';
import {
  reportSession,
  type AuthenticatedContext,
  type AuthenticatedState,
  type CallMiddleware,
} from '../../middleware/context.ts';
import { withDeadline } from '../../middleware/deadline.ts';
import { ServiceError } from '../../middleware/errors.ts';
import type { Metrics } from '../../middleware/metrics.ts';
import { SESSION_ID_HEADER, type Operation } from '../../openapi/operation.ts';
import { SESSION_ID } from '../sessionRoutes.ts';
import { TokenBucket } from './tokenBucket.ts';

/** A call that restored values, or refused to. For the log: it names no value and no person. */
export interface RestoreEvent {
  readonly requestId: string;
  /** The name of the key. */
  readonly tenant: Tenant;
  /** The tenant of the session. */
  readonly ofTenant: Tenant;
  readonly session: SessionId;
  readonly counts: PseudonymCounts;
  /** Nothing was restored, because the key sends too many unknown pseudonyms. */
  readonly isEnumeration: boolean;
}

export interface RestoreRouteOptions {
  readonly keys: RestoreKeys;
  /** Calls that each key can make in a minute. */
  readonly rate: number;
  readonly guard: Guard;
  readonly store: Pick<MappingStore, 'describe'>;
  /** Whether the session of a caller can be derived. If not, none of its calls can have stored a value. */
  readonly hasSession: (identity: CallIdentity) => boolean;
  /** Whether an id belongs to a session of this tenant. */
  readonly isSessionOf: (tenant: Tenant, id: string) => boolean;
  readonly metrics: Metrics;
  /** Receives each call that was answered. */
  readonly onRestore?: (event: RestoreEvent) => void;
  /** Middleware that admits the call, and reads its body with its text. */
  readonly preHandlers: readonly CallMiddleware[];
  /** The time in milliseconds; for tests. */
  readonly now?: () => number;
}

export const RESTORE_PATH = '/v1/restore';

/**
 * Different unknown pseudonyms that a key can send in a minute. A session that has expired explains dozens. A search for the
 * code of a value needs about 2^39.
 */
const GUESSES_PER_MINUTE = 60;

const fields = z.object({
  session_id: z
    .string()
    .nullish()
    .describe('The session: from the response header x-session-id of a call. Otherwise request_data names it.'),
  request_data: requestData.describe('The caller of the model, as the gateway reports it to the guardrail.'),
  call_id: identifier.describe('The id of the model call, if each call has its own session.'),
  trace_id: identifier.describe('The id of the conversation, if each conversation has its own session.'),
  texts: z.array(z.string()).max(MAX_TEXTS).nullish().describe('Texts with pseudonyms.'),
  json: z
    .unknown()
    .optional()
    .describe('Any JSON value with pseudonyms in its strings, such as the arguments of a tool call.'),
});

const counts = z.record(z.string(), z.int().min(1));
const answerSchema = z.object({
  texts: z.array(z.string()).optional().describe('As many texts as in the call, in the same order.'),
  json: z.unknown().optional().describe('The JSON value, if the call has one.'),
  restored: counts.describe('Numbers of pseudonyms that were replaced by their values, by type.'),
  withheld: counts.describe(
    'Numbers of pseudonyms that stay by type: the key may not see it, or the value would stand in an address that a renderer loads.',
  ),
  unknown: counts.describe('Numbers of pseudonyms that stay, because the session does not have them, by type.'),
});

export const restoreOperations: readonly Operation[] = [
  {
    method: 'post',
    path: RESTORE_PATH,
    operationId: 'restore',
    summary: 'Restores the pseudonyms of a session, for tools of agents.',
    description:
      'Requires an API key in GUARDRAIL_RESTORE_KEYS. Send session_id or request_data, and texts, json or both. A session of another tenant gets the same answer as one that does not exist.',
    requestBody: fields,
    responses: {
      200: { description: 'The texts and the JSON value.', body: answerSchema, headers: SESSION_ID_HEADER },
    },
    errors: [400, 401, 403, 404, 413, 415, 429, 502, 503],
  },
];

/** Restores texts and JSON for keys that have the right. Whoever asks too often, or for too many unknown ones, waits. */
export function restoreRoute(options: RestoreRouteOptions): Router<AuthenticatedState> {
  const { keys, rate, now = () => performance.now() } = options;
  const router = authenticatedRouter();
  const calls = new Map([...keys.keys()].map((tenant) => [tenant, new TokenBucket(rate, now)]));
  const guesses = new Map([...keys.keys()].map((tenant) => [tenant, new TokenBucket(GUESSES_PER_MINUTE, now)]));

  const authorize: CallMiddleware = async (context, next) => {
    const bucket = context.state.tenant && calls.get(context.state.tenant);
    if (!bucket) throw new ServiceError('restore_key_required');
    const waitMs = bucket.take(1);
    if (waitMs > 0) throw new ServiceError('rate_limited', { waitMs });
    await next();
  };

  router.post(RESTORE_PATH, authorize, ...options.preHandlers, async (context) => {
    const { tenant, requestId, audit } = context.state;
    const right = keys.get(tenant);
    if (!right) throw new ServiceError('restore_key_required');
    const call = read(context);
    if (audit) audit.sessionTenant = right.tenant;
    const identity = await identityOf(call, right, context, options);
    if (audit) audit.identity = identity;
    const outcome = await withDeadline(context, (signal) =>
      options.guard.response(
        { texts: [], passages: call.passages },
        { identity, signal, fence: context.state.fence, mayShow: showing(right.types), keepsExpiry: true },
      ),
    );
    reportSession(context, outcome.session);
    const { byType = NOTHING } = outcome;
    const waitMs = guesses.get(tenant)?.take(byType.guesses) ?? 0;
    const isEnumeration = waitMs > 0 || outcome.isEnumeration === true;
    const told = waitMs > 0 ? { ...byType, restored: NOTHING.restored } : byType;
    const counts = { byType: told, isEnumeration };
    const action = recordToolPseudonyms(context.state, 'restore', counts, options.metrics);
    options.onRestore?.({
      ...{ requestId, tenant, ofTenant: right.tenant, session: outcome.session },
      ...{ counts: told, isEnumeration },
    });
    if (waitMs > 0) throw new ServiceError('too_many_guesses', { waitMs });
    noteAction(context.state, action);
    context.type = 'json';
    context.body = answerOf(call, outcome, told);
  });
  return router;
}

const NOTHING: PseudonymCounts = { restored: new Map(), withheld: new Map(), unknown: new Map(), guesses: 0 };

type Fields = z.infer<typeof fields>;

interface RestoreCall extends Pick<Fields, 'session_id' | 'request_data' | 'call_id' | 'trace_id'> {
  readonly passages: readonly Passage[];
  readonly hasTexts: boolean;
  readonly hasJson: boolean;
}

function read({ state: { body, bodyText = '' } }: AuthenticatedContext): RestoreCall {
  const { texts, json, ...identity } = parseFields(fields, body);
  const hasJson = json !== undefined;
  if (!texts && !hasJson) throw new FieldError('The body must contain texts or json.');
  if ((identity.session_id ?? undefined) === undefined && !identity.request_data) {
    throw new FieldError('The body must contain session_id or request_data.');
  }
  if (identity.session_id && identity.request_data) {
    throw new FieldError('The body must not contain both session_id and request_data.');
  }
  // As it was sent: numbers keep all their digits.
  const jsonText = hasJson ? memberText(bodyText, 'json') : undefined;
  return {
    ...identity,
    passages: [
      ...(texts ?? []).map((text): Passage => ({ text, kind: 'text' })),
      ...(jsonText === undefined ? [] : [{ text: jsonText, kind: 'arguments' } as const]),
    ],
    hasTexts: Boolean(texts),
    hasJson,
  };
}

const NO_SESSION =
  'request_data does not identify a session: add the ids that GUARDRAIL_SESSION_SCOPE requires, such as call_id or trace_id, or send session_id.';

/**
 * @throws ServiceError 404 for a session that does not exist, and for one of another tenant, which is not looked up;
 *   FieldError 400 if the call does not name a session
 */
async function identityOf(
  { session_id: id, request_data, call_id, trace_id }: RestoreCall,
  { tenant }: RestoreRight,
  context: AuthenticatedContext,
  { store, isSessionOf, hasSession }: RestoreRouteOptions,
): Promise<CallIdentity> {
  if (typeof id !== 'string') {
    const identity = {
      ...identityOfRequestData(request_data, tenant),
      ...{ callId: call_id ?? undefined, traceId: trace_id ?? undefined },
    };
    if (!hasSession(identity)) throw new FieldError(NO_SESSION);
    return identity;
  }
  const session = id as SessionId;
  const isReachable = SESSION_ID.test(id) && isSessionOf(tenant, id);
  if (!isReachable || !(await store.describe(session))) throw new ServiceError('session_not_found');
  return { tenant, session, team: context.get(TEAM_HEADER) || undefined };
}

function answerOf(
  { hasTexts, hasJson }: RestoreCall,
  { passages = [] }: ResponseOutcome,
  told: PseudonymCounts,
): string {
  const texts = passages.map(({ text }) => text);
  const json = hasJson ? texts.pop() : undefined;
  const members = [
    ...(hasTexts ? [`"texts":${JSON.stringify(texts)}`] : []),
    ...(json === undefined ? [] : [`"json":${json}`]),
    ...(['restored', 'withheld', 'unknown'] as const).map(
      (outcome) => `"${outcome}":${JSON.stringify(Object.fromEntries(told[outcome]))}`,
    ),
  ];
  return `{${members.join(',')}}`;
}
