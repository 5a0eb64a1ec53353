import type { EntityType } from '../contract.ts';
import { Announcements, type Announced } from './keywords.ts';
import { withoutEscapedQuotes, withoutEscapedSpace } from '../text/escapes.ts';

/** What the digits of a text, or of a part of it, are like. */
export interface Numbers {
  /** The most digits in one run of digits and the separators usual inside numbers. */
  readonly digits: number;
  /** The most digits in one run of nothing else. */
  readonly solid: number;
  /** Length of the longest run of letters A to Z, digits, `_` and `-` that holds a digit. */
  readonly token: number;
}

/** A stretch of a text with digits in it. */
export interface Window extends Numbers {
  /** Where it begins in the text. */
  readonly start: number;
  readonly text: string;
}

/** What a text holds, found in one cheap pass, so that most patterns need not run at all, or not on all of it. */
export interface Hints extends Numbers {
  /** The text as recognizers read it: see {@link withoutEscapedSpace}. */
  readonly text: string;
  /** The text as it is written. */
  readonly written: string;
  readonly at: boolean;
  /** `://`, `www.` or `.com/` */
  readonly address: boolean;
  /** Where digits are, with {@link margin} on both sides. */
  readonly windows: readonly Window[];
  readonly announcements: Announcements;
}

/** Takes one find. */
export type Emit = (start: number, end: number, score: number, type?: EntityType) => void;

/** Finds values of one type by their form. Linear in the text's length whatever the text. */
export interface Recognizer {
  readonly type: EntityType;
  /** Whether a text with these hints can hold a value. */
  readonly worthwhile: (hints: Hints) => boolean;
  /** @param text that of the hints. */
  readonly find: (text: string, emit: Emit, hints: Hints) => void;
}

/**
 * How far a value that is looked for around digits may reach beyond its first and last one, and half of how far between
 * two, in UTF-16 code units: the longest are a document's number that ends in 19 letters, and the name of a month with the
 * words around it.
 */
const margin = 24;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isOfToken = (code: number): boolean =>
  isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 122) || code === 95 || code === 45;

/** Reads the hints off a text. */
export function hintsOf(written: string): Hints {
  const text = withoutEscapedSpace(written);
  const windows: Window[] = [];
  let [digits, solid, token] = [0, 0, 0];
  let from = -1;
  let last = -1;
  let [ofRun, inRow] = [0, 0];
  let tokenEnd = 0;
  const close = (): void => {
    const start = Math.max(0, from - margin);
    windows.push({ start, text: text.slice(start, last + 1 + margin), digits, solid, token });
  };
  const { length } = text;
  for (let at = nextDigit(text, 0); at < length; at++) {
    if (!isDigit(text.charCodeAt(at))) {
      if (at - last > 2 * margin) at = nextDigit(text, at) - 1;
      continue;
    }
    if (from < 0 || at - last > 2 * margin) {
      if (from >= 0) close();
      from = at;
      digits = solid = token = 0;
    }
    // Up to three of anything may stand between two digits of one number: `) `, ` - `, ` (0`.
    ofRun = at - last > 4 ? 1 : ofRun + 1;
    inRow = at - last > 1 ? 1 : inRow + 1;
    last = at;
    if (ofRun > digits) digits = ofRun;
    if (inRow > solid) solid = inRow;
    if (at < tokenEnd) continue;
    let start = at;
    while (start > tokenEnd && isOfToken(text.charCodeAt(start - 1))) start--;
    tokenEnd = at + 1;
    while (tokenEnd < length && isOfToken(text.charCodeAt(tokenEnd))) tokenEnd++;
    if (tokenEnd - start > token) token = tokenEnd - start;
  }
  if (from >= 0) close();
  return {
    text,
    written,
    at: text.includes('@'),
    address: text.includes('://') || text.includes('www.') || text.includes('.com/'),
    digits: most(windows, ({ digits }) => digits),
    solid: most(windows, ({ solid }) => solid),
    token: most(windows, ({ token }) => token),
    windows,
    announcements: new Announcements(text),
  };
}

const most = (windows: readonly Window[], of: (numbers: Numbers) => number): number =>
  windows.reduce((greatest, window) => Math.max(greatest, of(window)), 0);

