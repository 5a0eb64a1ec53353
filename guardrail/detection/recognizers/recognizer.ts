import type { EntityType, RuleId } from '../contract.ts';
import { withoutEscapedQuotes } from '../text/escapes.ts';
import type { KeywordList } from './keywords.ts';
import { isDigit, margin, type DigitStats, type DigitWindow, type TextStats } from './textStats.ts';

/** Receives one span. Default of type and rule: those of the recognizer. */
export type Emit = (start: number, end: number, score: number, type?: EntityType, rule?: RuleId) => void;

/** Finds values by their pattern. Its run time is linear in the length of the text, for any text. */
export interface Recognizer {
  /** The type of a value for which `find` names no other. */
  readonly type: EntityType;
  readonly otherTypes?: readonly EntityType[];
  /** The rule of a value for which `find` names no other. */
  readonly rule: RuleId;
  readonly otherRules?: readonly RuleId[];
  /** Whether it finds nothing in a text without digits. Most short texts have none, and are not shown to it then. */
  readonly needsDigit?: true;
  /** Whether a text with these properties can contain a value. */
  readonly mayMatch: (stats: TextStats) => boolean;
  /** @param text `stats.text`. */
  readonly find: (text: string, emit: Emit, stats: TextStats) => void;
}

/** The longest distance of a context word from its value, in UTF-16 code units. */
export const contextWidth = 48;

/** The text before a value, in lower case: where context words are searched. */
export function contextBefore(text: string, start: number, width = contextWidth): string {
  return withoutEscapedQuotes(text.slice(Math.max(0, start - width), start)).toLowerCase();
}

/** The text after a value, in lower case. */
export function contextAfter(text: string, end: number, width = 24): string {
  return withoutEscapedQuotes(text.slice(end, end + width)).toLowerCase();
}

/** The digits of a short value. Cheaper than a pattern. */
export function digitsOf(value: string): string {
  let digits = '';
  let from = 0;
  for (let at = 0; at < value.length; at++) {
    if (isDigit(value.charCodeAt(at))) continue;
    if (at > from) digits += value.slice(from, at);
    from = at + 1;
  }
  return from === 0 ? value : digits + value.slice(from);
}

/** Visits the matches of a global pattern. Cheaper than `matchAll`, which creates objects for each text. */
export function eachMatch(pattern: RegExp, text: string, visit: (match: RegExpExecArray) => void): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) visit(match);
}

/** Visits the matches of a pattern that contain digits: it searches only the windows with digits. */
export function eachNumber(
  pattern: RegExp,
  { windows }: TextStats,
  mayMatch: (window: DigitWindow) => boolean,
  visit: (match: RegExpExecArray, windowStart: number) => void,
): void {
  for (const window of windows) {
    if (!mayMatch(window)) continue;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(window.text); match; match = pattern.exec(window.text)) visit(match, window.start);
  }
}

