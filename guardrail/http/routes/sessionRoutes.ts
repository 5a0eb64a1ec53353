import type Router from '@koa/router';
import type { Logger } from 'pino';
import * as z from 'zod';
import { TENANT_NAME } from '../../settings/settings.ts';
import type { SessionId, SubjectId, Tenant } from '../../ids.ts';
import { parseFields } from '../../gateways/gateways.ts';
import type { MappingStore } from '../../store/store.ts';
import { authenticatedRouter } from '../middleware/authentication.ts';
import type { AuthenticatedState, CallMiddleware } from '../middleware/context.ts';
import { ServiceError } from '../middleware/errors.ts';
import type { Metrics } from '../middleware/metrics.ts';
import type { Operation } from '../openapi/operation.ts';

export interface SessionRouteOptions {
  readonly store: MappingStore;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Derives the id of an end user in the store. */
  readonly subjectOf: (tenant: Tenant, endUser: string) => SubjectId;
  /** Whether an id belongs to a session of this tenant. */
  readonly isSessionOf: (tenant: Tenant, id: string) => boolean;
  /** Whether a tenant exists. The name of another one, which a caller made up, is not repeated. */
  readonly isKnownTenant: (tenant: Tenant) => boolean;
  /** Whether a tenant may access the sessions and end users of all tenants. */
  readonly isAdmin: (tenant: Tenant) => boolean;
  /** Middleware that admits the call and reads its body. */
  readonly preHandlers: readonly CallMiddleware[];
}

const deletedSchema = z.object({ deleted: z.boolean() });
const sessionSchema = z.object({
  session_id: z.string(),
  pseudonyms: z.int().min(0).describe('Number of pseudonyms and of OCR results in the session.'),
  expires_at: z.iso.datetime().describe('When the session expires, unless it is used again.'),
});
const eraseSubjectSchema = z.object({
  end_user_id: z.string().min(1).max(4096).describe('The id of the end user, as in the calls of the gateway.'),
  tenant: z
    .string()
    .regex(TENANT_NAME)
    .nullish()
    .describe('The tenant of the end user. Only an admin key can name another tenant than its own.'),
});
const erasedSchema = z.object({ erased: z.int().min(0).describe('Number of erased sessions.') });

/** The path of one session. */
export const SESSION_PATH = '/sessions/:session_id';
export const ERASE_SUBJECT_PATH = '/subjects/erase';

const SESSION_ID_PARAMETER = {
  name: 'session_id',
  in: 'path',
  required: true,
  schema: { type: 'string', minLength: 1 },
  description: 'From the response header x-session-id of a call, or from the command session-id.',
};

export const sessionOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/sessions/{session_id}',
    operationId: 'describeSession',
    summary: 'Returns the size and the expiry of a session.',
    parameters: [SESSION_ID_PARAMETER],
    responses: { 200: { description: 'The session.', body: sessionSchema } },
    errors: [400, 401, 404, 502],
  },
  {
    method: 'delete',
    path: '/sessions/{session_id}',
    operationId: 'eraseSession',
    summary: "Erases a session of the caller's tenant. Erasing it again is not an error.",
    parameters: [SESSION_ID_PARAMETER],
    responses: { 200: { description: 'Whether the session existed.', body: deletedSchema } },
    errors: [400, 401, 502],
  },
  {
    method: 'post',
    path: ERASE_SUBJECT_PATH,
    operationId: 'eraseSubject',
    summary: 'Erases all sessions of an end user.',
    requestBody: eraseSubjectSchema,
    responses: { 200: { description: 'The number of erased sessions.', body: erasedSchema } },
    errors: [400, 401, 403, 413, 415, 429, 502, 503],
  },
];

/** In the log, in place of a name that is nobody's: it could be that of a person. */
const UNKNOWN_TENANT = '(unknown)';

/** The format of session ids. Other ids are not looked up or logged: they may contain personal data. */
export const SESSION_ID = /^[0-9a-f]{32}$/;

/**
 * Reads and erases sessions. The id of another tenant's session gets the same response as an unknown id, without a
 * lookup in the store. Each erasure is logged with digests only.
 */
export function sessionRoutes(options: SessionRouteOptions): Router<AuthenticatedState> {
  const { store, metrics, logger } = options;
  const router = authenticatedRouter();
  const reachable = (id: string, { tenant }: AuthenticatedState): id is SessionId =>
    SESSION_ID.test(id) && (options.isAdmin(tenant) || options.isSessionOf(tenant, id));

  router.delete(SESSION_PATH, async (context) => {
    const id = context.params.session_id ?? '';
    const session = reachable(id, context.state) ? id : undefined;
    const deleted = session !== undefined && (await store.eraseSession(session));
    metrics.erased('session');
    if (context.state.audit) context.state.audit.erasure = { kind: 'session', session, sessions: deleted ? 1 : 0 };
    if (SESSION_ID.test(id)) audit(context.state, { event: 'session_erased', session_id: id, deleted });
    context.body = { deleted };
  });

  router.get(SESSION_PATH, async (context) => {
    const id = context.params.session_id ?? '';
    const info = reachable(id, context.state) ? await store.describe(id) : undefined;
    if (!info) throw new ServiceError('session_not_found');
    context.body = { session_id: id, pseudonyms: info.pseudonyms, expires_at: info.expiresAt.toISOString() };
  });

  router.post(ERASE_SUBJECT_PATH, ...options.preHandlers, async (context) => {
    const { end_user_id, tenant: named } = parseFields(eraseSubjectSchema, context.state.body);
    const own = context.state.tenant;
    const tenant = (named ?? own) as Tenant;
    if (tenant !== own && !options.isAdmin(own)) throw new ServiceError('not_an_admin');
    const subject = options.subjectOf(tenant, end_user_id);
    const erased = await store.eraseSubject(subject);
    metrics.erased('subject');
    if (context.state.audit) context.state.audit.erasure = { kind: 'subject', subject, sessions: erased };
    const of_tenant = tenant === own || options.isKnownTenant(tenant) ? tenant : UNKNOWN_TENANT;
    audit(context.state, { event: 'subject_erased', subject_id: subject, of_tenant, sessions: erased });
    context.body = { erased };
  });

  function audit(state: AuthenticatedState, entry: Record<string, string | number | boolean>): void {
    logger.info({ audit: true, request_id: state.requestId, tenant: state.tenant, ...entry }, 'audit');
  }

  return router;
}
