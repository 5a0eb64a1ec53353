import { isUtf8 } from 'node:buffer';
import { JsonError, parsing } from '../../bodies/bodies.ts';
import { atOnce, createStepCounter, inSlices, STEP_UNITS, type Steps } from '../../eventLoop.ts';
import { writingJson } from '../../messages/messages.ts';
import { ServiceError } from './errors.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const MAX_DEPTH = 64;
/** Members of objects and elements of arrays. Each can be sent in two bytes, and takes far more memory. */
export const MAX_VALUES = 500_000;

/** Reading or writing JSON of this size takes some milliseconds. A larger one is read and written in steps. */
const LARGE = 1 << 18;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
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
  const text = textOf(body);
  const names = atOnce(countingNames(text));
  if (names === undefined) checkNames(body);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Another problem of the body is reported first.
    checkNames(body);
    // The message of V8 quotes the body.
    throw new ServiceError('invalid_json');
  }
  // JSON.parse keeps one of the members with the same name.
  if (membersOf(value) !== names) checkNames(body);
  return value;
}

/** As {@link parseJson}, but yields to the event loop between the steps of a large body. @returns a promise only for such a body */
export function parseJsonInSteps(body: Buffer): unknown {
  return body.length < LARGE ? parseJson(body) : inSlices(parsingLarge(body));
}

/** {@link parseJson} of a large body in steps. Only the text is decoded at once. */
export function* parsingLarge(body: Buffer): Steps<unknown> {
  const text = textOf(body);
  yield;
  if ((yield* countingNames(text)) === undefined) yield* checkingNames(body);
  try {
    const { root, hasRepeatedNames } = yield* parsing(text);
    if (!hasRepeatedNames) return root.value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // Another problem of the body is reported first.
    yield* checkingNames(body);
    if (error.problem === 'too_many_values') throw new ServiceError('too_many_values', { limit: MAX_VALUES });
    throw new ServiceError('invalid_json');
  }
  throw new ServiceError('duplicate_name');
}

function textOf(body: Buffer): string {
  if (body.length === 0) throw new ServiceError('empty_body');
  if (!isUtf8(body)) throw new ServiceError('invalid_encoding');
  return body.toString('utf8');
}

/**
 * Writes JSON. @returns a promise only for the answer to a large body, which is written in steps
 * @param bodyBytes the length of the body that is answered
 */
export function jsonBytes(value: object, bodyBytes: number): string | Buffer | Promise<Buffer> {
  return bodyBytes < LARGE ? JSON.stringify(value) : inSlices(writingBytes(value));
}

function* writingBytes(value: object): Steps<Buffer> {
  const bytes: Buffer[] = [];
  for (const part of yield* writingJson(value)) {
    bytes.push(Buffer.from(part, 'utf8'));
    yield;
  }
  return Buffer.concat(bytes);
}

/**
 * Counts the names in JSON, which takes less time than reading them: {@link checkNames}.
 * @returns undefined if the body exceeds a limit. For a text that is not JSON, any number.
 */
function* countingNames(text: string): Steps<number | undefined> {
  let pause = STEP_UNITS;
  let depth = 0;
  let values = 0;
  let names = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (at > pause) {
      yield;
      pause = at + STEP_UNITS;
    }
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfStringIn(text, at);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH || values > MAX_VALUES) return undefined;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        if (values > MAX_VALUES) return undefined;
        break;
      case COLON:
        names += 1;
        break;
      default:
    }
  }
  return names;
}

/** As {@link endOfString}, in a text. */
function endOfStringIn(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length - 1;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

/** The number of members of all objects in a value, which is at most {@link MAX_DEPTH} levels deep. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isArray = Array.isArray(value);
  const inner: unknown[] = isArray ? value : Object.values(value);
  let members = isArray ? 0 : inner.length;
  for (const one of inner) members += membersOf(one);
  return members;
}

/** Reads all names. @throws ServiceError about what comes first in the body: a limit that it exceeds, or a repeated name */
export function checkNames(body: Buffer): void {
  atOnce(checkingNames(body));
}

/** {@link checkNames} in steps. */
function* checkingNames(body: Buffer): Steps<void> {
  const isDue = createStepCounter();
  /** The names of each open object; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  let values = 0;
  let isName = false;
  for (let at = 0; at < body.length; at += 1) {
    if (isDue(0)) yield;
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
