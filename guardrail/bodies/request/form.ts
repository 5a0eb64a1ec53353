/** application/x-www-form-urlencoded, in bodies and in queries. */
import { BodyError } from '../errors.ts';
import { decodeUtf8 } from '../text.ts';
import type { Checkable } from './checkable.ts';

/** Parameters of queries that are never changed: options, ids of the API, and keys, which a header can have as well. */
const KEPT: ReadonlySet<string> = new Set([
  ...['key', 'api-version', 'alt', '$alt', 'prettyPrint', 'beta', 'stream', 'starting_after', 'pageSize', 'pageToken'],
  ...['after', 'before', 'after_id', 'before_id', 'limit', 'order', 'include', 'include[]', 'purpose', 'model', 'page'],
]);

/** @throws BodyError */
export function formBody(bytes: Buffer): Checkable {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new BodyError('invalid_encoding');
  return formPart(text, new Set());
}

/** @param query without the question mark. @throws BodyError */
export function queryPart(query: string): Checkable {
  return formPart(query, KEPT);
}

/** One name or value, and the characters around it. */
interface Token {
  readonly raw: string;
  /** Undefined: it stays. */
  readonly text: string | undefined;
}

function formPart(source: string, kept: ReadonlySet<string>): Checkable {
  const tokens = source.split(/([&;])/).flatMap((pair): Token[] => {
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    const isKept = pair === '&' || pair === ';' || kept.has(decoded(name));
    const token = (raw: string): Token => ({ raw, text: isKept ? undefined : decoded(raw) });
    return equals < 0 ? [token(name)] : [token(name), { raw: '=', text: undefined }, token(pair.slice(equals + 1))];
  });
  const texts = tokens.flatMap(({ text }) => (text === undefined || text === '' ? [] : [text]));
  return {
    passages: texts.map((text) => ({ text, kind: 'text' })),
    images: [],
    hasFiles: false,
    write(changed) {
      let next = 0;
      const written = tokens.map(({ raw, text }) => {
        if (text === undefined || text === '') return raw;
        const now = changed[next++] ?? text;
        return now === text ? raw : encodeURIComponent(now);
      });
      return Buffer.from(written.join(''));
    },
  };
}

function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    throw new BodyError('invalid_form');
  }
}
