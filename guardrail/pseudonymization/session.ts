import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { SessionId, SubjectId, Tenant } from '../ids.ts';
import { processDigest } from '../processDigest.ts';
import { randomId } from '../randomId.ts';
import { Recent } from '../recent.ts';
import { SLOT_CHARACTERS } from '../store/store.ts';
import type { CallIdentity, SessionScope } from './contract.ts';

/** 128 bits: cannot be guessed, and is short enough for a header and a path. */
const ID_HEX_DIGITS = 32;
/**
 * The last digits of a session id are a keyed tag that identifies its tenant. With 32 bits, the id of another tenant is
 * accepted once in four billion. The 96 bits before them keep session ids distinct.
 */
const TENANT_TAG_HEX_DIGITS = 8;

type Field = readonly [kind: string, value: string];

/**
 * Derives the id of the session of a call: HMAC-SHA-256 under the session key over the tenant, the team (or key hash)
 * and the end user (or user, or key hash). Two teams, and two keys without a team, never share a mapping, whatever end
 * user their clients name.
 *
 * Each field is hashed with its kind, and JSON separates the fields: a team named like a key hash is a different team.
 * The id ends with a keyed tag of its tenant, which {@link isSessionOf} verifies.
 * - Scope `conversation` adds the trace id, or the call id if there is none. Scope `call` adds the call id. The client
 *   chooses both, which is harmless: they can only narrow the session.
 * - A call without team, key hash, user and end user uses the call id alone.
 *
 * @returns undefined if nothing distinguishes the call from other calls of the tenant, or if an identifier that the
 * scope requires is missing. Such a call shares its mapping with no other.
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
  const body = slot + id.slice(slot.length, -TENANT_TAG_HEX_DIGITS);
  return (body + tenantTagOf(key, identity.tenant, body)) as SessionId;
}

export interface CallSession {
  readonly id: SessionId;
  /** The end user whose erasure erases the session. */
  readonly subject: SubjectId | undefined;
  /** The id of the calls in which a value has the same pseudonym. */
  readonly pseudonyms: string;
  /** The same for a session of which only the id is known. Its values can have pseudonyms of either. */
  readonly otherPseudonyms?: string;
  /** Whether another call can have the same session. If not, the id is random and nothing is stored. */
  readonly isShared: boolean;
}

export function sessionOfCall(key: KeyObject, identity: CallIdentity, scope: SessionScope): CallSession {
  const { session } = identity;
  if (session !== undefined) {
    const ofTeam = teamOf(key, identity);
    return { id: session, subject: undefined, pseudonyms: session, otherPseudonyms: ofTeam, isShared: true };
  }
  const derived = deriveSession(key, identity, scope);
  const id = derived ?? (randomId() as SessionId);
  const pseudonyms = identity.samePseudonyms === 'team' ? teamOf(key, identity) : id;
  return { id, subject: subjectOf(key, identity), pseudonyms, isShared: derived !== undefined };
}

/** The id of all calls of a tenant and a team. Never equals the id of a session. */
function teamOf(key: KeyObject, { tenant, team = '' }: CallIdentity): string {
  return digest(key, 'team', [
    ['tenant', tenant],
    ['team', team],
  ]);
}

/** Callers whose sessions are remembered. Each takes about half a kilobyte. */
const MAX_REMEMBERED = 5000;

/**
 * Creates a function that returns the session of a call, as {@link sessionOfCall}. It remembers the sessions of callers,
 * because each call asks for its session before and after the model, and forgets the oldest ones. It remembers nobody by
 * a name: a caller is a digest that only this process can compute, and a session consists of keyed hashes.
 */
export function rememberSessions(key: KeyObject, scope: SessionScope): (identity: CallIdentity) => CallSession {
  const sessions = new Recent<CallSession>(MAX_REMEMBERED);
  return (identity) => {
    const { tenant, team, keyHash, user, endUser, subject, samePseudonyms, session: named } = identity;
    // Nothing else decides the session of such a call.
    const isOfCaller = scope === 'user' && named === undefined && [team, keyHash, user, endUser].some(Boolean);
    if (!isOfCaller) return sessionOfCall(key, identity, scope);
    const caller = processDigest(JSON.stringify([tenant, team, keyHash, user, endUser, subject, samePseudonyms]));
    const known = sessions.get(caller);
    if (known) return known;
    const session = sessionOfCall(key, identity, scope);
    sessions.set(caller, session);
    return session;
  };
}

/**
 * Whether {@link deriveSession} can return this id for this tenant. Does not read the store, so the result does not
 * reveal which sessions exist.
 */
export function isSessionOf(key: KeyObject, tenant: Tenant, id: string): boolean {
  if (id.length !== ID_HEX_DIGITS) return false;
  const expected = Buffer.from(tenantTagOf(key, tenant, id.slice(0, -TENANT_TAG_HEX_DIGITS)));
  const given = Buffer.from(id.slice(-TENANT_TAG_HEX_DIGITS));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function tenantTagOf(key: KeyObject, tenant: Tenant, body: string): string {
  const tag = digest(key, 'sessionOfTenant', [
    ['tenant', tenant],
    ['session', body],
  ]);
  return tag.slice(0, TENANT_TAG_HEX_DIGITS);
}

/** The id of a call's end user in the store; undefined if the gateway names none. */
export function subjectOf(key: KeyObject, { tenant, endUser, subject }: CallIdentity): SubjectId | undefined {
  return subject ?? (endUser ? deriveSubject(key, tenant, endUser) : undefined);
}

/** Derives the id of an end user in the store: one for all teams and conversations of the tenant. Used for erasure. */
export function deriveSubject(key: KeyObject, tenant: Tenant, endUser: string): SubjectId {
  return digest(key, 'subject', [
    ['tenant', tenant],
    ['endUser', endUser],
  ]) as SubjectId;
}

/** The first field with a value, as a list of one. An empty string does not count. */
function firstOf(...fields: [kind: string, value: string | undefined][]): Field[] | undefined {
  const found = fields.find((field): field is [string, string] => Boolean(field[1]));
  return found && [found];
}

/** JSON encodes any list of strings injectively, also with lone surrogates. UTF-8 does not. */
function digest(key: KeyObject, purpose: string, fields: readonly Field[]): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([purpose, ...fields]))
    .digest('hex')
    .slice(0, ID_HEX_DIGITS);
}
