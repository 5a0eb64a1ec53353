import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { sessionKey } from '../sessionKey.ts';

declare const brand: unique symbol;
/** A keyed hash of a customer id, a team id or the hash of an API key: 22 characters of base64url. */
export type ListHash = string & { readonly [brand]: 'ListHash' };

const BYTES = 16;

/**
 * The key of a customer list.
 *
 * @param text the session key, as in GUARDRAIL_SESSION_KEY
 * @throws Error that completes the sentence "<name> …"
 */
export function listKey(text: string): KeyObject {
  return createSecretKey(sessionKey(text));
}

/**
 * The hash of an id in a customer list: HMAC-SHA-256, the first 128 bits. Nobody without the key can tell the id, or try
 * ids. The hashes of the kinds differ.
 */
export function listHash(key: KeyObject, kind: 'customer' | 'team' | 'key', id: string): ListHash {
  const message = JSON.stringify(['customer list', kind, id]);
  return createHmac('sha256', key).update(message).digest().subarray(0, BYTES).toString('base64url') as ListHash;
}
