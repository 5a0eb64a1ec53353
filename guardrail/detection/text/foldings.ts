/** The ways in which other programs write a value, each with the usual form of what it writes. In the order of their use. */
import { isUtf8 } from 'node:buffer';
import { decodeHTML } from 'entities/decode';
import { unitAt } from '../../unitAt.ts';
import { inlineTags } from '../words/code.ts';
import { isOf, TOKEN, tokenEnd, tokenStart } from './token.ts';

/** Replaces what a pattern matches. Run time is linear in the length of the text, for any text. */
export interface Folding {
  /** A test whether the pattern can match. Absent where the pattern itself is as cheap. */
  readonly mayApply?: (text: string) => boolean;
  /**
   * The characters without which the folding does not apply: a digit, one that is rare in plain text, or a special one: a
   * no-break space, a soft hyphen, or one from U+0300 on, behind the Latin letters.
   */
  readonly needs: 'digit' | 'special' | 'rareCharacter';
  /** Global or sticky. Matches are short. A lookahead before a lookbehind spares most characters the lookbehind. */
  readonly pattern: RegExp;
  /**
   * Where the next match can begin, not before `from`; -1: there is none. It spares the pattern the text before. A sticky pattern
   * is tried at these places only. Default: `from`.
   */
  readonly nextBegin?: (text: string, from: number) => number;
  /**
   * Whether it only joins characters that stand apart in the text. Names that are found only in the result are then no
   * evidence: words of other lines, cells or operands are joined too.
   */
  readonly isSeparator?: true;
  /** @returns the usual form of a match; undefined to leave it as it is */
  readonly replace: (match: RegExpExecArray, text: string) => string | undefined;
}

const utf8 = new TextDecoder();

/** @returns undefined if the bytes are not a text in UTF-8 */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  // Most tokens of code that could be base64 are not: an error of the decoder for each would take long.
  if (!isUtf8(bytes)) return undefined;
  const text = utf8.decode(bytes);
  return /^[^\p{Cc}\p{Cn}\p{Co}]*$/u.test(text.replace(/[\t\n\r]/g, '')) ? text : undefined;
}

/** An encoded word of a mail header: RFC 2047, section 2. */
const encodedWord: Folding = {
  needs: 'rareCharacter',
  mayApply: (text) => text.includes('=?'),
  pattern: /=\?[\w-]{2,20}(?:\*[\w-]{1,8})?\?([bq])\?([^?\s]{1,200})\?=(?:\s+(?==\?))?/gi,
  replace: ([, encoding = '', content = '']) => {
    if (encoding.toLowerCase() === 'b') return decodeUtf8(Buffer.from(content, 'base64'));
    const bytes = content
      .replaceAll('_', ' ')
      .replace(/=([0-9a-f]{2})/gi, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));
    return decodeUtf8(Buffer.from(bytes, 'latin1')) ?? bytes;
  },
};

/** The longest base64 of one value; data and files are longer. */
const LONGEST_BASE64 = 256;

/** Base64 (RFC 4648) of a whole value. */
const base64: Folding = {
  needs: 'digit',
  mayApply: hasLongToken,
  pattern: /\b[A-Za-z0-9][A-Za-z0-9+/_-]{11,}={0,2}/g,
  nextBegin: nextLongToken,
  replace: ({ 0: value, index }, text) => {
    if (value.length > LONGEST_BASE64 || !/[\d=]/.test(value) || !/[A-Z]/.test(value) || !/[a-z]/.test(value)) {
      return undefined;
    }
    if (/[\w+/=.]/.test(text.charAt(index - 1)) || /[\w+/=]/.test(text.charAt(index + value.length))) return undefined;
    const bytes = Buffer.from(value, 'base64url');
    if (bytes.subarray(0, 9).some((byte) => byte < 0x20)) return undefined;
    const content = decodeUtf8(bytes);
    return content !== undefined && /[\p{L}\d]{2}/u.test(content) ? content : undefined;
  },
};

