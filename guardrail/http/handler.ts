import type { RequestListener } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import { accessLog } from './accessLog.ts';
import {
  assertAuthenticated,
  authenticatedRouter,
  authentication,
  type AuthenticationOptions,
} from './authentication.ts';
import { callSpan } from './callSpan.ts';
import type { AuthenticatedState, CallContext, CallState, HttpStep, ScopeMiddleware } from './context.ts';
import { errorBoundary } from './errorBoundary.ts';
import { serveDirectly, type DirectRoute } from './directRoutes.ts';
import { exactRoutes, reportRoute } from './exactRoutes.ts';
import type { Metrics } from './metrics.ts';
import { requestId } from './requestId.ts';
import { inOrder } from './steps.ts';
import { isTracing } from '../telemetry/telemetry.ts';

export interface HandlerOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Records the calls that the audit trail is about; undefined: there is none. */
  readonly audit?: ScopeMiddleware | undefined;
  readonly authentication: AuthenticationOptions;
  /** Routes without authentication. */
  readonly public: readonly Router<CallState>[];
  /** Routes behind authentication that need nothing of Koa. */
  readonly direct?: readonly DirectRoute[];
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

/** Puts the common middleware in front of routes: span, request id, access log, metrics, error boundary and authentication. */
export function createHandler(options: HandlerOptions): Handler {
  const { logger, metrics, direct = [] } = options;
  const publicRoutes = new Router<CallState>();
  for (const router of options.public) publicRoutes.use(router.routes());
  const authenticated = new Router<AuthenticatedState>();
  for (const router of [directRouter(direct), ...options.authenticated]) authenticated.use(router.routes());

  const koa = new Koa<CallState>();
  koa.silent = true;
  const span = callSpan();
  const authenticate = authentication(options.authentication);
  const exact = [exactRoutes(publicRoutes), exactRoutes(authenticated, [authenticate])];
  const common: readonly HttpStep[] = [
    (context, next) => (isTracing() && !PROBES.has(context.path) ? span(context, next) : next()),
    requestId(),
    accessLog(logger),
    ...(options.audit ? [options.audit] : []),
    metrics.http,
    errorBoundary(logger),
  ];
  koa.use(
    inOrder<CallContext>([
      ...common,
      (context, next) => {
        const { method, path } = context;
        for (const find of exact) {
          const route = find(method, path);
          if (route) return route(context, next) as unknown;
        }
        return next();
      },
    ]),
  );
  // Paths with parameters, other spellings of a path, and calls of no route.
  koa.use(publicRoutes.routes());
  koa.use(publicRoutes.allowedMethods());
  koa.use(authenticate);
  koa.use(authenticated.routes());
  koa.use(authenticated.allowedMethods());

  const callback = koa.callback();
  const isServed = serveDirectly(direct, ({ path }) => [
    ...common,
    authenticate,
    reportRoute(path),
    assertAuthenticated,
  ]);
  return {
    handle: (request, response) => {
      if (!isServed(request, response)) void callback(request, response);
    },
    routes: [...routesOf(publicRoutes), ...routesOf(authenticated)],
  };
}

/** The same routes for Koa: in other spellings of their paths, and for answers to other methods. */
function directRouter(routes: readonly DirectRoute[]): Router<AuthenticatedState> {
  const router = authenticatedRouter();
  for (const { method, path, steps } of routes) router.register(path, [method], [...steps]);
  return router;
}

function routesOf<State>(router: Router<State>): Route[] {
  return router.stack.flatMap(({ methods, path }) =>
    // The router adds HEAD to each GET.
    methods.filter((method) => method !== 'HEAD').map((method) => ({ method, path: String(path) })),
  );
}
