import { inSpan, isTracing, type CallSpan, type Carrier } from '../../telemetry/telemetry.ts';
import { knownMethod, routeOf, type CallScope, type ScopeMiddleware } from './context.ts';

/** Attributes from the access log, and the names that they have there. None contains what a caller sent. */
const LOGGED = {
  'guardrail.phase': 'phase',
  'guardrail.dialect': 'dialect',
  'guardrail.action': 'action',
  'guardrail.monitored_action': 'monitored',
  'guardrail.entities': 'entities',
  'guardrail.restored': 'restored',
} as const;

/** Puts each call into a span, whose parent is the sender of the call. */
export function callSpan(isTraced: (context: CallScope) => boolean = () => true): ScopeMiddleware {
  return (context, next) => (isTracing() && isTraced(context) ? traced(context, next) : next());
}

function traced(context: CallScope, next: () => Promise<unknown>): Promise<void> {
  const parent: Carrier = context.carrier ?? ((name) => context.get(name) || undefined);
  const method = spanMethod(context.method);
  const attributes = { 'http.request.method': method };
  return inSpan({ name: method, kind: 'server', attributes, parent }, async (span) => {
    try {
      await next();
    } finally {
      if (span) describe(context, method, span);
    }
  });
}

function describe(context: CallScope, method: string, span: CallSpan): void {
  const { status, state } = context;
  const route = routeOf(context);
  if (route !== 'none') span.rename(`${method} ${route}`);
  span.set({ 'http.response.status_code': status, ...(route !== 'none' && { 'http.route': route }) });
  for (const [attribute, name] of Object.entries(LOGGED)) {
    const value = state.log[name];
    if (value !== undefined) span.set({ [attribute]: value });
  }
  const { error } = state.log;
  // A stream breaks after its status.
  const isBroken = status < 400 && error !== undefined && error !== 'client_gone';
  if (status >= 500 || isBroken) span.fail(String(error ?? status));
}

/** The method in the form of OpenTelemetry's conventions. */
export function spanMethod(method: string): string {
  const known = knownMethod(method);
  return known === 'other' ? '_OTHER' : known;
}