const SHORTEST_BASE64 = 12;

/**
 * The offset of the next token with the characters and the length of base64; -1: there is none. Such a token covers one of any
 * 12 characters in a row, so most of the text is not read.
 */
function nextLongToken(text: string, from: number): number {
  for (let at = from + SHORTEST_BASE64 - 1; at < text.length; at += SHORTEST_BASE64) {
    if (!isOf(text, at, TOKEN.base64)) continue;
    const start = tokenStart(text, at, TOKEN.base64, from);
    const end = tokenEnd(text, at, TOKEN.base64);
    if (end - start >= SHORTEST_BASE64) return start;
    at = end;
  }
  return -1;
}

/** Whether a text contains a long run of letters and digits with a digit. Looks only at the surroundings of digits. */
function hasLongToken(text: string): boolean {
  const digit = /\d/g;
  for (let match = digit.exec(text); match; match = digit.exec(text)) {
    const end = tokenEnd(text, match.index, TOKEN.joined);
    if (end - tokenStart(text, match.index, TOKEN.joined, 0) >= SHORTEST_BASE64) return true;
    digit.lastIndex = end;
  }
  return false;
}

/** `+` in place of spaces, in query strings and forms. Runs before {@link percent}, which decodes `%2B`. */
const plus: Folding = {
  needs: 'rareCharacter',
  mayApply: (text) => text.includes('+'),
  pattern: /(?=\+)(?<=\d\)?|[A-Z]{4}|%[0-9A-F]{2})\+(?=\d|[A-Z]{4}|%[0-9A-Fa-f]{2}|\()/g,
  replace: () => ' ',
  isSeparator: true,
};

/** Percent encoding (RFC 3986). Each character is decoded by itself. */
const percent: Folding = {
  needs: 'rareCharacter',
  mayApply: (text) => text.includes('%') && /%[0-9a-f]{2}/i.test(text),
  pattern:
    /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi,
  replace: ([value]) => decodeUtf8(Buffer.from(value.replaceAll('%', ''), 'hex')),
};