/** The position of a value in its text. */
export interface Match {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A recognizer that consists of one pattern and a score. */
export interface PatternRecognizer<Stats> {
  readonly type: EntityType;
  readonly otherTypes?: readonly EntityType[];
  readonly rule: RuleId;
  /**
   * Global; the whole match is the value. A lookahead for its first character before `(?<![\p{L}…])` saves time: what stands in
   * front of a position takes longer to check.
   */
  readonly pattern: RegExp;
  /** Whether a text with these properties can contain a value. */
  readonly mayMatch: (stats: Stats) => boolean;
  /** @returns the score, 0 to reject the match, or a score with another type. */
  readonly score: (value: string, match: Match) => number | { readonly score: number; readonly type: EntityType };
}

type Identity = Pick<Recognizer, 'type' | 'otherTypes' | 'rule'>;

const identityOf = ({ type, otherTypes, rule }: Identity): Identity => ({
  type,
  ...(otherTypes && { otherTypes }),
  rule,
});

/** A recognizer of values around digits. */
export interface DigitRecognizer extends PatternRecognizer<DigitStats> {
  /** Whether a window that `mayMatch` accepts can contain a value. Default: always. */
  readonly mayContain?: (window: DigitWindow, stats: TextStats) => boolean;
}

/** A recognizer of values that contain digits and extend at most {@link margin} beyond them. */
export function aroundDigits(recognizer: DigitRecognizer): Recognizer {
  const { pattern, mayMatch, score, mayContain } = recognizer;
  return {
    ...identityOf(recognizer),
    needsDigit: true,
    mayMatch,
    find(text, emit, stats) {
      const isSearched = mayContain
        ? (window: DigitWindow): boolean => mayMatch(window) && mayContain(window, stats)
        : mayMatch;
      eachNumber(pattern, stats, isSearched, (match, windowStart) => {
        emitScored(match, windowStart, text, score, emit);
      });
    },
  };
}

/** A recognizer that searches the whole text. */
export function anywhere(recognizer: PatternRecognizer<TextStats>): Recognizer {
  const { pattern, mayMatch, score } = recognizer;
  return {
    ...identityOf(recognizer),
    mayMatch,
    find(text, emit) {
      eachMatch(pattern, text, (match) => {
        emitScored(match, 0, text, score, emit);
      });
    },
  };
}

/** What stands on the line of each value: a word of a list, or a text. */
export type Near = { readonly keyword: KeywordList } | { readonly sign: string };

/** A recognizer of values behind a prefix. */
export interface PrefixRecognizer {
  readonly type: EntityType;
  readonly rule: RuleId;
  /** Global, with two groups: the prefix, and the value directly behind it. */
  readonly pattern: RegExp;
  readonly score: number;
  /** Spares the pattern all other lines. Default: the whole text is searched. */
  readonly near?: Near;
  /** Default: always. */
  readonly mayMatch?: (stats: TextStats) => boolean;
  /** Whether a match is a value. Default: always. */
  readonly accepts?: (value: string, text: string, start: number) => boolean;
}

/** A recognizer of values that their prefix identifies. */
export function afterPrefix(recognizer: PrefixRecognizer): Recognizer {
  const { type, rule, pattern, score, near, mayMatch = () => true, accepts = () => true } = recognizer;
  return {
    type,
    rule,
    mayMatch: (stats) => mayMatch(stats) && (near === undefined || firstPlace(near, stats) >= 0),
    find(text, emit, stats) {
      const visit = ({ 1: prefix = '', 2: value = '', index }: RegExpExecArray, from = 0): void => {
        const start = from + index + prefix.length;
        if (accepts(value, text, start)) emit(start, start + value.length, score, type, rule);
      };
      if (near) eachMatchNear(near, pattern, stats, visit);
      else eachMatch(pattern, text, visit);
    },
  };
}

/** Where the first of the signs is; -1: nowhere. */
function firstPlace(near: Near, { text, keywords }: TextStats): number {
  return 'sign' in near ? text.indexOf(near.sign) : (keywords.of(near.keyword)[0] ?? -1);
}

/** Visits the matches of a global pattern in the lines with a sign, each with the place of its line. */
function eachMatchNear(
  near: Near,
  pattern: RegExp,
  { text, keywords }: TextStats,
  visit: (match: RegExpExecArray, lineStart: number) => void,
): void {
  const searchLine = (place: number): number => {
    const start = text.lastIndexOf('\n', place) + 1;
    const next = text.indexOf('\n', place);
    const end = next < 0 ? text.length : next;
    eachMatch(pattern, text.slice(start, end), (match) => {
      visit(match, start);
    });
    return end;
  };
  if ('sign' in near) {
    for (let at = text.indexOf(near.sign); at >= 0;) at = text.indexOf(near.sign, searchLine(at));
    return;
  }
  let done = -1;
  for (const at of keywords.of(near.keyword)) if (at > done) done = searchLine(at);
}

/** One sort of values that follow a keyword. */
export interface KeywordPattern extends PatternRecognizer<TextStats> {
  /** Whether every value contains a digit. */
  readonly needsDigit?: true;
}

const DIGIT = /\d/;

/** The longest value after a keyword, with what follows the value, in UTF-16 code units. */
const longest = 64;

/**
 * A recognizer of values that follow a keyword. It searches only the text after keywords, and each part once.
 * @param list keywords. Each `score` requires one of them in the text before the value.
 * @param within the longest distance from the beginning of the keyword to the beginning of the value, in UTF-16 code units.
 */
export function afterKeyword(
  list: KeywordList,
  within: number,
  patterns: readonly [KeywordPattern, ...KeywordPattern[]],
): Recognizer {
  return {
    type: patterns[0].type,
    otherTypes: patterns.slice(1).map(({ type }) => type),
    rule: patterns[0].rule,
    otherRules: patterns.slice(1).map(({ rule }) => rule),
    ...(patterns.every(({ needsDigit }) => needsDigit) && { needsDigit: true }),
    mayMatch: (stats) => stats.keywords.of(list).length > 0 && patterns.some(({ mayMatch }) => mayMatch(stats)),
    find(text, emit, stats) {
      const active = patterns.filter(({ mayMatch }) => mayMatch(stats));
      const starts = stats.keywords.of(list);
      for (let first = 0, next = 1; first < starts.length; first = next++) {
        // Keywords that are close to each other share one part.
        while (next < starts.length && (starts[next] ?? 0) - (starts[next - 1] ?? 0) <= within) next++;
        const start = Math.max(0, (starts[first] ?? 0) - margin);
        const to = (starts[next - 1] ?? 0) + within;
        const part = text.slice(start, to + longest);
        const hasDigit = DIGIT.test(part);
        for (const { type, rule, pattern, score, needsDigit } of active) {
          if (needsDigit === true && !hasDigit) continue;
          eachMatch(pattern, part, (match) => {
            if (start + match.index > to) return;
            emitScored(match, start, text, score, (begin, end, value, other = type) => {
              emit(begin, end, value, other, rule);
            });
          });
        }
      }
    },
  };
}

function emitScored(
  match: RegExpExecArray,
  offset: number,
  text: string,
  score: PatternRecognizer<never>['score'],
  emit: Emit,
): void {
  const [value] = match;
  const start = offset + match.index;
  const end = start + value.length;
  const scored = score(value, { text, start, end });
  if (typeof scored === 'object') emit(start, end, scored.score, scored.type);
  else if (scored > 0) emit(start, end, scored);
}
