/** What each call passes first, however it arrives: by HTTP at the service or at a proxy, or in a stream of Envoy. */
import type { RequestListener } from 'node:http';
import Koa from 'koa';
import compose from 'koa-compose';
import type { Logger } from 'pino';
import { accessLog } from './accessLog.ts';
import { callSpan } from './callSpan.ts';
import type { CallScope, CallState, ScopeMiddleware } from './context.ts';
import { errorBoundary } from './errorBoundary.ts';
import type { Metrics } from './metrics.ts';
import { requestId } from './requestId.ts';

export interface CallMiddlewareOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Writes the audit events. Undefined: there is no audit trail. */
  readonly audit?: ScopeMiddleware | undefined;
  /** Whether a call has a span. Default: each call has one. */
  readonly isTraced?: (context: CallScope) => boolean;
}

/** The span, the request id, the log line, the audit event and the metrics of a call, and the answer to its failure. */
export function callMiddleware({ logger, metrics, audit, isTraced }: CallMiddlewareOptions): ScopeMiddleware {
  return compose<CallScope>([
    callSpan(isTraced),
    requestId(),
    accessLog(logger),
    ...(audit ? [audit] : []),
    metrics.http,
    errorBoundary(logger),
  ]);
}

/** Serves calls by HTTP. @param use gives the application its middleware */
export function httpListener(use: (koa: Koa<CallState>) => void): RequestListener {
  const koa = new Koa<CallState>();
  use(koa);
  // What fails outside of the error boundary: its message may contain personal data.
  koa.silent = true;
  const callback = koa.callback();
  return (request, response) => void callback(request, response);
}
