import type { EntityType } from '../contract.ts';

/** What a text holds, found in one cheap pass, so that most patterns need not run at all. */
export interface Hints {
  readonly at: boolean;
  /** `://` or `www.` */
  readonly address: boolean;
  readonly colon: boolean;
  /** The most digits in one run of digits and the separators usual inside numbers. */
  readonly digits: number;
  /** Length of the longest run of letters, digits, `_` and `-` that holds a digit. */
  readonly token: number;
}

/** Takes one find. */
export type Emit = (start: number, end: number, score: number, type?: EntityType) => void;

/** Finds values of one type by their form. Linear in the text's length whatever the text. */
export interface Recognizer {
  readonly type: EntityType;
  /** Whether a text with these hints can hold a value. */
  readonly worthwhile: (hints: Hints) => boolean;
  readonly find: (text: string, emit: Emit) => void;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

/** Reads the hints off a text in one pass. */
export function hintsOf(text: string): Hints {
  let digits = 0;
  let most = 0;
  let gap = 0;
  let token = 0;
  let longest = 0;
  let tokenDigit = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      digits++;
      gap = 0;
      token++;
      tokenDigit = true;
      if (digits > most) most = digits;
      if (token > longest) longest = token;
      continue;
    }
    // Up to three of anything may stand between two digits of one number: `) `, ` - `, ` (0`.
    if (digits > 0 && ++gap > 3) digits = 0;
    if (isLetter(code) || code === 95 || code === 45) {
      token++;
      if (tokenDigit && token > longest) longest = token;
    } else {
      token = 0;
      tokenDigit = false;
    }
  }
  return {
    at: text.includes('@'),
    address: text.includes('://') || text.includes('www.'),
    colon: text.includes(':'),
    digits: most,
    token: longest,
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

/** A recognizer made of one global pattern: the match, or its first group where it has one, is the value. */
export function pattern(definition: {
  readonly type: EntityType;
  readonly pattern: RegExp;
  readonly worthwhile: (hints: Hints) => boolean;
  /** @returns the score, with another type where it is one, or 0 to refuse. */
  readonly score: (
    value: string,
    place: { readonly text: string; readonly start: number; readonly end: number },
  ) => number | { readonly score: number; readonly type: EntityType };
}): Recognizer {
  const { type, worthwhile, score } = definition;
  return {
    type,
    worthwhile,
    find(text, emit) {
      for (const match of text.matchAll(definition.pattern)) {
        const value = match[1] ?? match[0];
        const start = match.index + (match[1] === undefined ? 0 : match[0].lastIndexOf(value));
        const end = start + value.length;
        const judged = score(value, { text, start, end });
        if (typeof judged === 'object') emit(start, end, judged.score, judged.type);
        else if (judged > 0) emit(start, end, judged);
      }
    },
  };
}
