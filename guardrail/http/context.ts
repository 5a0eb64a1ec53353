import type { Middleware, ParameterizedContext } from 'koa';
import type { SessionId, Tenant } from '../ids.ts';
import type { Fence } from '../store/store.ts';
import type { BodyReading } from './admission/places.ts';
import type { FailureAnswers } from './failures.ts';

/** What middleware hands on about a call. */
export interface CallState {
  requestId: string;
  /** Whose key the call came with; set by authentication. */
  tenant?: Tenant;
  /** The store's time when the call came: what is erased while its body arrives stays erased. */
  begun?: Fence;
  /** What reading the body has to do with admission; set by it. */
  reading?: BodyReading;
  /** The parsed body, set where a route reads one. */
  body?: unknown;
  /** How large the body was, once inflated. */
  bodyBytes?: number;
  /** What a failure of this call is answered. */
  failureAnswers?: FailureAnswers;
  /** Set once the call has been read, by {@link tellSession}. */
  session?: SessionId;
  /** What the access log says besides; never a value. */
  log: Record<string, string | number>;
}

/** What a handler behind authentication knows besides. */
export interface AuthenticatedState extends CallState {
  readonly tenant: Tenant;
}

export type CallContext = ParameterizedContext<CallState>;
export type AuthenticatedContext = ParameterizedContext<AuthenticatedState>;
/** The pattern of the route that was taken: unlike the URL it holds nothing that a caller chose. */
export function routeOf(context: CallContext): string {
  const route = (context as { _matchedRoute?: unknown })._matchedRoute;
  return typeof route === 'string' ? route : 'none';
}

export type CallMiddleware = Middleware<CallState>;

/** Names the session of a call in the answer's header `x-session-id`, and in the access log. */
export function tellSession(context: CallContext, session: SessionId): void {
  context.state.session = session;
  context.set('x-session-id', session);
}
