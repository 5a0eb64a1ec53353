import type { RequestListener } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import { accessLog } from './accessLog.ts';
import { authentication, type AuthenticationOptions } from './authentication.ts';
import type { AuthenticatedState, CallState } from './context.ts';
import { errorBoundary } from './errorBoundary.ts';
import type { Metrics } from './metrics.ts';
import { requestId } from './requestId.ts';

export interface HandlerOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly authentication: AuthenticationOptions;
  /** Routes without authentication. */
  readonly public: readonly Router<CallState>[];
  /** Routes behind authentication. Their handlers need the tenant, so the compiler rejects them as public routes. */
  readonly authenticated: readonly Router<AuthenticatedState>[];
}

/** A method and a path pattern of the router. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

export interface Handler {
  readonly handle: RequestListener;
  readonly routes: readonly Route[];
}

/** Puts the common middleware in front of routes: request id, access log, metrics, error boundary and authentication. */
export function createHandler(options: HandlerOptions): Handler {
  const { logger, metrics } = options;
  const publicRoutes = new Router<CallState>();
  for (const router of options.public) publicRoutes.use(router.routes());
  const authenticated = new Router<AuthenticatedState>();
  for (const router of options.authenticated) authenticated.use(router.routes());

  const koa = new Koa<CallState>();
  koa.silent = true;
  koa.use(requestId());
  koa.use(accessLog(logger));
  koa.use(metrics.http);
  koa.use(errorBoundary(logger));
  koa.use(publicRoutes.routes());
  koa.use(publicRoutes.allowedMethods());
  koa.use(authentication(options.authentication));
  koa.use(authenticated.routes());
  koa.use(authenticated.allowedMethods());

  const callback = koa.callback();
  return {
    handle: (request, response) => void callback(request, response),
    routes: [...routesOf(publicRoutes), ...routesOf(authenticated)],
  };
}

function routesOf<State>(router: Router<State>): Route[] {
  return router.stack.flatMap(({ methods, path }) =>
    // The router adds HEAD to each GET.
    methods.filter((method) => method !== 'HEAD').map((method) => ({ method, path: String(path) })),
  );
}
