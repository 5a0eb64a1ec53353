import Router from '@koa/router';
import { DEFAULT_TENANT, type ApiKeys } from '../apiKeys.ts';
import type { AuthenticatedState, CallContext, CallMiddleware } from './context.ts';
import { ServiceError } from './errors.ts';

export interface AuthenticationOptions {
  /** Asked at each call, since keys rotate; undefined where the service runs without authentication. */
  readonly keys: () => ApiKeys | undefined;
  /** Paths where the key may also come as `Authorization: Bearer`. */
  readonly bearerPaths?: ReadonlySet<string>;
}

/** Lets only calls with a known key pass, and tells whose key it is. */
export function authentication({ keys, bearerPaths = new Set() }: AuthenticationOptions): CallMiddleware {
  return async (context, next) => {
    const known = keys();
    const tenant = known
      ? known.tenantOf(presentedKey(context.get.bind(context), bearerPaths.has(context.path)))
      : DEFAULT_TENANT;
    if (tenant === undefined) {
      throw new ServiceError(401, 'unauthorized', 'Send a valid key in the header x-api-key.', {
        'www-authenticate': 'ApiKey realm="guardrail"',
      });
    }
    context.state.tenant = tenant;
    context.state.log.tenant = tenant;
    await next();
  };
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

function presentedKey(header: (name: string) => string, bearer: boolean): string {
  const key = header('x-api-key');
  if (key !== '' || !bearer) return key;
  return /^Bearer +([^\s]+) *$/i.exec(header('authorization'))?.[1] ?? '';
}
