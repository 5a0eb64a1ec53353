import { contextWords } from '../../languages/languages.ts';
import { aroundDigits, contextBefore, type Recognizer } from '../recognizer.ts';

const month = `(?:${contextWords('month')})`;
const numericDate = String.raw`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/. ]{1,2}\d{1,2}[-/. ]{1,2}(?:\d{4}|\d{2})`;
const dayFirst = String.raw`\d{1,2}(?:${contextWords('ordinal')}|\.|º)?(?: (?:${contextWords('ofMonth')}))? ${month}\.?,? (?:(?:${contextWords('ofYear')}) )?\d{4}`;
const monthFirst = String.raw`${month}\.? \d{1,2}(?:${contextWords('ordinalAfterMonth')})?,? \d{4}`;
const birthWord = new RegExp(String.raw`(?:${contextWords('birth')})[^\n]{0,28}$`);

/** A date is personal only after a word such as "born". */
const dateOfBirth = aroundDigits({
  type: 'DATE_OF_BIRTH',
  pattern: new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${numericDate}|${dayFirst}|${monthFirst})(?![\p{L}\p{N}])`, 'giu'),
  mayMatch: ({ digits }) => digits >= 4,
  score: (_value, { text, start }) => (birthWord.test(contextBefore(text, start)) ? 0.9 : 0),
});

export const datesOfBirth: readonly Recognizer[] = [dateOfBirth];
