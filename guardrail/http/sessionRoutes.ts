import type Router from '@koa/router';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { SessionId, SubjectId, Tenant } from '../ids.ts';
import { parseFields } from '../protocol/protocol.ts';
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
});
export const erasedSchema = z.object({ erased: z.int().min(0).describe('How many sessions were erased.') });

/** As the core makes them. What no session is called is neither looked up nor logged: it could be anything. */
const SESSION_ID = /^[0-9a-f]{32}$/;

/** Looking at sessions and erasing them. An erasure leaves a line in the log, with digests alone. */
export function sessionRoutes(options: SessionRouteOptions): Router<AuthenticatedState> {
  const { store, metrics, logger } = options;
  const router = authenticatedRouter();

  router.delete('/sessions/:session_id', async (context) => {
    const id = context.params.session_id ?? '';
    const deleted = SESSION_ID.test(id) && (await store.eraseSession(id as SessionId));
    metrics.erased('session');
    if (SESSION_ID.test(id)) audit(context.state, { event: 'session_erased', session_id: id, deleted });
    context.body = { deleted };
  });

  router.get('/sessions/:session_id', async (context) => {
    const id = context.params.session_id ?? '';
    const info = SESSION_ID.test(id) ? await store.describe(id as SessionId) : undefined;
    if (!info) throw new ServiceError(404, 'session_not_found', 'There is no such session, or it has expired.');
    context.body = { session_id: id, pseudonyms: info.pseudonyms, expires_at: info.expiresAt.toISOString() };
  });

  router.post('/subjects/erase', ...options.before, async (context) => {
    const { end_user_id } = parseFields(eraseSubjectSchema, context.state.body);
    const subject = options.subjectOf(context.state.tenant, end_user_id);
    const erased = await store.eraseSubject(subject);
    metrics.erased('subject');
    audit(context.state, { event: 'subject_erased', subject_id: subject, sessions: erased });
    context.body = { erased };
  });

  function audit(state: AuthenticatedState, entry: Record<string, string | number | boolean>): void {
    logger.info({ audit: true, request_id: state.requestId, tenant: state.tenant, ...entry }, 'audit');
  }

  return router;
}
