/** The brackets around pseudonyms, and how models spell them: see {@link file://./grammar.ts}. */
import { NOWHERE, type Source } from './source.ts';

/** How the text is encoded at a bracket. The value is written in this encoding: see {@link file://./encoding.ts}. */
export type Form = 'escaped' | 'entity' | 'entityTwice' | 'percent' | 'percentTwice' | 'square' | 'other';

/** A bracket that begins a form. */
export interface Opening {
  readonly end: number;
  readonly form: Form;
  /** Whether it is an angle bracket, which is always removed. Others are removed with their closing one only. */
  readonly isAngle: boolean;
  /** Whether it is < in any spelling: white space can be a separator after it. */
  readonly allowsSpace: boolean;
  /** Whether common forms have it. */
  readonly isCommon: boolean;
  /** The end of what stays if its closing bracket is missing. */
  readonly keptEnd: number;
  /** Reads the closing bracket. @returns its end */
  readonly close: (source: Source, at: number) => number;
}

const [BACKSLASH, LESS, GREATER, HASH, ZERO, DOLLAR] = [0x5c, 0x3c, 0x3e, 0x23, 0x30, 0x24];
const [SLASH, OPEN_BRACE, OPEN_ROUND, OPEN_SQUARE] = [0x2f, 0x7b, 0x28, 0x5b];
const MAX_BACKSLASHES = 4;
const MAX_ZEROS = 4;

/** The spellings of < and >. A number is written with any zeros before it. */
const SPELLINGS: readonly (readonly [first: string, open: string, close: string, form: Form, isCommon: boolean])[] = [
  ['&', '&lt;', '&gt;', 'entity', true],
  ['&', '&amp;lt;', '&amp;gt;', 'entityTwice', false],
  ['&', '&#60;', '&#62;', 'entity', false],
  ['&', '&#x3c;', '&#x3e;', 'entity', false],
  ['%', '%3c', '%3e', 'percent', true],
  ['%', '%253c', '%253e', 'percentTwice', false],
  ['\\', 'u003c', 'u003e', 'escaped', true],
  ['\\', 'x3c', 'x3e', 'escaped', false],
  ['\\', 'u{3c}', 'u{3e}', 'escaped', false],
];
const BY_FIRST = Map.groupBy(SPELLINGS, ([first]) => first.charCodeAt(0));

/** Other brackets that models write for < and >. */
const WIDE: ReadonlyMap<number, number> = new Map(
  ['＜＞', '〈〉', '⟨⟩', '‹›', '«»'].map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]),
);
export const WIDE_OPENINGS = [...WIDE.keys()].map((unit) => String.fromCharCode(unit)).join('');

/** Reads CLOSE: an angle bracket in any spelling. @returns its end */
export function closeEnd(source: Source, at: number): number {
  const unit = source.unit(at);
  if (unit === GREATER) return at + 1;
  for (const [, , close] of BY_FIRST.get(unit) ?? []) {
    const end = spelledEnd(source, at, close);
    if (end !== NOWHERE) return end;
  }
  return NOWHERE;
}

/** Reads CLOSE after OPEN: the end of an empty element has a slash. */
function elementEnd(source: Source, at: number): number {
  return closeEnd(source, source.unit(at) === SLASH ? at + 1 : at);
}

/** Reads a bracket that can begin a form. */
export function openingAt(source: Source, at: number): Opening | undefined {
  const unit = source.unit(at);
  if (unit === LESS) return angle(at + 1, 'other', true);
  const spellings = BY_FIRST.get(unit);
  if (spellings) {
    // An escape begins with its first backslash.
    if (unit === BACKSLASH && source.unit(at - 1) === BACKSLASH) return undefined;
    for (const [, open, , form, isCommon] of spellings) {
      const end = spelledEnd(source, at, open);
      if (end !== NOWHERE) return angle(end, form, isCommon);
    }
    return unit === BACKSLASH ? escapedAngle(source, at) : undefined;
  }
  if (unit === OPEN_ROUND || unit === OPEN_SQUARE) {
    const form = unit === OPEN_SQUARE ? 'square' : 'other';
    return paired(at, 1, unit === OPEN_ROUND ? ')' : ']', form, true);
  }
  if (unit === OPEN_BRACE) {
    const before = source.unit(at - 1);
    // A group of LaTeX, a variable of a shell.
    if (before === DOLLAR || before === OPEN_BRACE || isAsciiWord(before)) return undefined;
    return source.unit(at + 1) === OPEN_BRACE ? paired(at, 2, '}}') : paired(at, 1, '}');
  }
  const close = WIDE.get(unit);
  return close === undefined ? undefined : paired(at, 1, String.fromCharCode(close));
}

function angle(end: number, form: Form, isCommon: boolean): Opening {
  return { end, form, isAngle: true, allowsSpace: true, isCommon, keptEnd: end, close: elementEnd };
}

/** `\<` of Markdown ends with `\>`. Otherwise, the backslash is not its own: `C:\Users\<USERNAME_…>\Documents`. */
function escapedAngle(source: Source, at: number): Opening | undefined {
  const backslashes = source.repeatedEnd(at, BACKSLASH, MAX_BACKSLASHES);
  if (source.unit(backslashes) !== LESS) return undefined;
  const close = (closing: Source, from: number): number => {
    const end = closing.repeatedEnd(from, BACKSLASH, MAX_BACKSLASHES);
    return end > from && closing.unit(end) === GREATER ? end + 1 : NOWHERE;
  };
  return {
    end: backslashes + 1,
    form: 'other',
    isAngle: false,
    allowsSpace: true,
    isCommon: true,
    keptEnd: backslashes,
    close,
  };
}

function paired(at: number, length: number, closing: string, form: Form = 'other', isCommon = false): Opening {
  const end = at + length;
  const close = (source: Source, from: number): number => source.wordEnd(from, closing);
  return { end, form, isAngle: false, allowsSpace: false, isCommon, keptEnd: end, close };
}

function spelledEnd(source: Source, at: number, spelling: string): number {
  const unit = source.unit(at);
  if (unit === BACKSLASH) {
    return source.wordEnd(source.repeatedEnd(at, BACKSLASH, MAX_BACKSLASHES), spelling);
  }
  if (spelling.charCodeAt(1) !== HASH) return source.wordEnd(at, spelling);
  const digits = spelling.charAt(2) === 'x' ? 3 : 2;
  const number = source.wordEnd(at, spelling.slice(0, digits));
  if (number === NOWHERE) return NOWHERE;
  return source.wordEnd(source.repeatedEnd(number, ZERO, MAX_ZEROS), spelling.slice(digits));
}

function isAsciiWord(unit: number): boolean {
  return /\w/.test(String.fromCharCode(unit));
}
