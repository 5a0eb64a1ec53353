import { randomUUID } from 'node:crypto';
import type { ScopeMiddleware } from './context.ts';

/** Hexadecimal digits and hyphens, as in UUIDs and trace ids. Anything else could be personal data. */
const ACCEPTED = /^[0-9a-fA-F-]{16,64}$/;

/** Sets the id of each call: the header `x-request-id` if it has the format of a UUID or trace id, otherwise a new id. */
export function requestId(): ScopeMiddleware {
  return async (context, next) => {
    const given = context.get('x-request-id');
    const id = ACCEPTED.test(given) ? given : randomUUID();
    context.state.requestId = id;
    context.state.log = {};
    context.set('x-request-id', id);
    await next();
  };
}
