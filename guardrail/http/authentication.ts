import Router from '@koa/router';
import { DEFAULT_TENANT, type ApiKeys } from '../settings/settings.ts';
import type { AuthenticatedState, CallContext, CallMiddleware } from './context.ts';
import { ServiceError } from './errors.ts';

export interface AuthenticationOptions {
  /** Asked at each call, since keys rotate; undefined where the service runs without authentication. */
  readonly keys: () => ApiKeys | undefined;
  /** Paths where the key may also come as `Authorization: Bearer`. */
  readonly bearerPaths?: ReadonlySet<string>;
  /** A page for browsers, where the key may also come as the password of `Authorization: Basic`. */
  readonly page?: SignInPage;
}

/** A page to which a browser signs in. */
export interface SignInPage {
  /** Where a browser without a key is asked for one. */
  readonly path: string;
  /** The calls of the page, for which the browser sends the key by itself. */
  readonly calls: ReadonlySet<string>;
}

/** Lets only calls with a known key pass, and tells whose key it is. */
export function authentication(options: AuthenticationOptions): CallMiddleware {
  return async (context, next) => {
    const known = options.keys();
    const tenant = known ? known.tenantOf(presentedKey(context, options)) : DEFAULT_TENANT;
    if (tenant === undefined) throw refusal(context.path === options.page?.path);
    context.state.tenant = tenant;
    context.state.log.tenant = tenant;
    await next();
  };
}

function refusal(isPage: boolean): ServiceError {
  return isPage
    ? new ServiceError(401, 'unauthorized', 'Sign in with any user name, and a valid API key as the password.', {
        'www-authenticate': 'Basic realm="guardrail", charset="UTF-8"',
      })
    : // Not Basic: a browser would ask its user again, in the middle of the page.
      new ServiceError(401, 'unauthorized', 'Send a valid key in the header x-api-key.', {
        'www-authenticate': 'ApiKey realm="guardrail"',
      });
}

/**
 * A router whose handlers know their caller's tenant. A call that reaches it without authentication ends in 500, before
 * its body is read: without a tenant, the sessions of all tenants would be one.
 */
export function authenticatedRouter(): Router<AuthenticatedState> {
  const router = new Router<AuthenticatedState>();
  router.use((context, next) => {
    assertAuthenticated(context);
    return next();
  });
  return router;
}

function assertAuthenticated({ state }: CallContext): void {
  if (state.tenant === undefined || state.tenant === '')
    throw new Error('The route is mounted without authentication.');
}

function presentedKey(context: CallContext, { bearerPaths, page }: AuthenticationOptions): string {
  const key = context.get('x-api-key');
  if (key !== '') return key;
  const [, scheme = '', credentials = ''] = /^(Basic|Bearer) +(\S+) *$/i.exec(context.get('authorization')) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return bearerPaths?.has(context.path) ? credentials : '';
    case 'basic':
      return page !== undefined && isOfPage(context, page) ? passwordOf(credentials) : '';
    default:
      return '';
  }
}

/**
 * Whether a browser asks for a page, or for what that page calls. A browser sends what it has been given for this origin
 * with calls of other sites' pages too, and says whose a call is in `Sec-Fetch-Site`. Browsers that do not say so ask
 * first before they send JSON from elsewhere, and other bodies are refused.
 */
function isOfPage(context: CallContext, { path, calls }: SignInPage): boolean {
  if (context.path === path) return true;
  return calls.has(context.path) && ['', 'same-origin'].includes(context.get('sec-fetch-site'));
}

/** The password of Basic credentials (RFC 7617): all that follows the first colon. */
function passwordOf(credentials: string): string {
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? '' : text.slice(colon + 1);
}
