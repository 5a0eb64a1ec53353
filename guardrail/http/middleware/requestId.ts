import { randomUUID } from 'node:crypto';
import type { ScopeMiddleware } from './context.ts';

/**
 * UUIDs, and trace ids of 32 hexadecimal digits of which one is a letter. Anything else could be personal data: card numbers,
 * phone numbers and the IBANs of some countries have hexadecimal digits only.
 */
const ACCEPTED = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=\d*[a-f])[0-9a-f]{32})$/i;

/** Sets the id of each call: the header `x-request-id` if it is a UUID or trace id, otherwise a new id. */
export function requestId(): ScopeMiddleware {
  return (context, next) => {
    const given = context.get('x-request-id');
    const id = ACCEPTED.test(given) ? given : randomUUID();
    context.state.requestId = id;
    context.state.log = {};
    context.set('x-request-id', id);
    return next();
  };
}
