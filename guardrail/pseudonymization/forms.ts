/**
 * Reads the parts of the forms in {@link file://./grammar.ts} at a place of a text. Each part can be read in one way only,
 * so that nothing is read twice. Patterns of all beginnings of forms would have a hundred thousand characters, and V8
 * would compile them while a call waits.
 */
import { unitAt } from '../unitAt.ts';
import type { Label } from './labels.ts';
import { MAX_CODE, MIN_CODE } from './pseudonyms.ts';

/** The place that functions return if a part is not there. */
export const NOWHERE = -1;

/** A label and its code, with their possessive ending. */
export interface Core {
  readonly label: Label;
  readonly codeStart: number;
  readonly codeEnd: number;
  /** The end of the possessive ending. */
  readonly end: number;
}

const [BACKSLASH, UNDERSCORE, APOSTROPHE, RIGHT_QUOTE] = [0x5c, 0x5f, 0x27, 0x2019];
const [LESS, GREATER, AMPERSAND, PERCENT] = [0x3c, 0x3e, 0x26, 0x25];
const [OPEN_PARENTHESIS, CLOSE_PARENTHESIS, OPEN_SQUARE, CLOSE_SQUARE] = [0x28, 0x29, 0x5b, 0x5d];
const MAX_SPACE = 2;
const MAX_BACKSLASHES = 4;
/** The kinds of brackets, each as an entity, in a URL, and behind the backslashes of a JSON escape. */
const OPENING = { entity: '&lt;', encoded: '%3c', escape: 'u003c' };
const CLOSING = { entity: '&gt;', encoded: '%3e', escape: 'u003e' };

/** Reads OPEN. @returns its end */
export function openEnd(text: string, at: number): number {
  const unit = unitAt(text, at);
  if (unit === LESS) return at + 1;
  return isInBackslashes(text, at) ? NOWHERE : spelledEnd(text, at, unit, OPENING);
}

/** Reads CLOSE. @returns its end */
export function closeEnd(text: string, at: number): number {
  const unit = unitAt(text, at);
  return unit === GREATER ? at + 1 : spelledEnd(text, at, unit, CLOSING);
}

/** Whether the text ends in the middle of OPEN. */
export function isOpenPart(text: string, at: number): boolean {
  return !isInBackslashes(text, at) && isSpelledPart(text, at, OPENING);
}

/** Whether the text ends before CLOSE, or in the middle of it. */
export function isClosePart(text: string, at: number): boolean {
  return at === text.length || isSpelledPart(text, at, CLOSING);
}

/** Whether there is ( or [. */
export function isOpenBracket(text: string, at: number): boolean {
  const unit = unitAt(text, at);
  return unit === OPEN_PARENTHESIS || unit === OPEN_SQUARE;
}

/** Whether there is ) or ]. */
export function isCloseBracket(text: string, at: number): boolean {
  const unit = unitAt(text, at);
  return unit === CLOSE_PARENTHESIS || unit === CLOSE_SQUARE;
}

/** Whether the form `opened` can begin here: not inside a word or an escape such as `\n`. */
export function isWordStart(text: string, at: number): boolean {
  return !isWordUnit(unitAt(text, at - 1)) && !isAfterBackslash(text, at);
}

/** Reads ws. @returns its end */
export function spaceEnd(text: string, at: number): number {
  let end = at;
  while (end < at + MAX_SPACE && isSpace(unitAt(text, end))) end++;
  return end;
}

/** Reads the cores of pseudonyms with one set of labels. A `loose` separator may be, or contain, white space. */
export class CoreReader {
  private readonly root: Node;

  constructor(labels: readonly Label[]) {
    this.root = treeOf(labels);
  }

  /** Reads a core. The label is the longest one after which there is a code. */
  read(text: string, at: number, isLoose: boolean): Core | undefined {
    return coreAt(this.root, text, at, isLoose);
  }

