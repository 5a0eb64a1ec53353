import { DEFAULT_TENANT, type ApiKeys } from '../apiKeys.ts';
import type { CallMiddleware } from './context.ts';
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

function presentedKey(header: (name: string) => string, bearer: boolean): string {
  const key = header('x-api-key');
  if (key !== '' || !bearer) return key;
  return /^Bearer +([^\s]+) *$/i.exec(header('authorization'))?.[1] ?? '';
}
