/** Headers of Envoy's messages in the form of Node's, and changes of them. Pure functions. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { CONNECTION_HEADERS, TRANSPORT_HEADERS } from '../proxy/proxy.ts';
import type { HeaderChanges, HttpHeaders } from './messages.ts';

/** The head of a request or an answer. */
export interface Head {
  /** Without those that begin with a colon. The framing is that of HTTP/1.1, whatever the protocol of the connection. */
  readonly headers: IncomingHttpHeaders;
  /** Headers that are there more than once. Envoy sends them on so. */
  readonly repeated: ReadonlySet<string>;
  /** The values of `:method`, `:path`, `:status` and others; empty if one is absent. */
  readonly pseudo: (name: string) => string;
}

/** Of requests, Node reads each byte as a character. Of answers, the HTTP client of the proxy reads UTF-8. */
type Encoding = 'latin1' | 'utf8';

export function headOf({ headers: map, endOfStream }: HttpHeaders, encoding: Encoding): Head {
  const pseudo = new Map<string, string>();
  const headers = noHeaders();
  const repeated = new Set<string>();
  for (const { key = '', value = '', rawValue } of map?.headers ?? []) {
    const text = rawValue && rawValue.length > 0 ? rawValue.toString(encoding) : value;
    if (key.startsWith(':')) pseudo.set(key, text);
    else {
      const name = key.toLowerCase();
      if (headers[name] !== undefined) repeated.add(name);
      add(headers, name, text);
    }
  }
  delete headers['transfer-encoding'];
  if (endOfStream === true) delete headers['content-length'];
  else if (headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked';
  return { headers, repeated, pseudo: (name) => pseudo.get(name) ?? '' };
}

/** An object without a prototype: a client may name a header `__proto__`. */
function noHeaders(): IncomingHttpHeaders {
  return Object.create(null) as IncomingHttpHeaders;
}

/** Joins repeated headers as Node does. */
function add(headers: IncomingHttpHeaders, name: string, value: string): void {
  if (name === 'set-cookie') headers[name] = [...(headers[name] ?? []), value];
  else {
    const earlier = headers[name];
    headers[name] = typeof earlier === 'string' ? `${earlier}${name === 'cookie' ? '; ' : ', '}${value}` : value;
  }
}

/** Envoy writes these headers itself, for each of its connections. */
const OF_ENVOY = new Set([...CONNECTION_HEADERS, ...TRANSPORT_HEADERS]);

/**
 * @param sent names and values in turn, as the proxy would send them to the upstream
 * @param target path and query, if they differ from those that arrived
 */
export function requestChanges(received: IncomingHttpHeaders, sent: readonly string[], target?: string): HeaderChanges {
  const desired: OutgoingHttpHeaders = noHeaders();
  for (let at = 0; at < sent.length; at += 2) desired[sent[at] ?? ''] = sent[at + 1] ?? '';
  const { set, remove } = changes(received, desired, 'latin1', (name) => !OF_ENVOY.has(name));
  return target === undefined ? { set, remove } : { set: [...set, [':path', Buffer.from(target, 'latin1')]], remove };
}

/** @param desired the headers that the proxy would send to the client */
export function answerChanges(received: IncomingHttpHeaders, desired: OutgoingHttpHeaders): HeaderChanges {
  const isOwn = (name: string): boolean => name === 'x-request-id' || name === 'content-length' || !OF_ENVOY.has(name);
  return changes(received, desired, 'utf8', isOwn);
}

function changes(
  received: IncomingHttpHeaders,
  desired: OutgoingHttpHeaders,
  encoding: Encoding,
  isOwn: (name: string) => boolean,
): HeaderChanges {
  const remove = Object.keys(received).filter((name) => desired[name] === undefined && isOwn(name));
  const set = Object.entries(desired).flatMap(([name, value]) => {
    // A list that the guardrail does not change: Envoy has it already.
    if (value === undefined || Array.isArray(value) || !isOwn(name)) return [];
    const bytes = Buffer.from(String(value), 'latin1');
    const earlier = received[name];
    const isSame = typeof earlier === 'string' && Buffer.from(earlier, encoding).equals(bytes);
    return isSame ? [] : [[name, bytes] as const];
  });
  return { set, remove };
}
