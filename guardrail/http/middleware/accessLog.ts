import type { Logger } from 'pino';
import { routeOf, type ScopeMiddleware } from './context.ts';

/** Logs one line for each call, without its URL, headers and bodies. */
export function accessLog(logger: Logger): ScopeMiddleware {
  return async (context, next) => {
    const start = performance.now();
    try {
      await next();
    } finally {
      const { requestId, session, log } = context.state;
      const route = routeOf(context);
      const quiet = route === '/healthz' || route === '/readyz';
      logger[quiet ? 'debug' : 'info'](
        {
          request_id: requestId,
          method: context.method,
          route,
          status: context.status,
          duration_ms: Math.round((performance.now() - start) * 1000) / 1000,
          // A field without a value is not written.
          session_id: session,
          ...log,
        },
        'request',
      );
    }
  };
}
