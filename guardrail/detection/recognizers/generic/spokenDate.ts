import { contextWords } from '../../languages/languages.ts';

const numberWord = new RegExp(`^(?:\\d{1,4}|(?:${contextWords('numberWord')}){1,6})$`, 'u');
const month = new RegExp(`^(?:${contextWords('month')})$`, 'u');
/** Words within a date: "of", "and". */
const filler = new RegExp(
  `^(?:${contextWords('spokenFiller')}|${contextWords('and')}|${contextWords('ofMonth')})$`,
  'u',
);

const words = /['’]?[\p{L}\p{M}\d]{1,40}/gu;
const LONGEST_WORD = 40;
/** What may stand between two words of a date. */
const between = /^(?:[ -]|, |\. ?)$/;

export interface SpokenDate {
  /** Where the article begins, if there is one. */
  readonly start: number;
  /** Where the first number or month begins. */
  readonly first: number;
  readonly end: number;
}

/**
 * Finds the first date in words, such as "the third of May nineteen eighty-one": a day, a month or the number of a month,
 * and a year. At least one of them is in words.
 * @param text in lower case.
 * @returns its offsets in the text; undefined if there is none.
 */
export function spokenDateIn(text: string): SpokenDate | undefined {
  let [start, first, end, last, article] = [-1, -1, -1, -1, -1];
  let [numbers, inWords, months, isNumberBehindMonth] = [0, 0, 0, false];
  const isDate = (): boolean => inWords > 0 && (months > 0 ? numbers >= 2 && isNumberBehindMonth : numbers >= 3);
  words.lastIndex = 0;
  for (let match = words.exec(text); match; match = words.exec(text)) {
    const { 0: written, index } = match;
    const word = written.replace(/^['’]/, '');
    const isNumber = word.length < LONGEST_WORD && numberWord.test(word);
    const isMonth = !isNumber && month.test(word);
    const continues = last >= 0 && between.test(text.slice(last, index));
    if (!continues || !(isNumber || isMonth || filler.test(word))) {
      if (start >= 0 && isDate()) return { start, first, end };
      [start, numbers, inWords, months, isNumberBehindMonth] = [-1, 0, 0, 0, false];
    }
    const isBehindArticle = continues && article >= 0;
    last = index + written.length;
    if (isNumber || isMonth) {
      if (start < 0) [start, first] = [isBehindArticle ? article : index, index];
      end = last;
      numbers += isNumber ? 1 : 0;
      inWords += isNumber && /^\p{L}/u.test(word) ? 1 : 0;
      months += isMonth ? 1 : 0;
      isNumberBehindMonth ||= isNumber && months > 0;
    }
    article = isNumber || isMonth ? -1 : filler.test(word) ? index : -1;
  }
  return start >= 0 && isDate() ? { start, first, end } : undefined;
}
