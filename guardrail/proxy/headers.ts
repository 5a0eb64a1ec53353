/** Which headers the proxy forwards. Pure functions. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { PSEUDONYMIZED_HEADER, TEAM_HEADER } from '../gateways/gateways.ts';

const names = (list: string): readonly string[] => list.trim().split(/\s+/);

/** Headers of one connection: RFC 9110, 7.6.1, and their older forms. Those that `Connection` lists belong to them. */
export const CONNECTION_HEADERS = names(`
  connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade
  http2-settings
`);

/** Headers of requests that the proxy writes itself, or that the HTTP client does. */
export const TRANSPORT_HEADERS = names('host content-length expect via x-request-id');

/** Headers that some servers obey in place of the method or the path by which the proxy knows the operation. */
const OVERRIDES = names(`
  x-http-method x-http-method-override x-method-override x-original-url x-rewrite-url x-original-uri x-forwarded-uri
  x-forwarded-path x-envoy-original-path
`);

/** Headers of requests that fit only bytes that are not changed: their encoding and digest, and parts of the answer. */
const OF_SAME_REQUEST = names(`
  accept-encoding content-encoding content-md5 content-digest repr-digest digest range if-range want-digest
  want-content-digest want-repr-digest
`);

/** Headers of answers that fit only bytes that are not changed. */
const OF_SAME_ANSWER = names(`
  content-length content-encoding content-md5 content-digest repr-digest digest etag accept-ranges content-range
`);

/** `alt-svc` would lead clients around the proxy. The id of the call at the upstream is sent under another name. */
const DROPPED_IN_ANSWERS = new Set([...CONNECTION_HEADERS, 'alt-svc', 'x-request-id']);
const DROPPED_IN_RESTORED = new Set([...DROPPED_IN_ANSWERS, ...OF_SAME_ANSWER, 'x-session-id']);
const DROPPED_IN_REQUESTS = new Set([...CONNECTION_HEADERS, ...TRANSPORT_HEADERS, ...OVERRIDES, PSEUDONYMIZED_HEADER]);
const DROPPED_IN_GUARDED = new Set([...DROPPED_IN_REQUESTS, ...OF_SAME_REQUEST]);

export interface RequestHeaderOptions {
  readonly requestId: string;
  /** The proxy reads and changes bodies of this call. If not, it forwards the bytes as they are. */
  readonly isGuarded: boolean;
  /** Shows a guardrail that is asked again that the values are replaced. undefined: the request has no such header. */
  readonly mark: string | undefined;
  /** A trusted hop has set the team. If not, a client has. */
  readonly isTeamTrusted: boolean;
}

/**
 * The headers of a request to the upstream, names and values in turn. It contains `Authorization` and all other
 * credentials as the client sent them. It names no address of the client.
 */
export function requestHeaders(received: IncomingHttpHeaders, options: RequestHeaderOptions): string[] {
  const { requestId, isGuarded, isTeamTrusted, mark } = options;
  const dropped = isGuarded ? DROPPED_IN_GUARDED : DROPPED_IN_REQUESTS;
  const listed = listedIn(received.connection);
  const sent: string[] = [];
  for (const name in received) {
    const value = received[name];
    if (value === undefined || dropped.has(name) || listed?.has(name)) continue;
    if (name === TEAM_HEADER && !isTeamTrusted) continue;
    for (const one of typeof value === 'string' ? [value] : value) sent.push(name, one);
  }
  const via = received.via === undefined ? '1.1 guardrail' : `${received.via}, 1.1 guardrail`;
  sent.push('via', via, 'x-request-id', requestId);
  if (isGuarded) sent.push('accept-encoding', 'identity');
  // A gateway that calls a guardrail too shows it this mark.
  if (mark !== undefined) sent.push(PSEUDONYMIZED_HEADER, mark);
  return sent;
}

/**
 * The headers of an answer to the client.
 * @param isRestored the bytes of the answer change
 * @param upstream the base URL of the upstream: a redirect to it becomes one to the proxy
 */
export function answerHeaders(received: IncomingHttpHeaders, isRestored: boolean, upstream: URL): OutgoingHttpHeaders {
  const dropped = isRestored ? DROPPED_IN_RESTORED : DROPPED_IN_ANSWERS;
  const listed = listedIn(received.connection);
  const sent: OutgoingHttpHeaders = {};
  for (const name in received) {
    const value = received[name];
    if (value === undefined || dropped.has(name) || listed?.has(name)) continue;
    sent[name] = bytesOf(value);
  }
  // The id of the call is the guardrail's, here as in its log. The provider's support asks for its own.
  const id = received['x-request-id'];
  if (id !== undefined) sent['x-upstream-request-id'] = bytesOf(id);
  if (received.location !== undefined) sent.location = latin1(localized(received.location, upstream));
  return sent;
}

/** Whether a redirect asks the client to send the same request to another server, where nothing checks it. */
export function leadsAway(status: number, { location }: IncomingHttpHeaders, upstream: URL): boolean {
  if ((status !== 307 && status !== 308) || location === undefined) return false;
  return URL.parse(location, upstream)?.origin !== upstream.origin;
}

function localized(location: string, upstream: URL): string {
  const target = URL.parse(location);
  if (target?.origin !== upstream.origin) return location;
  const prefix = upstream.pathname === '/' ? '' : upstream.pathname;
  const path = target.pathname.startsWith(`${prefix}/`) ? target.pathname.slice(prefix.length) : target.pathname;
  return path + target.search + target.hash;
}

/** The headers that `Connection` lists; undefined without one. */
function listedIn(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || /^(?:keep-alive|close)$/i.test(connection)) return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

/** The client decodes headers as UTF-8, and Node writes each character as a byte. */
function bytesOf(value: string | string[]): string | string[] {
  return typeof value === 'string' ? latin1(value) : value.map(latin1);
}

function latin1(value: string): string {
  return /[^\x00-\x7f]/.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value;
}
