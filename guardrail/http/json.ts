import { isUtf8 } from 'node:buffer';
import { ServiceError } from './errors.ts';

export const MAX_DEPTH = 64;
/** Members of objects and elements of arrays. Each can be sent in two bytes, and takes far more memory. */
export const MAX_VALUES = 500_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Parses I-JSON (RFC 7493), but accepts lone surrogates in escapes, because texts contain them.
 *
 * Checks nesting, size and duplicate names before any object is created: a few megabytes of brackets would become
 * gigabytes of objects, and two programs may choose different members of the same name.
 *
 * @throws ServiceError 400 or 413. Its message contains nothing of the body.
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw new ServiceError('empty_body');
  if (!isUtf8(body)) throw new ServiceError('invalid_encoding');
  scan(body);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // The message of V8 quotes the body.
    throw new ServiceError('invalid_json');
  }
}

function scan(body: Buffer): void {
  /** The names of each open object; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  let values = 0;
  let isName = false;
  for (let at = 0; at < body.length; at += 1) {
    switch (body[at]) {
      case QUOTE: {
        const end = endOfString(body, at);
        if (isName) addName(open.at(-1), body.subarray(at, end + 1));
        isName = false;
        at = end;
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        isName = body[at] === OPEN_BRACE;
        open.push(isName ? new Set() : undefined);
        values += 1;
        if (open.length > MAX_DEPTH) throw new ServiceError('too_deep', { limit: MAX_DEPTH });
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open.pop();
        isName = false;
        break;
      case COMMA:
        isName = open.at(-1) !== undefined;
        values += 1;
        break;
      default:
    }
    if (values > MAX_VALUES) throw new ServiceError('too_many_values', { limit: MAX_VALUES });
  }
}

/** The position of the closing quote of the string at `start`, or the last byte of an incomplete body. */
function endOfString(body: Buffer, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = body.indexOf(QUOTE, at);
    if (at < 0) return body.length - 1;
    let backslashes = 0;
    while (body[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

function addName(names: Set<string> | undefined, quoted: Buffer): void {
  if (!names) return;
  let name = quoted.toString('utf8');
  if (name.includes('\\')) {
    try {
      name = JSON.stringify(JSON.parse(name));
    } catch {
      return;
    }
  }
  if (names.has(name)) throw new ServiceError('duplicate_name');
  names.add(name);
}
