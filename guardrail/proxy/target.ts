/**
 * Reads the target of a request. The proxy decides by the path what a request is, and the upstream by the same path what
 * it does. If the two read the path in different ways, a request could pass unchecked. So a path that servers read in
 * different ways is refused, and the normalized path is sent.
 */
import { ProxyError } from './errors.ts';

/** A request target in origin form, normalized. */
export interface Target {
  /** Begins with a slash. Only characters that need it are percent-encoded. */
  readonly path: string;
  /** Without the question mark; empty if there is none. */
  readonly query: string;
}

/** What a path may contain as it stands: RFC 3986, `pchar` and the slash, without `;`, which some servers cut off. */
const PATH = /^(?:\/(?:[A-Za-z0-9\-._~!$&'()*+,=:@]|%[0-9A-Fa-f]{2})*)+$/;
/** Visible ASCII characters. `#` begins a fragment, which no client sends. */
const QUERY = /^[\x21\x22\x24-\x7e]*$/;
/** Characters that mean the same with and without percent-encoding; servers decode them before they choose a route. */
const PLAIN = /[A-Za-z0-9\-._~!$&'()*+,=:@]/;
/** Characters that change the path for a server that decodes it first: separators, parameters, another encoding. */
const CONFUSING = /[\x00-\x1f\x7f/\\;%?#]/;

/** Segments that some servers remove: `.`, `..`, and an empty one, except that a slash may end the path. */
const AMBIGUOUS = /\/(?:\.{1,2}(?:\/|$)|\/)/;

/** @throws ProxyError 400 for a target in another form, and for a path that servers may read in different ways */
export function parseTarget(raw: string): Target {
  const mark = raw.indexOf('?');
  const path = mark < 0 ? raw : raw.slice(0, mark);
  const query = mark < 0 ? '' : raw.slice(mark + 1);
  if (!PATH.test(path) || !QUERY.test(query)) throw new ProxyError('invalid_target');
  const isEncoded = path.includes('%');
  const normalized = isEncoded ? path.replaceAll(/%../g, decode) : path;
  if (AMBIGUOUS.test(normalized) || (isEncoded && !isUtf8(normalized))) throw new ProxyError('invalid_target');
  return { path: normalized, query };
}

/**
 * The path by which the operation is found, if that of the request has none: many servers ignore the case of paths and a
 * slash at the end.
 */
export function canonical(path: string): string {
  return path.toLowerCase().replace(/(?<=.)\/$/, '');
}

function decode(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  if (CONFUSING.test(character)) throw new ProxyError('invalid_target');
  return PLAIN.test(character) ? character : encoded.toUpperCase();
}

function isUtf8(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
