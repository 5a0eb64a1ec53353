import type Router from '@koa/router';
import type { Guard, RequestOutcome } from '../pseudonymization/pseudonymization.ts';
import { createBasicProtocol, isObject, renderRequest, renderResponse, type BasicCall } from '../gateways/gateways.ts';
import { authenticatedRouter } from './authentication.ts';
import { tellSession, type AuthenticatedState, type CallContext, type CallMiddleware } from './context.ts';
import { underDeadline } from './deadline.ts';
import { failures, type FailurePolicy } from './failures.ts';
import type { Metrics } from './metrics.ts';

export interface GuardRouteOptions {
  readonly guard: Guard;
  readonly metrics: Metrics;
  /** Each has a path of its own. */
  readonly proxyNames: readonly string[];
  /** Admission and body reading, in the order in which they run. */
  readonly before: readonly CallMiddleware[];
  readonly onFailure: FailurePolicy;
}

/** Lets a call go on unchanged. */
const PASS = { action: 'NONE' };

/** Where the gateway of a name calls. */
export function guardPath(proxyName: string): string {
  return `/beta/${proxyName}_basic_guardrail_api`;
}

/** The basic guardrail endpoint of every proxy name. */
export function guardRoutes(options: GuardRouteOptions): Router<AuthenticatedState> {
  const router = authenticatedRouter();
  for (const name of options.proxyNames) {
    const protocol = createBasicProtocol(name);
    const failing = failures(options.onFailure, () => PASS);
    router.post(guardPath(name), failing, ...options.before, async (context) => {
      const { body } = context.state;
      const isRecognized = isObject(body) && (body.input_type === 'request' || body.input_type === 'response');
      context.state.failureAnswers = { pass: PASS, isRecognized };
      const call = protocol.parse(body, context.state.tenant);
      context.body = await underDeadline(context, (signal) => answer(context, call, signal, options));
    });
  }
  return router;
}

async function answer(context: CallContext, call: BasicCall, signal: AbortSignal, options: GuardRouteOptions) {
  const { guard, metrics } = options;
  const { identity, stricter } = call;
  const callContext = { identity, signal, begun: context.state.begun, stricter };
  context.state.log.phase = call.phase;
  // Before the work: an answer that is an error names the session, too.
  tellSession(context, guard.sessionOf(identity));
  if (call.phase === 'response') {
    const outcome = await guard.response(call.document, callContext);
    metrics.pseudonyms(outcome);
    count(context, metrics, call.phase, outcome.action);
    return renderResponse(outcome);
  }
  const { document } = call;
  const outcome: RequestOutcome = await guard.request(document, callContext);
  metrics.entities(outcome.entities);
  context.state.log.entities = outcome.entities.reduce((sum, { count }) => sum + count, 0);
  count(context, metrics, call.phase, outcome.action, outcome.monitored);
  return renderRequest(outcome, document);
}

function count(
  context: CallContext,
  metrics: Metrics,
  phase: BasicCall['phase'],
  action: string,
  monitored?: string,
): void {
  context.state.log.action = action;
  if (monitored !== undefined) context.state.log.monitored = monitored;
  metrics.guarded(phase, 'basic', monitored === undefined ? action : `MONITORED_${monitored}`);
}
