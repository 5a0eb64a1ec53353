import { createHmac, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { SessionId, SubjectId, Tenant } from '../ids.ts';
import { SLOT_CHARACTERS } from '../store/store.ts';
import type { CallIdentity, SessionScope } from './contract.ts';

/** 128 bits as hexadecimal digits: not to be guessed, short enough for a header and a path. */
const ID_HEX_DIGITS = 32;
/**
 * The last digits of a session id prove its tenant: 32 bits, so that a foreign id passes for one's own once in four
 * billion. The 96 bits before them keep two sessions from ever having one id.
 */
const PROOF_HEX_DIGITS = 8;

type Field = readonly [kind: string, value: string];

/**
 * Names the mapping that a call works with: HMAC-SHA-256 under the session key over
 * (tenant, team or else key hash, end user or else user or else key hash), so that two teams, and two keys without a
 * team, never share a mapping, whatever end user their clients name.
 *
 * Every field enters with its kind, and JSON keeps fields apart, so a team named like a key hash is still another team.
 * The id ends with a proof of its tenant, which {@link isSessionOf} checks.
 * - Scope `conversation` binds the trace id besides, or the call id where there is none; `call` binds the call id.
 *   Both are chosen by the client, which is harmless: they only make the mapping narrower.
 * - A call without team, key hash, user and end user has the call id alone.
 *
 * @returns undefined where nothing tells the call from another one of the same tenant, or where the scope asks for an
 * identifier that is missing: such a call shares a mapping with none.
 */
export function deriveSession(key: KeyObject, identity: CallIdentity, scope: SessionScope): SessionId | undefined {
  const { team, keyHash, user, endUser, callId, traceId } = identity;
  const subject = subjectOf(key, identity);
  const identified = [
    ...(firstOf(['team', team], ['key', keyHash]) ?? []),
    ...(firstOf(['endUser', endUser], ['user', user], ['key', keyHash]) ?? []),
  ];
  const narrowing =
    identified.length === 0 || scope === 'call'
      ? firstOf(['call', callId])
      : scope === 'conversation'
        ? firstOf(['trace', traceId], ['call', callId])
        : [];
  if (!narrowing) return undefined;
  const id = digest(key, 'session', [['tenant', identity.tenant], ...identified, ...narrowing]);
  const slot = subject?.slice(0, SLOT_CHARACTERS) ?? '';
  const body = slot + id.slice(slot.length, -PROOF_HEX_DIGITS);
  return (body + proofOf(key, identity.tenant, body)) as SessionId;
}

/** The session that a call works with. */
export interface CallSession {
  readonly id: SessionId;
  /** The end user whose erasure erases the session. */
  readonly subject: SubjectId | undefined;
  /** Whether another call can have the same session. If not, the id is random and nothing is stored. */
  readonly isShared: boolean;
}

export function sessionOfCall(key: KeyObject, identity: CallIdentity, scope: SessionScope): CallSession {
  const id = deriveSession(key, identity, scope);
  const subject = subjectOf(key, identity);
  return { id: id ?? (randomBytes(16).toString('hex') as SessionId), subject, isShared: id !== undefined };
}

/**
 * Whether an id is one that {@link deriveSession} makes for this tenant. It needs no store, so the answer says nothing of
 * the sessions that exist.
 */
export function isSessionOf(key: KeyObject, tenant: Tenant, id: string): boolean {
  if (id.length !== ID_HEX_DIGITS) return false;
  const expected = Buffer.from(proofOf(key, tenant, id.slice(0, -PROOF_HEX_DIGITS)));
  const given = Buffer.from(id.slice(-PROOF_HEX_DIGITS));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function proofOf(key: KeyObject, tenant: Tenant, body: string): string {
  const proof = digest(key, 'sessionOfTenant', [
    ['tenant', tenant],
    ['session', body],
  ]);
  return proof.slice(0, PROOF_HEX_DIGITS);
}

/** Names the end user of a call in the store; undefined where the gateway names none. */
export function subjectOf(key: KeyObject, { tenant, endUser, subject }: CallIdentity): SubjectId | undefined {
  return subject ?? (endUser ? deriveSubject(key, tenant, endUser) : undefined);
}

/** Names an end user of a tenant, over all its teams and conversations, for erasure. */
export function deriveSubject(key: KeyObject, tenant: Tenant, endUser: string): SubjectId {
  return digest(key, 'subject', [
    ['tenant', tenant],
    ['endUser', endUser],
  ]) as SubjectId;
}

/** The first field that has a value, as a list of one; an empty string is no value. */
function firstOf(...fields: [kind: string, value: string | undefined][]): Field[] | undefined {
  const found = fields.find((field): field is [string, string] => Boolean(field[1]));
  return found && [found];
}

/** JSON is an injective encoding of any list of strings, lone surrogates included, which UTF-8 is not. */
function digest(key: KeyObject, purpose: string, fields: readonly Field[]): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([purpose, ...fields]))
    .digest('hex')
    .slice(0, ID_HEX_DIGITS);
}
