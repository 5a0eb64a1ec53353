/** Finds where the forms in {@link file://./grammar.ts} can begin: at a bracket, and at a word with a separator after it. */
import { unitAt } from '../unitAt.ts';
import { isInUnspaced, isInWord } from './boundaries.ts';
import { WIDE_OPENINGS } from './brackets.ts';
import { isDigit, isQuoted, isWordUnit } from './forms.ts';

/** A backslash is both a bracket and a separator: it begins an escaped bracket, and an escaped underscore. */
const BRACKETS = `<&%\\([{${WIDE_OPENINGS}`;
/** Brackets that begin a form, and separators. */
const MARK = new RegExp(
  `[${BRACKETS.replace(/[\\[]/g, '\\$&')}_\\-\\u2010\\u2011\\u2013\\u00ad\\u200b-\\u200d\\u2060\\ufeff]`,
  'g',
);
const [BACKSLASH, UNDERSCORE] = [0x5c, 0x5f];
const NOWHERE = -1;
/** The longest word of a label outside ASCII, and in a script without spaces. */
const [MAX_WORD, MAX_UNSPACED] = [40, 16];

/**
 * The first place, from a place on, where a form can begin; the length of the text if there is none. No form without an opening
 * bracket has white space. Searches for brackets and separators, which texts rarely have, and not for words.
 * @param mayEnd whether a word at the end of the text counts, because more text may follow
 */
export function formStart(text: string, from: number, mayEnd: boolean): number {
  MARK.lastIndex = from;
  while (MARK.test(text)) {
    const mark = MARK.lastIndex - 1;
    const isBracket = BRACKETS.includes(text.charAt(mark));
    const start = isBracket && unitAt(text, mark) !== BACKSLASH ? NOWHERE : wordBefore(text, mark, from);
    if (start !== NOWHERE) return start;
    if (isBracket) return mark;
  }
  const last = mayEnd ? wordBefore(text, text.length, from) : NOWHERE;
  return last === NOWHERE ? text.length : last;
}

/**
 * The beginning of the word that ends at a place, or of its letters in ASCII: a label of the vocabulary can follow other letters.
 * @returns NOWHERE without one after `from`, and inside an escape such as `\n`
 */
function wordBefore(text: string, end: number, from: number): number {
  let ascii = end;
  while (ascii > from && isAlphanumeric(unitAt(text, ascii - 1))) ascii--;
  let start = ascii;
  while (start > from && end - start < MAX_WORD && isInWord(text, start)) start--;
  if (start < ascii && isFree(text, start) && !isInWord(text, start)) return start;
  if (ascii === end) return unspacedBefore(text, end, from);
  return isFree(text, ascii) && !isDigit(unitAt(text, ascii)) ? ascii : NOWHERE;
}

function isFree(text: string, start: number): boolean {
  const before = unitAt(text, start - 1);
  return !isWordUnit(before) && before !== BACKSLASH;
}

function isAlphanumeric(unit: number): boolean {
  return isWordUnit(unit) && unit !== UNDERSCORE;
}

/** The beginning of a label in a script without spaces, directly after a quotation mark. */
function unspacedBefore(text: string, end: number, from: number): number {
  let start = end;
  while (start > from && end - start < MAX_UNSPACED && isInUnspaced(text, start)) start--;
  return start < end && isQuoted(text, start) ? start : NOWHERE;
}
