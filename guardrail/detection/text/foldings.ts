/** The ways in which other programs write a value, each with the usual form of what it writes. In the order of their use. */
import { isUtf8 } from 'node:buffer';
import { decodeHTML } from 'entities/decode';
import { unitAt } from '../../unitAt.ts';
import { documentEndings, inlineTags } from '../words/code.ts';
import { confusables, decomposed, invisible, variants } from './characterForms.ts';
import type { Folding } from './folding.ts';
import { isOf, TOKEN, tokenEnd, tokenStart } from './token.ts';

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

/** The longest name of a parameter or a variable before base64, with what stands before it, in UTF-16 code units. */
const LONGEST_KEY = 34;
/** Characters of a longer value, and `=` that is not behind the name of a parameter or a variable. */
const goesOn = /[\w+/.]$|(?<!(?<![\w+/=])[A-Za-z][\w-]{0,31})=$/;

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
    const before = text.slice(Math.max(0, index - LONGEST_KEY), index);
    if (goesOn.test(before) || /[\w+/=]/.test(text.charAt(index + value.length))) return undefined;
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

/** The sign of percent encoding. A text that was encoded twice has `%25` in its place. */
const SIGN = '%(?:25){0,3}';

/** Percent encoding (RFC 3986), also several times over. Each character is decoded by itself. */
const percent: Folding = {
  needs: 'rareCharacter',
  mayApply: (text) => text.includes('%') && /%[0-9a-f]{2}/i.test(text),
  pattern: new RegExp(
    [
      `${SIGN}[0-7][0-9a-f]`,
      `${SIGN}[cd][0-9a-f]${SIGN}[89ab][0-9a-f]`,
      `${SIGN}e[0-9a-f](?:${SIGN}[89ab][0-9a-f]){2}`,
      `${SIGN}f[0-7](?:${SIGN}[89ab][0-9a-f]){3}`,
    ].join('|'),
    'gi',
  ),
  replace: ([value]) => decodeUtf8(Buffer.from(value.replace(/%(?:25)*(?=[0-9a-f]{2})/gi, ''), 'hex')),
};

/** Quoted-printable (RFC 2045): characters beyond ASCII, and the sign of a mail address. `=` assigns before other digits. */
const quotedPrintable: Folding = {
  needs: 'rareCharacter',
  mayApply: (text) => text.includes('=') && /=(?:40|[CDE][0-9A-F]=)/.test(text),
  pattern:
    /(?<=[\w.+-])=40(?=[A-Za-z\d-]{1,63}\.[A-Za-z]{2})|=[CD][0-9A-F]=[89AB][0-9A-F]|=E[0-9A-F](?:=[89AB][0-9A-F]){2}/g,
  replace: ([value]) => decodeUtf8(Buffer.from(value.replaceAll('=', ''), 'hex')),
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

/** Emphasis of single words of a name: "**Anna** _Schmidt_". Around a whole name it does no harm. */
const emphasizedWords: Folding = {
  needs: 'rareCharacter',
  mayApply: (text) => text.includes('** ') || text.includes('* ') || text.includes('_ '),
  pattern:
    /(?<![\p{L}\p{N}*_])(\*{1,2}|_{1,2})(\p{Lu}[\p{L}\p{M}'’-]{1,30})\1 (\*{1,2}|_{1,2})(\p{Lu}[\p{L}\p{M}'’-]{1,30})\3(?![\p{L}\p{N}*_])/gu,
  replace: ([, , first = '', , second = '']) => `${first} ${second}`,
};

/** The name of a document: its words are joined by underscores. Names of source files are not those of people. */
const documentNames: Folding = {
  needs: 'underscore',
  mayApply: (text) => text.includes('.'),
  pattern: new RegExp(
    String.raw`(?<=[\p{L}\p{M}\d])_(?=[\p{L}\p{M}\d_-]{1,60}\.(?:${documentEndings})(?![\p{L}\p{N}]))`,
    'gu',
  ),
  replace: () => ' ',
};

/** What every separator needs, in a pattern that reads each character once. */
const separated = /[\d)A-Z](?:[ \t]{2}|\t|[.\u00b7\u2022][\dA-Z]|_\d)/g;

/** Several spaces, tabs, dots and underscores between groups of digits. Line ends between them: see {@link lineEnds}. */
const separators: Folding = {
  needs: 'digit',
  mayApply: (text) => /[\d)](?:[ \t]{2}|\t|[.\u00b7\u2022_]\d)/.test(text),
  pattern:
    /(?<=[\d)]|[A-Z]{4})(?:[ \t]{2,16}|\t)(?=[\d(]|[A-Z]{4})|(?<=\d{3}|[A-Z]{2}\d{2}|[A-Z]{4})\.(?=[\dA-Z]{2})|(?<=[\dA-Z])[\u00b7\u2022](?=[\dA-Z])|(?<=\d{3})_(?=\d{3})/y,
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
  quotedPrintable,
  stringEscapes,
  references,
  tags,
  emphasis,
  emphasizedWords,
  documentNames,
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
