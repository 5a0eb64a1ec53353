import type { Middleware, ParameterizedContext } from 'koa';
import type { SessionId, Tenant } from '../ids.ts';

/** What middleware hands on about a call. */
export interface CallState {
  requestId: string;
  /** Set by authentication. */
  tenant?: Tenant;
  /** The parsed body, set where a route reads one. */
  body?: unknown;
  /** Once known, told to the caller in `x-session-id`. */
  session?: SessionId;
  /** What the access log says besides; never a value. */
  log: Record<string, string | number>;
  /** The route's pattern: unlike the URL it holds nothing that a caller chose. */
  route?: string;
}

export type CallContext = ParameterizedContext<CallState>;
export type CallMiddleware = Middleware<CallState>;
