/** Decides what a request is, and whether it is forwarded. Pure functions. */
import type { IncomingHttpHeaders } from 'node:http';
import { generic, operationOf, type Operation } from '../bodies/bodies.ts';
import { isAdminPath } from './adminRoutes.ts';
import type { Handling, InlineOptions, InlineRequest } from './call.ts';
import { ProxyError } from './errors.ts';
import { canonical, type Target } from './target.ts';

export interface Route {
  readonly operation: Operation;
  readonly handling: Handling;
}

/** Methods whose requests have no body. Some servers read one, so it must not pass unread. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);
const METHODS = new Set([...WITHOUT_BODY, 'POST', 'PUT', 'PATCH']);

/**
 * Finds the operation of a request. A known path has one rule, whatever GUARDRAIL_PROXY_UNKNOWN says.
 * @param api the operation of the method and the path: {@link knownOperation}
 * @throws ProxyError 404
 */
export function routeOf(
  method: string,
  { path }: Target,
  headers: IncomingHttpHeaders,
  { unknown, api }: { readonly unknown: InlineOptions['unknown']; readonly api: Operation | undefined },
): Route {
  const meant = methodOf(method, headers);
  const operation = meant === method ? api : knownOperation(meant, path);
  // A preflight carries nothing but the address of a request that the browser may send.
  if (operation) return { operation, handling: method === 'OPTIONS' ? 'pass' : 'guard' };
  if (isAdminPath(canonical(path))) throw new ProxyError('admin_route');
  if (unknown === 'block') throw new ProxyError('unknown_route');
  return { operation: generic, handling: unknown === 'pass' || method === 'OPTIONS' ? 'pass' : 'guard' };
}

/** @returns the operation of the API that a request names; undefined if it is not known */
export function knownOperation(method: string, path: string): Operation | undefined {
  return operationOf(method, path) ?? operationOf(method, canonical(path));
}

function methodOf(method: string, headers: IncomingHttpHeaders): string {
  if (method === 'HEAD') return 'GET';
  return method === 'OPTIONS' ? (headers['access-control-request-method'] ?? 'POST') : method;
}

/**
 * Refuses requests that servers could read in different ways. Node's parser has already refused conflicting lengths.
 * @throws ProxyError
 */
export function checkForm({
  method = '',
  headers,
  httpVersion,
}: Pick<InlineRequest, 'method' | 'headers' | 'httpVersion'>): void {
  if (/\bwebsocket\b/i.test(headers.upgrade ?? '')) throw new ProxyError('upgrade_refused');
  if (!METHODS.has(method)) throw new ProxyError('unknown_route', 'The guardrail does not forward this method.');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion !== '1.1')) {
    throw new ProxyError('invalid_framing');
  }
  if (WITHOUT_BODY.has(method) && hasBody(headers)) throw new ProxyError('unexpected_body');
}

/** Whether requests of a method have no body. */
export function isWithoutBody(method: string): boolean {
  return WITHOUT_BODY.has(method);
}

export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
