import { text } from 'node:stream/consumers';
import type { Context } from 'koa';
import { validationError } from './errors.ts';

/**
 * @returns the parsed JSON body of a request
 * @throws GatewayError 422 if there is no body or it is not JSON
 */
export async function readBody(ctx: Context): Promise<unknown> {
  const body = await text(ctx.req);
  if (body === '') throw validationError([{ type: 'missing', loc: ['body'], msg: 'Field required' }]);
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw validationError([{ type: 'json_invalid', loc: ['body', 0], msg: 'JSON decode error' }]);
  }
}
