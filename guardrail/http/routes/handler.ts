import type { RequestListener } from 'node:http';
import Router from '@koa/router';
import { authentication, type AuthenticationOptions } from '../middleware/authentication.ts';
import { callMiddleware, httpListener, type CallMiddlewareOptions } from '../middleware/callMiddleware.ts';
import type { AuthenticatedState, CallState } from '../middleware/context.ts';
import { refuseUnanswered } from '../middleware/errorBoundary.ts';

export interface HandlerOptions extends Omit<CallMiddlewareOptions, 'isTraced'> {
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

/** A kubelet calls these every few seconds. They have no span. */
const PROBES = new Set(['/healthz', '/readyz']);

/** Puts the middleware of all calls, and authentication, in front of the routes of the service. */
export function createHandler(options: HandlerOptions): Handler {
  const publicRoutes = new Router<CallState>();
  for (const router of options.public) publicRoutes.use(router.routes());
  const authenticated = new Router<AuthenticatedState>();
  for (const router of options.authenticated) authenticated.use(router.routes());
  const handle = httpListener((koa) => {
    koa.use(callMiddleware({ ...options, isTraced: ({ path = '' }) => !PROBES.has(path) }));
    koa.use(refuseUnanswered);
    koa.use(publicRoutes.routes());
    koa.use(publicRoutes.allowedMethods());
    koa.use(authentication(options.authentication));
    koa.use(authenticated.routes());
    koa.use(authenticated.allowedMethods());
  });
  return { handle, routes: [...routesOf(publicRoutes), ...routesOf(authenticated)] };
}

function routesOf<State>(router: Router<State>): Route[] {
  return router.stack.flatMap(({ methods, path }) =>
    // The router adds HEAD to each GET.
    methods.filter((method) => method !== 'HEAD').map((method) => ({ method, path: String(path) })),
  );
}
