import type { EntityType } from '../contract.ts';

/** What a text holds, found in one cheap pass, so that most patterns need not run at all, or not on all of it. */
export interface Hints {
  readonly at: boolean;
  /** `://` or `www.` */
  readonly address: boolean;
  readonly colon: boolean;
  /** The most digits in one run of digits and the separators usual inside numbers. */
  readonly digits: number;
  /** The most digits in one run of nothing else. */
  readonly solid: number;
  /** Length of the longest run of letters, digits, `_` and `-` that holds a digit. */
  readonly token: number;
  /** Length of the longest run of capitals A to Z and digits. */
  readonly capitals: number;
  /** Where digits are, with {@link margin} on both sides: starts and ends by turns. */
  readonly windows: readonly number[];
}

/** Takes one find. */
export type Emit = (start: number, end: number, score: number, type?: EntityType) => void;

/** Finds values of one type by their form. Linear in the text's length whatever the text. */
export interface Recognizer {
  readonly type: EntityType;
  /** Whether a text with these hints can hold a value. */
  readonly worthwhile: (hints: Hints) => boolean;
  readonly find: (text: string, emit: Emit, hints: Hints) => void;
}

/** How far a value may reach beyond its first and last digit, and between two, in UTF-16 code units. */
const margin = 64;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

/** Reads the hints off a text in one pass. */
export function hintsOf(text: string): Hints {
  let [most, longest, longestSolid, longestCapitals] = [0, 0, 0, 0];
  let digits = 0;
  let gap = 0;
  let token = 0;
  let tokenDigit = false;
  let solid = 0;
  let capitals = 0;
  const windows: number[] = [];
  let windowEnd = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      digits++;
      gap = 0;
      token++;
      solid++;
      capitals++;
      tokenDigit = true;
      if (digits > most) most = digits;
      if (token > longest) longest = token;
      if (solid > longestSolid) longestSolid = solid;
      if (capitals > longestCapitals) longestCapitals = capitals;
      if (windowEnd < 0 || at - margin > windowEnd) {
        if (windowEnd >= 0) windows.push(windowEnd);
        windows.push(Math.max(0, at - margin));
      }
      windowEnd = at + 1 + margin;
      continue;
    }
    solid = 0;
    // Up to three of anything may stand between two digits of one number: `) `, ` - `, ` (0`.
    if (digits > 0 && ++gap > 3) digits = 0;
    if (isLetter(code)) {
      capitals = code < 97 ? capitals + 1 : 0;
      if (capitals > longestCapitals) longestCapitals = capitals;
    } else {
      capitals = 0;
      if (code !== 95 && code !== 45) {
        token = 0;
        tokenDigit = false;
        continue;
      }
    }
    token++;
    if (tokenDigit && token > longest) longest = token;
  }
  if (windowEnd >= 0) windows.push(Math.min(text.length, windowEnd));
  return {
    at: text.includes('@'),
    address: text.includes('://') || text.includes('www.'),
    colon: text.includes(':'),
    digits: most,
    solid: longestSolid,
    token: longest,
    capitals: longestCapitals,
    windows,
  };
}

/** How far a word that explains a number may stand from it, in UTF-16 code units. */
const reach = 48;

/** What stands before a value on its own line or the one above, in lower case: where context words are looked for. */
export function before(text: string, start: number, width = reach): string {
  return text.slice(Math.max(0, start - width), start).toLowerCase();
}

/** What follows a value, in lower case. */
export function after(text: string, end: number, width = 24): string {
  return text.slice(end, end + width).toLowerCase();
}

export const digitsOf = (value: string): string => value.replace(/\D/g, '');

/** Takes the matches of a global pattern one by one, without what `matchAll` sets up for each text. */
export function eachMatch(pattern: RegExp, text: string, take: (match: RegExpExecArray) => void): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) take(match);
}

/** The same for a pattern whose matches hold digits: only where digits are. `offset` is where the match's text begins. */
export function eachNumber(
  pattern: RegExp,
  text: string,
  { windows }: Hints,
  take: (match: RegExpExecArray, offset: number) => void,
): void {
  for (let at = 0; at < windows.length; at += 2) {
    const from = windows[at] ?? 0;
    const part = text.slice(from, windows[at + 1]);
    pattern.lastIndex = 0;
    for (let match = pattern.exec(part); match; match = pattern.exec(part)) take(match, from);
  }
}

/** A recognizer made of one global pattern: the match, or its first group where it has one, is the value. */
export function pattern(definition: {
  readonly type: EntityType;
  readonly pattern: RegExp;
  readonly worthwhile: (hints: Hints) => boolean;
  /** For values that need hold no digit, or are longer than {@link margin} beside their digits. */
  readonly anywhere?: boolean;
  /** @returns the score, with another type where it is one, or 0 to refuse. */
  readonly score: (
    value: string,
    place: {
      readonly text: string;
      readonly start: number;
      readonly end: number;
    },
  ) => number | { readonly score: number; readonly type: EntityType };
}): Recognizer {
  const { type, worthwhile, anywhere = false, score } = definition;
  return {
    type,
    worthwhile,
    find(text, emit, hints) {
      const judge = (match: RegExpExecArray, offset = 0): void => {
        const value = match[1] ?? match[0];
        const start = offset + match.index + (match[1] === undefined ? 0 : match[0].lastIndexOf(value));
        const end = start + value.length;
        const judged = score(value, { text, start, end });
        if (typeof judged === 'object') emit(start, end, judged.score, judged.type);
        else if (judged > 0) emit(start, end, judged);
      };
      if (anywhere) eachMatch(definition.pattern, text, judge);
      else eachNumber(definition.pattern, text, hints, judge);
    },
  };
}
