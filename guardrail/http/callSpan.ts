import { inSpan, isTracing, type CallSpan, type Carrier } from '../telemetry/telemetry.ts';
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

/**
 * Puts each call into a span, whose parent is the sender of the call.
 * @param carrierOf where the call names its sender; default: in its headers
 */
export function callSpan(carrierOf: (context: CallScope) => Carrier = headersOf): ScopeMiddleware {
  return (context, next) => (isTracing() ? traced(context, next, carrierOf(context)) : next());
}

function headersOf(context: CallScope): Carrier {
  return (name) => context.get(name) || undefined;
}

function traced(context: CallScope, next: () => Promise<unknown>, parent: Carrier): Promise<void> {
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
