/** Identifiers in audit events: readable only where nobody can be read in them. */
import { createHmac, type KeyObject } from 'node:crypto';
import { deriveSubject, type CallIdentity } from '../pseudonymization/pseudonymization.ts';
import type { SubjectId } from '../ids.ts';
import { UUID } from './event.ts';

/** What is hashed. The hashes of the kinds differ. */
type Kind = 'team' | 'call' | 'request';

const HEX_DIGITS = 32;

/** A keyed hash: HMAC-SHA-256 under the session key, the first 128 bits. Nobody without the key can try names. */
export function auditHash(key: KeyObject, kind: Kind, id: string): string {
  const message = JSON.stringify(['audit', kind, id]);
  return createHmac('sha256', key).update(message).digest('hex').slice(0, HEX_DIGITS);
}

/** Returns a UUID unchanged, because it names nobody. Returns a keyed hash of any other id, because it may name a person. */
export function auditId(key: KeyObject, kind: Kind, id: string): string {
  return UUID.test(id) ? id : auditHash(key, kind, id);
}

/** The hash of the end user, which is its id in the store; undefined: the call names none. */
export function userHash(key: KeyObject, { tenant, endUser, subject }: CallIdentity): SubjectId | undefined {
  return subject ?? (endUser ? deriveSubject(key, tenant, endUser) : undefined);
}
