import { isUtf8 } from 'node:buffer';
import { badRequest, tooLarge } from './errors.ts';

export const MAX_DEPTH = 64;
/** Members of objects and elements of arrays: each takes far more memory than the two bytes it can be sent in. */
export const MAX_VALUES = 500_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Parses JSON as RFC 7493 (I-JSON) restricts it, but for lone surrogates in escapes, which texts do hold.
 *
 * Nesting, size and duplicate names are checked before anything is built: a few megabytes of brackets would otherwise
 * become gigabytes of objects, and of two members with one name, the next program might take the other one.
 *
 * @throws ServiceError 400 or 413, which repeats nothing of the body.
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw badRequest('empty_body', 'The request has no body: send a JSON object.');
  if (!isUtf8(body)) throw badRequest('invalid_encoding', 'The body is not valid UTF-8.');
  scan(body);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // V8's message quotes the text around the mistake.
    throw badRequest('invalid_json', 'The body is not valid JSON.');
  }
}

function scan(body: Buffer): void {
  /** For each open object the names it has had, for each open array nothing. */
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
        if (open.length > MAX_DEPTH) {
          throw badRequest('too_deep', `The body is nested more than ${MAX_DEPTH} levels deep.`);
        }
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
    if (values > MAX_VALUES) throw tooLarge('too_many_values', `The body has more than ${MAX_VALUES} values.`);
  }
}

/** Where the string that begins at `start` ends: its closing quote, or the last byte of a body that is cut short. */
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
  if (names.has(name)) {
    throw badRequest('duplicate_name', 'The body has an object with two members of the same name.');
  }
  names.add(name);
}
