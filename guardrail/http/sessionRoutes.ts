import type Router from '@koa/router';
import type { Logger } from 'pino';
import * as z from 'zod';
import { TENANT_NAME } from '../settings/settings.ts';
import type { SessionId, SubjectId, Tenant } from '../ids.ts';
import { parseFields } from '../gateways/gateways.ts';
import type { MappingStore } from '../store/store.ts';
import { authenticatedRouter } from './authentication.ts';
import type { AuthenticatedState, CallMiddleware } from './context.ts';
import { ServiceError } from './errors.ts';
import type { Metrics } from './metrics.ts';

export interface SessionRouteOptions {
  readonly store: MappingStore;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Names an end user of a tenant in the store. */
  readonly subjectOf: (tenant: Tenant, endUser: string) => SubjectId;
  /** Whether an id is one that sessions of this tenant have. */
  readonly isSessionOf: (tenant: Tenant, id: string) => boolean;
  /** Whether a tenant may reach the sessions and end users of every other. */
  readonly isAdmin: (tenant: Tenant) => boolean;
  /** Body reading. */
  readonly before: readonly CallMiddleware[];
}

export const deletedSchema = z.object({ deleted: z.boolean() });
export const sessionSchema = z.object({
  session_id: z.string(),
  pseudonyms: z.int().min(0).describe('How many pseudonyms the session holds, and readings of images.'),
  expires_at: z.iso.datetime().describe('When it is forgotten unless it is used before.'),
});
export const eraseSubjectSchema = z.object({
  end_user_id: z.string().min(1).max(4096).describe('As the gateway names the end user in its calls.'),
  tenant: z
    .string()
    .regex(TENANT_NAME)
    .nullish()
    .describe("The API key's name whose end user it is; another than the caller's own takes an admin key."),
});
export const erasedSchema = z.object({ erased: z.int().min(0).describe('How many sessions were erased.') });

/** Where all sessions of an end user are erased. */
export const ERASE_SUBJECT_PATH = '/subjects/erase';

/** As the core makes them. What no session is called is neither looked up nor logged: it could be anything. */
const SESSION_ID = /^[0-9a-f]{32}$/;

const NOT_AN_ADMIN =
  'This key reaches the end users of its own tenant alone: leave out tenant, or use a key that GUARDRAIL_ADMIN_KEYS names.';

/**
 * Looking at sessions and erasing them. A tenant has its own alone: another tenant's id is answered like an id that no
 * session has, without a look into the store. An erasure leaves a line in the log, with digests alone.
 */
export function sessionRoutes(options: SessionRouteOptions): Router<AuthenticatedState> {
  const { store, metrics, logger } = options;
  const router = authenticatedRouter();
  const reachable = (id: string, { tenant }: AuthenticatedState): id is SessionId =>
    SESSION_ID.test(id) && (options.isAdmin(tenant) || options.isSessionOf(tenant, id));

  router.delete('/sessions/:session_id', async (context) => {
    const id = context.params.session_id ?? '';
    const deleted = reachable(id, context.state) && (await store.eraseSession(id));
    metrics.erased('session');
    if (SESSION_ID.test(id)) audit(context.state, { event: 'session_erased', session_id: id, deleted });
    context.body = { deleted };
  });

  router.get('/sessions/:session_id', async (context) => {
    const id = context.params.session_id ?? '';
    const info = reachable(id, context.state) ? await store.describe(id) : undefined;
    if (!info) throw new ServiceError(404, 'session_not_found', 'There is no such session, or it has expired.');
    context.body = { session_id: id, pseudonyms: info.pseudonyms, expires_at: info.expiresAt.toISOString() };
  });

  router.post(ERASE_SUBJECT_PATH, ...options.before, async (context) => {
    const { end_user_id, tenant: named } = parseFields(eraseSubjectSchema, context.state.body);
    const own = context.state.tenant;
    const tenant = (named ?? own) as Tenant;
    if (tenant !== own && !options.isAdmin(own)) throw new ServiceError(403, 'not_an_admin', NOT_AN_ADMIN);
    const subject = options.subjectOf(tenant, end_user_id);
    const erased = await store.eraseSubject(subject);
    metrics.erased('subject');
    audit(context.state, { event: 'subject_erased', subject_id: subject, of_tenant: tenant, sessions: erased });
    context.body = { erased };
  });

  function audit(state: AuthenticatedState, entry: Record<string, string | number | boolean>): void {
    logger.info({ audit: true, request_id: state.requestId, tenant: state.tenant, ...entry }, 'audit');
  }

  return router;
}
