import type { AuditNotes, AuditTrail } from '../../audit/audit.ts';
import type { AuditedPaths } from './auditedPaths.ts';
import { routeOf, type CallScope, type ScopeMiddleware } from './context.ts';

/** What tells the audited calls: the paths of the service, or the protocol if every call is one. */
type Audited = { readonly paths: AuditedPaths } | { readonly protocol: 'inline' | 'ext_proc' | 'mcp' };

/**
 * Records one audit event for each call, whatever becomes of it: it stands before authentication, admission and the error
 * boundary. The parts of the call add what they know to `context.state.audit`.
 */
export function auditCalls(trail: AuditTrail, audited: Audited): ScopeMiddleware {
  return async (context, next) => {
    const startedAt = new Date();
    const start = performance.now();
    const notes: AuditNotes = {};
    context.state.audit = notes;
    try {
      await next();
    } finally {
      const place = notes.isLeftOut === true ? undefined : placeOf(context, audited);
      if (place) {
        if (place.phase) notes.phase ??= place.phase;
        const { requestId, session, log } = context.state;
        const { status } = context;
        const durationMs = performance.now() - start;
        const { route } = place;
        const protocol = 'protocol' in audited ? audited.protocol : textOf(log.dialect);
        const tenant = textOf(log.tenant);
        const [action, monitored, error] = [textOf(log.action), textOf(log.monitored), textOf(log.error)];
        trail.record({
          ...{ startedAt, durationMs, requestId, route, status, tenant, session, protocol, action, monitored, error },
          notes,
        });
      }
    }
  };
}

interface Place {
  readonly route: string;
  readonly phase: NonNullable<AuditNotes['phase']> | undefined;
}

/** undefined: the call is not audited, such as a probe. */
function placeOf(context: CallScope, audited: Audited): Place | undefined {
  const route = routeOf(context);
  if ('protocol' in audited) return { route, phase: 'call' };
  return audited.paths(context.method, route === 'none' ? (context.path ?? '') : route);
}

function textOf(value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
