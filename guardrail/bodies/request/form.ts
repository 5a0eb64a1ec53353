/** application/x-www-form-urlencoded, in bodies and in queries. */
import { MAX_VALUES } from '../../messages/messages.ts';
import { createStepCounter, type Steps } from '../../eventLoop.ts';
import { BodyError } from '../errors.ts';
import { decodeUtf8 } from '../text.ts';
import type { Checkable } from './checkable.ts';

/** Parameters of queries that are never changed: options, ids of the API, and keys, which a header can have as well. */
const KEPT: ReadonlySet<string> = new Set([
  ...['key', 'api-version', 'alt', '$alt', 'prettyPrint', 'beta', 'stream', 'starting_after', 'pageSize', 'pageToken'],
  ...['after', 'before', 'after_id', 'before_id', 'limit', 'order', 'include', 'include[]', 'purpose', 'model', 'page'],
]);

/** @throws BodyError */
export function readingForm(bytes: Buffer): Steps<Checkable> {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new BodyError('invalid_encoding');
  return readingPart(text, new Set());
}

/** @param query without the question mark. @throws BodyError */
export function readingQuery(query: string): Steps<Checkable> {
  return readingPart(query, KEPT);
}

/** As many as a JSON body has values: a name, a value, and the characters between and after them. */
const MAX_TOKENS = 4 * MAX_VALUES;

/** One name or value, and the characters around it. */
interface Token {
  readonly raw: string;
  /** Undefined: it stays. */
  readonly text: string | undefined;
}

function* readingPart(source: string, kept: ReadonlySet<string>): Steps<Checkable> {
  const tokens: Token[] = [];
  const isStep = createStepCounter();
  for (const pair of pairsIn(source)) {
    if (tokens.length > MAX_TOKENS) throw new BodyError('too_many_values');
    tokens.push(...tokensOf(pair, kept));
    if (isStep(pair.length)) yield;
  }
  const texts = tokens.flatMap(({ text }) => (text === undefined || text === '' ? [] : [text]));
  return {
    passages: texts.map((text) => ({ text, kind: 'text' })),
    images: [],
    hasFiles: false,
    *write(changed) {
      let next = 0;
      const written: string[] = [];
      for (const { raw, text } of tokens) {
        const now = text === undefined || text === '' ? text : (changed[next++] ?? text);
        written.push(now === undefined || now === text ? raw : encodeURIComponent(now));
        if (isStep(raw.length)) yield;
      }
      return Buffer.from(written.join(''));
    },
  };
}

/** The pairs of a form, and the separators between them. */
function* pairsIn(source: string): Generator<string> {
  const separator = /[&;]/g;
  let from = 0;
  for (let match = separator.exec(source); match; match = separator.exec(source)) {
    yield source.slice(from, match.index);
    yield match[0];
    from = separator.lastIndex;
  }
  yield source.slice(from);
}

function tokensOf(pair: string, kept: ReadonlySet<string>): Token[] {
  if (pair === '') return [];
  const equals = pair.indexOf('=');
  const name = equals < 0 ? pair : pair.slice(0, equals);
  const isKept = pair === '&' || pair === ';' || kept.has(decoded(name));
  const token = (raw: string): Token => ({ raw, text: isKept ? undefined : decoded(raw) });
  return equals < 0 ? [token(name)] : [token(name), { raw: '=', text: undefined }, token(pair.slice(equals + 1))];
}

function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    throw new BodyError('invalid_form');
  }
}
