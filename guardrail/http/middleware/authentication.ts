import Router from '@koa/router';
import compose from 'koa-compose';
import { DEFAULT_TENANT, type ApiKeys } from '../../settings/settings.ts';
import type { AuthenticatedState, CallContext, CallMiddleware } from './context.ts';
import type { Tenant } from '../../ids.ts';
import { ServiceError } from './errors.ts';

export interface AuthenticationOptions {
  /** The current keys. undefined: the service runs without authentication. */
  readonly keys: () => ApiKeys | undefined;
  /** Paths that also accept the key as `Authorization: Bearer`. */
  readonly bearerPaths?: ReadonlySet<string>;
  /** Paths that also accept the key as the password of `Authorization: Basic`, for clients that can only set a URL. */
  readonly basicPaths?: ReadonlySet<string>;
  /** A page for browsers, which also accepts the key as the password of `Authorization: Basic`. */
  readonly page?: SignInPage;
  /** The only path that the keys of a tenant may call; undefined: they may call all. */
  readonly onlyPathOf?: (tenant: Tenant) => string | undefined;
}

/** A page to which a browser signs in. */
export interface SignInPage {
  /** The path where a browser without a key gets a sign-in dialog. */
  readonly path: string;
  /** The paths that the page calls. The browser adds the key to these calls. */
  readonly calls: ReadonlySet<string>;
}

/** Refuses calls without a known key, and sets the tenant of the others. */
export function authentication(options: AuthenticationOptions): CallMiddleware {
  return (context, next) => {
    const known = options.keys();
    const tenant = known ? known.tenantOf(presentedKey(context, options)) : DEFAULT_TENANT;
    if (tenant === undefined) throw refusal(context.path === options.page?.path);
    context.state.tenant = tenant;
    context.state.log.tenant = tenant;
    if (![undefined, context.path].includes(options.onlyPathOf?.(tenant))) throw new ServiceError('restore_key_only');
    return next();
  };
}

function refusal(isPage: boolean): ServiceError {
  return isPage
    ? new ServiceError('unauthorized', {
        message: 'Sign in with any user name, and a valid API key as the password.',
        headers: { 'www-authenticate': 'Basic realm="guardrail", charset="UTF-8"' },
      })
    : // Not Basic: for a call of a page, the browser would show its sign-in dialog again.
      new ServiceError('unauthorized', { headers: { 'www-authenticate': 'ApiKey realm="guardrail"' } });
}

/** Refuses keys that are not admin keys. */
export function adminsOnly(isAdmin: (tenant: Tenant) => boolean): CallMiddleware {
  return (context, next) => {
    const { tenant } = context.state;
    if (tenant === undefined || !isAdmin(tenant)) throw new ServiceError('admin_key_required');
    return next();
  };
}

/**
 * Creates a router whose handlers know the tenant of the call. A call without a tenant gets 500 before its body is read:
 * otherwise all tenants would share their sessions.
 */
export function authenticatedRouter(): Router<AuthenticatedState> {
  const router = new Router<AuthenticatedState>();
  const register = router.register.bind(router);
  // Not `use`: each call would then pass the checks of all routers in the same parent. The router composes for each call.
  router.register = (path, methods, steps, options) =>
    register(path, methods, compose([assertAuthenticated, steps].flat()), options);
  return router;
}

const assertAuthenticated: CallMiddleware = ({ state }, next) => {
  if (state.tenant === undefined || state.tenant === '') throw new Error('The route is not behind authentication.');
  return next();
};

function presentedKey(context: CallContext, { bearerPaths, basicPaths, page }: AuthenticationOptions): string {
  const key = context.get('x-api-key');
  if (key !== '') return key;
  const [, scheme = '', credentials = ''] = /^(Basic|Bearer) +(\S+) *$/i.exec(context.get('authorization')) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return bearerPaths?.has(context.path) ? credentials : '';
    case 'basic':
      return acceptsBasic(context, basicPaths, page) ? passwordOf(credentials) : '';
    default:
      return '';
  }
}

/**
 * Whether the call requests the page, comes from the page, or is for a path that accepts these credentials. A browser adds the
 * credentials of this origin to calls of other sites' pages too, and names the origin of a call in `Sec-Fetch-Site`. Browsers
 * without this header send a CORS preflight before JSON from another origin, and the service refuses other bodies.
 */
function acceptsBasic(
  context: CallContext,
  paths: ReadonlySet<string> | undefined,
  page: SignInPage | undefined,
): boolean {
  if (context.path === page?.path) return true;
  const isListed = paths?.has(context.path) === true || page?.calls.has(context.path) === true;
  return isListed && ['', 'same-origin'].includes(context.get('sec-fetch-site'));
}

/** The password in Basic credentials (RFC 7617): everything after the first colon. */
function passwordOf(credentials: string): string {
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? '' : text.slice(colon + 1);
}
