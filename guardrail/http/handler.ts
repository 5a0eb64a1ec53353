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
  /** Routes that everybody may call. */
  readonly open: readonly Router<CallState>[];
  /** Routes behind authentication. The compiler refuses them among the open ones: their handlers ask for the tenant. */
  readonly authenticated: readonly Router<AuthenticatedState>[];
}

/** A method and the pattern of a path, as the router knows it. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

export interface Handler {
  readonly handle: RequestListener;
  /** Everything that is served. */
  readonly routes: readonly Route[];
}

/** Puts routes behind what every call passes: id, access log, metrics, error boundary and, unless open, authentication. */
export function createHandler(options: HandlerOptions): Handler {
  const { logger, metrics } = options;
  const open = new Router<CallState>();
  for (const router of options.open) open.use(router.routes());
  const authenticated = new Router<AuthenticatedState>();
  for (const router of options.authenticated) authenticated.use(router.routes());

  const koa = new Koa<CallState>();
  koa.silent = true;
  koa.use(requestId());
  koa.use(accessLog(logger));
  koa.use(metrics.http);
  koa.use(errorBoundary(logger));
  koa.use(open.routes());
  koa.use(open.allowedMethods());
  koa.use(authentication(options.authentication));
  koa.use(authenticated.routes());
  koa.use(authenticated.allowedMethods());

  const callback = koa.callback();
  return {
    handle: (request, response) => void callback(request, response),
    routes: [...routesOf(open), ...routesOf(authenticated)],
  };
}

function routesOf<State>(router: Router<State>): Route[] {
  return router.stack.flatMap(({ methods, path }) =>
    // The router adds HEAD to each GET.
    methods.filter((method) => method !== 'HEAD').map((method) => ({ method, path: String(path) })),
  );
}
