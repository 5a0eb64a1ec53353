import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AuthenticatedScope, HttpStep } from './context.ts';
import { DirectCall } from './directCall.ts';
import { inOrder, type Step } from './steps.ts';

/** A route that nearly all calls of a service are for: behind authentication, with a path without parameters. */
export interface DirectRoute {
  readonly method: 'POST';
  readonly path: string;
  readonly steps: readonly Step<AuthenticatedScope>[];
}

/** Serves a request for one of the routes. @returns whether it is for one */
export type ServeDirectly = (...call: Parameters<RequestListener>) => boolean;

/**
 * Serves routes without Koa. Other spellings of a path, such as one with a slash at its end, are left to the router, which has
 * the same steps.
 * @param before the steps in front of all routes; the last ones are authentication and what names the route
 */
export function serveDirectly(
  routes: readonly DirectRoute[],
  before: (route: DirectRoute) => readonly HttpStep[],
): ServeDirectly {
  const byMethod = new Map<string, Map<string, HttpStep>>();
  for (const route of routes) {
    const byPath = byMethod.get(route.method) ?? new Map<string, HttpStep>();
    byMethod.set(route.method, byPath);
    // Authentication stands before them.
    const steps = route.steps as readonly HttpStep[];
    byPath.set(route.path, inOrder([...before(route), ...steps]));
  }
  return (request, response) => {
    const { method = '', url = '' } = request;
    const path = pathIn(url);
    const run = byMethod.get(method)?.get(path);
    if (!run) return false;
    serve(run, request, response, path);
    return true;
  };
}

function serve(run: HttpStep, request: IncomingMessage, response: ServerResponse, path: string): void {
  const call = new DirectCall(request, response, path);
  // Each answer to a failure is in the steps: what fails here is a step around them, or the answer itself.
  answered(run, call).catch(() => response.destroy());
}

async function answered(run: HttpStep, call: DirectCall): Promise<void> {
  await run(call, nothing);
  call.answer();
}

const nothing = (): Promise<void> => Promise.resolve();

/** The path of a URL in origin form; a URL in another form is the path of no route. */
function pathIn(url: string): string {
  if (url.includes('#')) return '';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
