import type { Context } from 'koa';
import readRaw from 'raw-body';
import { validationError } from './errors.ts';

/**
 * @returns the parsed JSON body of a request
 * @throws GatewayError 422 if there is no body or it is not JSON
 */
export async function readBody(ctx: Context): Promise<unknown> {
  const text = await readRaw(ctx.req, { encoding: 'utf8', limit: '32mb' });
  if (text === '') throw validationError([{ type: 'missing', loc: ['body'], msg: 'Field required' }]);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw validationError([{ type: 'json_invalid', loc: ['body', 0], msg: 'JSON decode error' }]);
  }
}
