import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { proxyError } from './errors.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function sentKey(ctx: Context, proxyName: string): string {
  const header = ctx.get('authorization') || ctx.get(`x-${proxyName}-api-key`) || ctx.get('x-api-key');
  return header.replace(/^bearer\s+/i, '').trim();
}

/**
 * Admits only the master key.
 * @throws GatewayError 401, with the message of the real gateway
 */
export function requireMasterKey(masterKey: string, proxyName: string): Middleware {
  const expected = digest(masterKey);
  return async (ctx, next) => {
    const key = sentKey(ctx, proxyName);
    if (key === '') throw proxyError(401, 'auth_error', 'None', 'Authentication Error, No api key passed in.');
    if (!timingSafeEqual(digest(key), expected)) {
      if (!key.startsWith('sk-')) {
        const shown = `${key.slice(0, 4)}****${key.slice(-4)}`;
        const message = `LiteLLM Virtual Key expected. Received=${shown}, expected to start with 'sk-'.`;
        throw proxyError(401, 'auth_error', 'None', message);
      }
      const hash = digest(key).toString('hex');
      const message = `Authentication Error, Invalid proxy server token passed. Received API Key = sk-..., Key Hash (Token) =${hash}. Unable to find token in cache or \`LiteLLM_VerificationTokenTable\``;
      throw proxyError(401, 'token_not_found_in_db', 'key', message);
    }
    await next();
  };
}
