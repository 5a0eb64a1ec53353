/** Finds where the forms in {@link file://./grammar.ts} can begin: at a bracket, and at a word with a separator behind it. */
import { unitAt } from '../unitAt.ts';
import { isDigit, isWordUnit } from './forms.ts';

/** Brackets that begin a form, and separators. A backslash is both: it begins an escaped bracket, and an escaped underscore. */
const MARK = /[<&%\\([_\-\u2010\u2011\u2013]/g;
const BRACKETS = '<&%\\([';
const [BACKSLASH, UNDERSCORE] = [0x5c, 0x5f];
const NOWHERE = -1;

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

/** The beginning of the word that ends at a place. @returns NOWHERE without one after `from`, and inside an escape such as `\n` */
function wordBefore(text: string, end: number, from: number): number {
  let start = end;
  while (start > from && isAlphanumeric(unitAt(text, start - 1))) start--;
  const before = unitAt(text, start - 1);
  const isWord = start < end && !isDigit(unitAt(text, start)) && !isWordUnit(before) && before !== BACKSLASH;
  return isWord ? start : NOWHERE;
}

function isAlphanumeric(unit: number): boolean {
  return isWordUnit(unit) && unit !== UNDERSCORE;
}
