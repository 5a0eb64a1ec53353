import { contextWords } from '../../languages/languages.ts';
import { aroundDigits, contextBefore, type Recognizer } from '../recognizer.ts';

const month = `(?:${contextWords('month')})`;
const numericDate = String.raw`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/. ]{1,2}\d{1,2}[-/. ]{1,2}(?:\d{4}|\d{2})`;
const dayFirst = String.raw`\d{1,2}(?:${contextWords('ordinal')}|\.|º)?(?: (?:${contextWords('ofMonth')}))? ${month}\.?,? (?:(?:${contextWords('ofYear')}) )?\d{4}`;
/** As in passports and airline systems: 07JUN91. */
const compact = String.raw`\d{2}(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:\d{4}|\d{2})`;
/** With the month as a Roman numeral: 8.i.1941. */
const roman = String.raw`\d{1,2}\. ?[ivx]{1,4}\. ?\d{4}`;
const eastAsian = String.raw`\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일]`;
const monthFirst = String.raw`${month}\.? \d{1,2}(?:${contextWords('ordinalAfterMonth')})?,? \d{4}`;
const birthWord = new RegExp(String.raw`(?:${contextWords('birth')})[^\n]{0,28}$`);

/** The signs for a birth in biographies: `(b. 4 March 1980)`, `Anna Voss (* 12.03.1960)`, `*12.03.1960`. */
const birthSign = /\(b\. ?$|\(\* ?$|(?:^|\s)\*$/;

/** A date is personal only after a word such as "born". */
const dateAfterWord = aroundDigits({
  type: 'DATE_OF_BIRTH',
  pattern: new RegExp(
    String.raw`(?<![\p{Script=Latin}\p{N}])(?:${eastAsian}|(?:${numericDate}|${dayFirst}|${monthFirst}|${compact}|${roman})(?![\p{Script=Latin}\p{N}]))`,
    'giu',
  ),
  mayMatch: ({ digits }) => digits >= 4,
  score: (_value, { text, start }) => {
    const before = contextBefore(text, start);
    return birthWord.test(before) || birthSign.test(before) ? 0.9 : 0;
  },
});

const dateOfBirth: Recognizer = {
  ...dateAfterWord,
  mayMatch: (stats) => dateAfterWord.mayMatch(stats) && stats.keywords.of('birth').length > 0,
};

export const datesOfBirth: readonly Recognizer[] = [dateOfBirth];
