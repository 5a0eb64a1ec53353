import type { Middleware, ParameterizedContext } from 'koa';
import type { AuditNotes } from '../../audit/audit.ts';
import type { Policy } from '../../detection/detection.ts';
import type { GatewayAdapter, JsonObject } from '../../gateways/gateways.ts';
import type { SessionId, Tenant } from '../../ids.ts';
import type { Fence } from '../../store/store.ts';
import type { Carrier } from '../../telemetry/telemetry.ts';
import type { BodyTracker } from './admission/capacity.ts';

/** What middleware and handlers know about a call. */
export interface CallState {
  requestId: string;
  /** The tenant of the API key; set by authentication. */
  tenant?: Tenant;
  /** The fence at the start of the call: values erased while the body arrives stay erased. */
  fence?: Fence;
  /** Counts the body while it is read; set by admission. */
  bodyTracker?: BodyTracker;
  /** The parsed body. */
  body?: unknown;
  /** The body as it was sent, for routes that keep the spelling of its numbers. */
  bodyText?: string;
  /** The policy of the call, once it is known for whom it is. */
  policy?: Policy;
  /** The size of the decompressed body. */
  bodyBytes?: number;
  /** Answers the failed call in the format of its API; undefined: as JSON. */
  answerFailure?: (thrown: unknown) => void;
  /** The responses to this call if it fails; set by routes of gateways. */
  failureAnswers?: FailureAnswers;
  /** The route in metrics and logs, unless a router sets it. Must not contain anything that a caller chose. */
  route?: string;
  /** Set by {@link reportSession} once the call is parsed. */
  session?: SessionId;
  /** What the audit event tells about the call; undefined: there is no audit trail. */
  audit?: AuditNotes;
  /** More fields of the access log. Must not contain personal data. */
  log: Record<string, string | number>;
}

/** The state of a call that authentication accepted. */
export interface AuthenticatedState extends CallState {
  readonly tenant: Tenant;
}

/** The responses to a failed call, in the format of its gateway. */
export interface FailureAnswers {
  /** Forwards the call unchanged. */
  readonly pass: GatewayAdapter['pass'];
  /** Refuses the call. undefined: an HTTP error refuses it. */
  readonly block?: JsonObject | undefined;
  /** Whether the body is a call of this gateway, so that the address and the configuration are correct. */
  readonly isRecognized: boolean;
}

export type CallContext = ParameterizedContext<CallState>;

/**
 * What identities, limits, logs and metrics know of a call. Each Koa context is one. A call that arrives in another way
 * than by HTTP makes its own.
 */
export interface CallScope {
  readonly method: string;
  status: number;
  readonly state: CallState;
  /** The path in the URL of a call by HTTP, as it was sent. */
  readonly path?: string;
  /** The answer of the service to a call by HTTP: a text, bytes, a stream of bytes, or an object that is written as JSON. */
  body?: unknown;
  /** Where the call names the sender of its span; undefined: in its headers. */
  readonly carrier?: Carrier;
  /** A header of the request; empty if it is absent. */
  get(name: string): string;
  /** Sets a header of the answer. */
  set(name: string, value: string): void;
}

/** Middleware of calls, however they arrive. */
export type ScopeMiddleware = (context: CallScope, next: () => Promise<unknown>) => Promise<unknown>;

export type AuthenticatedContext = ParameterizedContext<AuthenticatedState>;
export type CallMiddleware = Middleware<CallState>;

/** The pattern of the matched route. Unlike the URL, it contains nothing that a caller chose. */
export function routeOf(context: Pick<CallScope, 'state'>): string {
  const route = context.state.route ?? (context as { _matchedRoute?: unknown })._matchedRoute;
  return typeof route === 'string' ? route : 'none';
}

/** Bounds the values of a method in metrics and spans: Node accepts dozens, and Envoy any. */
export function knownMethod(method: string): string {
  return ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH'].includes(method) ? method : 'other';
}

/** Writes the session of a call to the response header `x-session-id` and to the access log. */
export function reportSession(context: CallScope, session: SessionId): void {
  context.state.session = session;
  context.set('x-session-id', session);
}
