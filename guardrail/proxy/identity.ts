/** Who calls: the session of a call, from its credentials or from headers that a trusted hop has set. */
import type { IncomingHttpHeaders } from 'node:http';
import type { CallIdentity } from '../pseudonymization/pseudonymization.ts';
import { strip } from '../bodies/bodies.ts';
import { keyHashOf } from '../customers/customers.ts';
import { TEAM_HEADER } from '../gateways/gateways.ts';
import { INLINE_TENANT, type SubjectId, type Tenant } from '../ids.ts';
import { callerHash } from './callerHash.ts';
import { ProxyError } from './errors.ts';

/** Headers in which the clients of the APIs send their key, besides `Authorization`. */
const KEY_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key'] as const;
/** The query parameter in which clients of Gemini send their key. */
const KEY_PARAMETER = 'key';
/** Names the conversation. It separates mappings of one caller, and never joins those of two. */
const SESSION_HEADER = 'x-session-id';

/** The caller of a request. */
export interface Caller {
  /** Contains the credentials: it is hashed with the session key, and never logged. undefined: an anonymous call. */
  readonly name: string | undefined;
  /** The team whose policy applies. */
  readonly team: string | undefined;
  readonly conversation: string | undefined;
}

/**
 * @param identityHeaders the headers that a trusted hop sets, in lower case; undefined: the credentials identify the caller
 * @throws ProxyError 401 if one of these headers is missing
 */
export function callerOf(
  headers: IncomingHttpHeaders,
  query: string,
  identityHeaders: readonly string[] | undefined,
): Caller {
  const trusted = identityHeaders?.map((name): [string, string] => [name, valueOf(headers, name)]);
  const missing = trusted?.find(([, value]) => value === '');
  if (missing) {
    throw new ProxyError(
      'identity_missing',
      `The header ${missing[0]} is missing: the hop before the guardrail must set it.`,
    );
  }
  // A team has many callers, so its name alone identifies none of them.
  const identifying = trusted?.filter(([name]) => name !== TEAM_HEADER) ?? [];
  const keys = identifying.length > 0 ? [] : keysOf(headers, query);
  const name =
    identifying.length > 0 ? JSON.stringify(identifying) : keys.length > 0 ? JSON.stringify(keys) : undefined;
  return {
    name,
    team: trusted?.find(([header]) => header === TEAM_HEADER)?.[1],
    conversation: valueOf(headers, SESSION_HEADER) || undefined,
  };
}

/** Whether headers of a trusted hop tell who calls, and not only for which team. */
export function identifiesUsers(identityHeaders: readonly string[] | undefined): boolean {
  return identityHeaders?.some((name) => name !== TEAM_HEADER) === true;
}

/** @returns the end users that headers name. @param names in lower case */
export function customersIn(headers: IncomingHttpHeaders, names: readonly string[]): string[] {
  const customers: string[] = [];
  for (const name of names) {
    if (headers[name] === undefined) continue;
    const value = strip(valueOf(headers, name));
    if (value !== '') customers.push(value);
  }
  return customers;
}

/** The hashes under which LiteLLM knows the keys of a call. */
export function keyHashesIn(headers: IncomingHttpHeaders, query: string): string[] {
  return keysOf(headers, query).map(keyHashOf);
}

export interface IdentityParts {
  /** A random id of the call. */
  readonly callId: string;
  /** The end user that the body names. */
  readonly endUser: string | undefined;
  readonly subjectOf: (tenant: Tenant, endUser: string) => SubjectId;
  /** The connection of the call, if it is the caller's. */
  readonly connection?: object | undefined;
}

/** The identity of a call. Calls of different callers, end users or conversations never share a mapping. */
export function identityOf({ name, team, conversation }: Caller, parts: IdentityParts): CallIdentity {
  const { callId, endUser, subjectOf, connection } = parts;
  // Nobody can prove to have sent an anonymous call, so no other call may read its mapping.
  const scope = JSON.stringify([name ?? { callId }, endUser ?? null, conversation ?? null]);
  // The session is a hash of this hash with the session key. So nothing that is kept tells the credentials.
  return {
    tenant: INLINE_TENANT,
    team,
    keyHash: `inline:${callerHash(scope, 'identity', connection)}`,
    callId,
    traceId: conversation,
    ...(endUser === undefined ? {} : { subject: subjectOf(INLINE_TENANT, endUser) }),
  };
}

/**
 * All keys of a call, without duplicates. Which of several keys counts is up to the upstream, so a call with another set of
 * keys is another caller.
 */
function keysOf(headers: IncomingHttpHeaders, query: string): string[] {
  const bearer = valueOf(headers, 'authorization')
    .replace(/^Bearer +/i, '')
    .trim();
  const keys = new Set([bearer]);
  for (const name of KEY_HEADERS) if (headers[name] !== undefined) keys.add(valueOf(headers, name));
  if (query.includes(KEY_PARAMETER)) for (const key of new URLSearchParams(query).getAll(KEY_PARAMETER)) keys.add(key);
  keys.delete('');
  return [...keys].sort();
}

function valueOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name] ?? '';
  return (typeof value === 'string' ? value : value.join(', ')).trim();
}