  /** Whether the text ends in the middle of a core, after its first character. */
  isPart(text: string, at: number, isLoose: boolean): boolean {
    return at < text.length && isCorePart(this.root, text, at, isLoose);
  }
}

/** A place in the labels. A label goes on with a letter or a digit, or with a separator and another word. */
interface Node {
  /** By the code unit, in upper case. */
  readonly next: Map<number, Node>;
  /** The label that ends here. */
  label: Label | undefined;
}

function treeOf(labels: readonly Label[]): Node {
  const root: Node = { next: new Map(), label: undefined };
  for (const label of labels) {
    let node = root;
    for (let at = 0; at < label.length; at++) {
      const unit = label.charCodeAt(at);
      const next = node.next.get(unit) ?? { next: new Map<number, Node>(), label: undefined };
      node.next.set(unit, next);
      node = next;
    }
    node.label = label;
  }
  return root;
}

function coreAt(from: Node, text: string, start: number, isLoose: boolean): Core | undefined {
  const { node, at } = wordAt(from, text, start);
  const another = node.next.get(UNDERSCORE);
  if (!another && node.label === undefined) return undefined;
  const end = separatorEnd(text, at, isLoose);
  if (end === NOWHERE) return undefined;
  const longer = another && coreAt(another, text, end, isLoose);
  return longer ?? (node.label === undefined ? undefined : codeAt(node.label, text, end));
}

function isCorePart(from: Node, text: string, start: number, isLoose: boolean): boolean {
  const { node, at } = wordAt(from, text, start);
  if (at === text.length) return true;
  const another = node.next.get(UNDERSCORE);
  if (!another && node.label === undefined) return false;
  if (isSeparatorPart(text, at, isLoose)) return true;
  const end = separatorEnd(text, at, isLoose);
  if (end === NOWHERE) return false;
  return (
    (another !== undefined && isCorePart(another, text, end, isLoose)) ||
    (node.label !== undefined && isCodePart(text, end))
  );
}

/** Reads the letters and digits of a label up to a separator, or as far as they belong to a label. */
function wordAt(from: Node, text: string, start: number): { readonly node: Node; readonly at: number } {
  let node = from;
  let at = start;
  for (;;) {
    const unit = upper(unitAt(text, at));
    const next = unit === UNDERSCORE ? undefined : node.next.get(unit);
    if (!next) return { node, at };
    node = next;
    at++;
  }
}

function separatorEnd(text: string, at: number, isLoose: boolean): number {
  const start = isLoose ? spaceEnd(text, at) : at;
  const end = tightSeparatorEnd(text, start);
  if (end !== NOWHERE) return isLoose ? spaceEnd(text, end) : end;
  return start > at ? start : NOWHERE;
}

function tightSeparatorEnd(text: string, at: number): number {
  if (isHyphen(unitAt(text, at))) return at + 1;
  const end = backslashesEnd(text, at);
  return unitAt(text, end) === UNDERSCORE ? end + 1 : NOWHERE;
}

/** Whether the text ends before a separator, or in the middle of it. */
function isSeparatorPart(text: string, at: number, isLoose: boolean): boolean {
  return backslashesEnd(text, isLoose ? spaceEnd(text, at) : at) === text.length;
}

function codeAt(label: Label, text: string, codeStart: number): Core | undefined {
  const codeEnd = codeUnitsEnd(text, codeStart);
  const length = codeEnd - codeStart;
  if (length < MIN_CODE || length > MAX_CODE || isWordUnit(unitAt(text, codeEnd))) return undefined;
  if (!isMixed(text, codeStart, codeEnd)) return undefined;
  return { label, codeStart, codeEnd, end: possessiveEnd(text, codeEnd) };
}

function isCodePart(text: string, at: number): boolean {
  const end = codeUnitsEnd(text, at);
  const length = end - at;
  return end === text.length && (length < MAX_CODE || (length === MAX_CODE && isMixed(text, at, end)));
}

