import { randomUUID } from 'node:crypto';
import type { CallMiddleware } from './context.ts';

/** Only what cannot be anybody's name is taken over: hexadecimal digits and hyphens, as in UUIDs and trace ids. */
const ACCEPTED = /^[0-9a-fA-F-]{16,64}$/;

/** Gives each call an id: the caller's `x-request-id` where that is a UUID or the like, else a new one. */
export function requestId(): CallMiddleware {
  return async (context, next) => {
    const given = context.get('x-request-id');
    const id = ACCEPTED.test(given) ? given : randomUUID();
    context.state.requestId = id;
    context.state.log = {};
    context.set('x-request-id', id);
    await next();
  };
}