/** Escapes in strings of JSON and programming languages. Nested strings have more backslashes. */
const stringEscapes: Folding = {
  needs: 'rareCharacter',
  mayApply: (text) => text.includes('\\') && /\\[ux][0-9a-f{]/i.test(text),
  pattern: /\\+(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/gi,
  replace: ([, braced, four, two]) => {
    const code = Number.parseInt(braced ?? four ?? two ?? '', 16);
    return code <= 0x10ffff && code >= 0x20 ? String.fromCodePoint(code) : undefined;
  },
};

/** Character references of HTML and XML. */
const references: Folding = {
  needs: 'rareCharacter',
  mayApply: (text) => text.includes('&') && /&[#a-z]/i.test(text),
  pattern: /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z\d]{1,30});/gi,
  replace: ([value]) => decodeHTML(value),
};

/** Tags of HTML that stand inside of text. */
const tags: Folding = {
  needs: 'rareCharacter',
  mayApply: (text) => text.includes('<'),
  pattern: new RegExp(String.raw`</?(?:${inlineTags})(?:\s[^<>]{0,300})?/?>`, 'gi'),
  replace: ([tag]) => (/^<\/?br/i.test(tag) ? '\n' : ''),
};

/** Emphasis and code spans of Markdown around a part of a value. */
const emphasis: Folding = {
  needs: 'rareCharacter',
  mayApply: (text) => text.includes('*') || text.includes('`'),
  pattern:
    /(?=[*`])(?:(?<=[\p{L}\d]{2}[.@-]?)\*{2,3}(?=[.@-]?[\p{L}\d]{2})|(?<=\d[*`]{0,3}[ .)/-])(?:\*{1,3}|`)(?=\d|[A-Z]{4})|(?<=\d|[A-Z]{4})(?:\*{1,3}|`)(?=[ .)/-][*`]{0,3}\d))/gu,
  replace: () => '',
  isSeparator: true,
};

/** Characters without a width. */
const invisible: Folding = {
  needs: 'special',
  // One class: alternatives take five times as long.
  pattern: /[\u034f\ufe00-\ufe0f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/g,
  replace: () => '',
};

/** Letters with combining marks behind them, as macOS and PDF write them: Unicode's decomposed form (UAX 15). */
const decomposed: Folding = {
  needs: 'special',
  mayApply: (text) => /[\u0300-\u036f]/.test(text),
  pattern: /[A-Za-z\u00c0-\u024f\u0370-\u04ff](?:[\u0300-\u036f]){1,4}/g,
  replace: ([value]) => value.normalize('NFC'),
};

/** The zeros of all scripts but ASCII. The digits of a script are adjacent, in ascending order. */
const ZEROS = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
  0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0,
];
const hex = (code: number): string => String.raw`\u${code.toString(16).padStart(4, '0')}`;
const digits = ZEROS.map((zero) => `${hex(zero)}-${hex(zero + 9)}`).join('');
const spaces = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000`;
const dashes = String.raw`\u2010-\u2015\u2212`;
/** Full-width forms, ligatures, letters in circles, and the mathematical letters and digits (a high surrogate). */
const forms = String.raw`\uff01-\uff5e\ufb00-\ufb06\u24b6-\u24e9]|\ud835[\udc00-\udfff`;

/** Variants of spaces, dashes, digits and letters: Unicode's compatibility forms (UAX 15), and digits of other scripts. */
const variants: Folding = {
  needs: 'special',
  pattern: new RegExp(`[${spaces}${dashes}${digits}${forms}]`, 'g'),
  replace: ({ 0: value, index }, text) => {
    const code = value.charCodeAt(0);
    if ((code >= 0x2012 && code <= 0x2015) || code === 0x2212) {
      // A dash with a space beside it, or between words, is punctuation.
      const isInside = /[\p{L}\p{N}]/u.test(text.charAt(index - 1)) && /[\p{L}\p{N}]/u.test(text.charAt(index + 1));
      return isInside ? '-' : undefined;
    }
    if (code === 0x2010 || code === 0x2011) return '-';
    if (/^\s$/.test(value)) return ' ';
    const zero = ZEROS.find((first) => code >= first && code <= first + 9);
    return zero === undefined ? value.normalize('NFKC') : String(code - zero);
  },
};

/** Cyrillic and Greek letters that look like the Latin letter beside them, in Unicode's list of confusables (UTS 39). */
const CONFUSABLES = new Map(
  Object.entries({
    a: 'аα',
    c: 'сϲ',
    d: 'ԁ',
    e: 'е',
    h: 'һ',
    i: 'іι',
    j: 'ј',
    k: 'кκ',
    l: 'ӏ',
    m: 'м',
    n: 'пη',
    o: 'оο',
    p: 'рρ',
    q: 'ԛ',
    r: 'г',
    s: 'ѕ',
    t: 'тτ',
    u: 'υ',
    v: 'ѵν',
    w: 'ԝω',
    x: 'хχ',
    y: 'уγ',
    A: 'АΑ',
    B: 'ВΒ',
    C: 'СϹ',
    E: 'ЕΕ',
    G: 'Ԍ',
    H: 'НΗ',
    I: 'ІΙ',
    J: 'Ј',
    K: 'КΚ',
    M: 'МΜ',
    N: 'Ν',
    O: 'ОΟ',
    P: 'РΡ',
    S: 'Ѕ',
    T: 'ТΤ',
    X: 'ХΧ',
    Y: 'УΥ',
    Z: 'Ζ',
  }).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)),
);
const other = [...CONFUSABLES.keys()].join('');

/** Look-alike letters within a Latin word. */
const confusables: Folding = {
  needs: 'special',
  // The first pattern alone is much faster, and most texts have no such letter.
  mayApply: (text) => /[\u0370-\u052f]/.test(text) && /[\u0370-\u052f](?:[A-Za-z]|(?<=[A-Za-z].))/.test(text),
  pattern: new RegExp(`(?<=[A-Za-z])[${other}]+|[${other}]+(?=[A-Za-z])`, 'g'),
  replace: ([letters]) => Array.from(letters, (letter) => CONFUSABLES.get(letter) ?? letter).join(''),
};

