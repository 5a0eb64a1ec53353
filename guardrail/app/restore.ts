import type { Logger } from 'pino';
import * as http from '../http/http.ts';
import { deriveSession, isSessionOf } from '../pseudonymization/pseudonymization.ts';
import type { ApiOptions } from './routeOptions.ts';

/** Creates the route that gives tools the values of pseudonyms. None: no key may restore. */
export function createRestoreRoutes(
  { settings, components, metrics, logger }: ApiOptions,
  preHandlers: readonly http.CallMiddleware[],
): ReturnType<typeof http.restoreRoute>[] {
  const { RESTORE_KEYS: keys, RESTORE_RATE: rate, SESSION_SCOPE: scope } = settings;
  if (keys === undefined) return [];
  const { pipeline, sessionKey, store, audit } = components;
  return [
    http.restoreRoute({
      ...{ guard: pipeline.enforcing, store, metrics, keys, rate, preHandlers },
      hasSession: (identity) => deriveSession(sessionKey, identity, scope) !== undefined,
      isSessionOf: isSessionOf.bind(undefined, sessionKey),
      // With an audit trail, the event of the call says the same.
      ...(!audit && { onRestore: logRestore.bind(undefined, logger) }),
    }),
  ];
}

function logRestore(logger: Logger, { counts, ...event }: http.RestoreEvent): void {
  const { requestId: request_id, tenant, ofTenant: of_tenant, session: session_id, isEnumeration } = event;
  const [restored, withheld, unknown] = [counts.restored, counts.withheld, counts.unknown].map((byType) =>
    Object.fromEntries(byType),
  );
  logger.info(
    {
      ...{ audit: true, event: 'values_restored', request_id, tenant, of_tenant, session_id },
      ...{ restored, withheld, unknown, suspected_enumeration: isEnumeration },
    },
    'audit',
  );
}