/** @returns the end of the units of a code, at most one unit behind the longest code */
function codeUnitsEnd(text: string, at: number): number {
  let end = at;
  while (end <= at + MAX_CODE && isCodeUnit(unitAt(text, end))) end++;
  return end;
}

/** Whether a code has a digit and a letter. */
function isMixed(text: string, from: number, to: number): boolean {
  let digits = 0;
  for (let at = from; at < to; at++) if (isDigit(unitAt(text, at))) digits++;
  return digits > 0 && digits < to - from;
}

function possessiveEnd(text: string, at: number): number {
  const unit = unitAt(text, at);
  if (unit !== APOSTROPHE && unit !== RIGHT_QUOTE) return at;
  return upper(unitAt(text, at + 1)) === 0x53 && !isWordUnit(unitAt(text, at + 2)) ? at + 2 : at + 1;
}

type Spellings = typeof OPENING;

function spelledEnd(text: string, at: number, unit: number, { entity, encoded, escape }: Spellings): number {
  switch (unit) {
    case AMPERSAND:
      return wordEnd(text, at, entity);
    case PERCENT:
      return wordEnd(text, at, encoded);
    case BACKSLASH:
      return wordEnd(text, backslashesEnd(text, at), escape);
    default:
      return NOWHERE;
  }
}

function isSpelledPart(text: string, at: number, { entity, encoded, escape }: Spellings): boolean {
  switch (unitAt(text, at)) {
    case AMPERSAND:
      return isWordPart(text, at, entity);
    case PERCENT:
      return isWordPart(text, at, encoded);
    case BACKSLASH:
      return isWordPart(text, backslashesEnd(text, at), escape);
    default:
      return false;
  }
}

/** @param word in lower case */
function wordEnd(text: string, at: number, word: string): number {
  for (let of = 0; of < word.length; of++) {
    if (lower(unitAt(text, at + of)) !== word.charCodeAt(of)) return NOWHERE;
  }
  return at + word.length;
}

/** Whether the text ends before the last character of a word. */
function isWordPart(text: string, at: number, word: string): boolean {
  return text.length - at < word.length && wordEnd(text, at, word.slice(0, text.length - at)) !== NOWHERE;
}

function backslashesEnd(text: string, at: number): number {
  let end = at;
  while (end < at + MAX_BACKSLASHES && unitAt(text, end) === BACKSLASH) end++;
  return end;
}

/** An escape begins with its first backslash. */
function isInBackslashes(text: string, at: number): boolean {
  return unitAt(text, at) === BACKSLASH && isAfterBackslash(text, at);
}

function isAfterBackslash(text: string, at: number): boolean {
  return unitAt(text, at - 1) === BACKSLASH;
}

/** 1: a digit; 2: a letter; 4: it can be in a code; 8: white space. */
const ASCII = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const char = String.fromCharCode(unit);
  if (/[0-9]/.test(char)) return 1 | 4;
  if (/[a-z]/i.test(char)) return /[ilou]/i.test(char) ? 2 : 2 | 4;
  return /\s/.test(char) ? 8 : 0;
});

export function isDigit(unit: number): boolean {
  return ((ASCII[unit] ?? 0) & 1) !== 0;
}

function isCodeUnit(unit: number): boolean {
  return ((ASCII[unit] ?? 0) & 4) !== 0;
}

export function isWordUnit(unit: number): boolean {
  return unit === UNDERSCORE || ((ASCII[unit] ?? 0) & 3) !== 0;
}

function isSpace(unit: number): boolean {
  return unit < 0x80 ? ((ASCII[unit] ?? 0) & 8) !== 0 : /\s/.test(String.fromCharCode(unit));
}

function isHyphen(unit: number): boolean {
  return unit === 0x2d || unit === 0x2010 || unit === 0x2011 || unit === 0x2013;
}

function upper(unit: number): number {
  return unit >= 0x61 && unit <= 0x7a ? unit - 0x20 : unit;
}

function lower(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
}