/** What every separator needs, in a pattern that reads each character once. */
const separated = /[\d)A-Z](?:[ \t]{2}|\t|[.\u00b7\u2022][\dA-Z])/g;

/** Several spaces, tabs, and dots between groups of digits. Line ends between them: see {@link lineEnds}. */
const separators: Folding = {
  needs: 'digit',
  mayApply: (text) => /[\d)](?:[ \t]{2}|\t|[.\u00b7\u2022]\d)/.test(text),
  pattern:
    /(?<=[\d)]|[A-Z]{4})(?:[ \t]{2,16}|\t)(?=[\d(]|[A-Z]{4})|(?<=\d{3}|[A-Z]{2}\d{2}|[A-Z]{4})\.(?=[\dA-Z]{2})|(?<=[\dA-Z])[\u00b7\u2022](?=[\dA-Z])/y,
  nextBegin(text, from) {
    separated.lastIndex = Math.max(0, from - 1);
    const match = separated.exec(text);
    return match ? match.index + 1 : -1;
  },
  replace: () => ' ',
  isSeparator: true,
};

/**
 * Where white space with a line end begins whose neighbours can be parts of one number: a digit or four capitals before it, and a
 * digit or a capital behind it.
 * @returns -1 if they cannot
 */
function joinAt(text: string, lineEnd: number): number {
  let last = lineEnd - 1;
  if (unitAt(text, last) === RETURN) last--;
  for (let blanks = 0; blanks < 4 && isBlank(unitAt(text, last)); blanks++) last--;
  const before = unitAt(text, last);
  const isNumber = isDigit(before) || before === CLOSING;
  if (!isNumber && !isCapital(before)) return -1;
  let first = lineEnd + 1;
  for (let blanks = 0; blanks < 16 && isBlank(unitAt(text, first)); blanks++) first++;
  const behind = unitAt(text, first);
  if (!isDigit(behind) && !isCapital(behind)) return -1;
  return isNumber || /^[A-Z]{4}$/.test(text.slice(Math.max(0, last - 3), last + 1)) ? last + 1 : -1;
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isCapital = (code: number): boolean => code >= 0x41 && code <= 0x5a;
const CLOSING = 0x29;
const RETURN = 0x0d;

/** A line end within a number. Longer groups before it are whole numbers, such as a postal code. */
const lineEnds: Folding = {
  needs: 'digit',
  pattern: /(?<=(?<!\d)\d{1,4}\)?|\b[A-Z]{4})[ \t]{0,4}\r?\n[ \t]{0,16}(?=\d{1,6}(?!\d)|\d[A-Z]\d\d|[A-Z]{4}\s?\d)/y,
  nextBegin(text, from) {
    for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) {
      const begin = joinAt(text, at);
      if (begin >= from) return begin;
    }
    return -1;
  },
  replace: () => ' ',
  isSeparator: true,
};

/** Encodings come first: what they contain is folded, too. */
export const FOLDINGS: readonly Folding[] = [
  encodedWord,
  base64,
  plus,
  percent,
  stringEscapes,
  references,
  tags,
  emphasis,
  invisible,
  decomposed,
  variants,
  confusables,
  separators,
  lineEnds,
];

/** @returns the first match of a folding that begins at `from` or later */
export function nextMatch(
  text: string,
  from: number,
  { pattern, nextBegin = atOnce }: Folding,
): RegExpExecArray | null {
  for (let begin = nextBegin(text, from); begin >= 0; begin = nextBegin(text, begin + 1)) {
    pattern.lastIndex = begin;
    const match = pattern.exec(text);
    if (match || !pattern.sticky) return match;
  }
  return null;
}

const atOnce = (_text: string, from: number): number => from;
