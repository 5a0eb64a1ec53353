import type Router from '@koa/router';
import type { CallContext, CallMiddleware, HttpStep } from './context.ts';
import { inOrder } from './steps.ts';

/** A path without parameters and patterns. */
const EXACT = /^[\w./-]+$/;

/** Finds what serves a call, by its method and its path. undefined: the router decides. */
export type ExactRoutes = (method: string, path: string) => CallMiddleware | undefined;

/**
 * The routes of a router whose paths have no parameters, which nearly all calls are for. The router compares a path with the
 * pattern of each of its routes, and composes what they do, for each call.
 * @param before runs before the steps of a route
 */
export function exactRoutes<State>(router: Router<State>, before: readonly HttpStep[] = []): ExactRoutes {
  const routes = new Map<string, Map<string, CallMiddleware>>();
  for (const { path, methods } of router.stack) {
    if (typeof path !== 'string' || !EXACT.test(path)) continue;
    const byMethod = routes.get(path) ?? new Map<string, CallMiddleware>();
    routes.set(path, byMethod);
    for (const method of methods) {
      const { pathAndMethod: layers } = router.match(path, method);
      if (layers.some(({ paramNames }) => paramNames.length > 0)) continue;
      // A step that all routes of nested routers share is in several layers.
      const steps = new Set(layers.flatMap(({ stack }) => stack as unknown as CallMiddleware[]));
      byMethod.set(method, inOrder<CallContext>([...before, reportRoute(path), ...steps]));
    }
  }
  return (method, path) => routes.get(path)?.get(method);
}

/** Names the route of a call. */
export function reportRoute(path: string): HttpStep {
  return (context, next) => {
    context.state.route = path;
    return next();
  };
}