const digit = /\d/g;
/** Where the next digit is, or the end of the text: a pattern finds it far sooner than a look at each character. */
function nextDigit(text: string, from: number): number {
  digit.lastIndex = from;
  return digit.test(text) ? digit.lastIndex - 1 : text.length;
}

/** How far a word that explains a number may stand from it, in UTF-16 code units. */
export const reach = 48;

/** What stands before a value on its own line or the one above, in lower case: where context words are looked for. */
export function before(text: string, start: number, width = reach): string {
  return withoutEscapedQuotes(text.slice(Math.max(0, start - width), start)).toLowerCase();
}

/** What follows a value, in lower case. */
export function after(text: string, end: number, width = 24): string {
  return withoutEscapedQuotes(text.slice(end, end + width)).toLowerCase();
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
  { windows }: Hints,
  worthwhile: (numbers: Numbers) => boolean,
  take: (match: RegExpExecArray, offset: number) => void,
): void {
  for (const window of windows) {
    if (!worthwhile(window)) continue;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(window.text); match; match = pattern.exec(window.text)) take(match, window.start);
  }
}

/** Where a value was found. */
export interface Place {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What a recognizer is made of that looks for one pattern. */
export interface Form<H> {
  readonly type: EntityType;
  /** Global; its match is the value. */
  readonly pattern: RegExp;
  /** Whether text with these hints can hold a value. */
  readonly worthwhile: (hints: H) => boolean;
  /** @returns the score, with another type where it is one, or 0 to refuse. */
  readonly score: (value: string, place: Place) => number | { readonly score: number; readonly type: EntityType };
}

/** A recognizer of values that hold digits, and little that is further than {@link margin} from one. */
export function numeric({ type, pattern, worthwhile, score }: Form<Numbers>): Recognizer {
  return {
    type,
    worthwhile,
    find(text, emit, hints) {
      eachNumber(pattern, hints, worthwhile, (match, offset) => {
        judge(match, offset, text, score, emit);
      });
    },
  };
}

/** A recognizer of values that may stand anywhere in the text. */
export function anywhere({ type, pattern, worthwhile, score }: Form<Hints>): Recognizer {
  return {
    type,
    worthwhile,
    find(text, emit) {
      eachMatch(pattern, text, (match) => {
        judge(match, 0, text, score, emit);
      });
    },
  };
}

/** The longest value that is looked for behind a word, and what may follow it, in UTF-16 code units. */
const longest = 64;

/**
 * A recognizer of values that a word must announce: only what stands behind such a word is looked at, and that once.
 * @param by words one of which every score asks for in what stands before the value.
 * @param within how far before the value's beginning the word may begin, in UTF-16 code units.
 */
export function announced(by: Announced, within: number, forms: readonly [Form<Hints>, ...Form<Hints>[]]): Recognizer {
  return {
    type: forms[0].type,
    worthwhile: (hints) => forms.some(({ worthwhile }) => worthwhile(hints)) && hints.announcements.of(by).length > 0,
    find(text, emit, hints) {
      const wanted = forms.filter(({ worthwhile }) => worthwhile(hints));
      const begins = hints.announcements.of(by);
      for (let first = 0, next = 1; first < begins.length; first = next++) {
        // Words whose reaches meet are one stretch.
        while (next < begins.length && (begins[next] ?? 0) - (begins[next - 1] ?? 0) <= within) next++;
        const start = Math.max(0, (begins[first] ?? 0) - margin);
        const to = (begins[next - 1] ?? 0) + within;
        const part = text.slice(start, to + longest);
        for (const { type, pattern, score } of wanted) {
          eachMatch(pattern, part, (match) => {
            if (start + match.index > to) return;
            judge(match, start, text, score, (begin, end, sure, other = type) => {
              emit(begin, end, sure, other);
            });
          });
        }
      }
    },
  };
}

function judge(match: RegExpExecArray, offset: number, text: string, score: Form<never>['score'], emit: Emit): void {
  const [value] = match;
  const start = offset + match.index;
  const end = start + value.length;
  const judged = score(value, { text, start, end });
  if (typeof judged === 'object') emit(start, end, judged.score, judged.type);
  else if (judged > 0) emit(start, end, judged);
}
