import { contextWords } from '../../languages/languages.ts';
import { isDate } from '../checksums.ts';
import { aroundDigits, contextAfter, contextBefore, type Recognizer } from '../recognizer.ts';
import type { DigitWindow, TextStats } from '../textStats.ts';
import { spokenDateIn } from './spokenDate.ts';

const month = `(?:${contextWords('month')})`;
const numericDate = String.raw`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/. ]{1,2}\d{1,2}[-/. ]{1,2}(?:\d{4}|\d{2})`;
const year = String.raw`(?:\d{4}|['’]?\d{2})`;
const dayFirst = String.raw`\d{1,2}(?:(?:${contextWords('ordinal')}|\.|º)?(?: (?:${contextWords('ofMonth')}))? ${month}\.?,? (?:(?:${contextWords('ofMonth')}) )?|[-/.]${month}[-/.])${year}`;
/** As in passports and airline systems: 07JUN91. */
const months = Array.from({ length: 12 }, (_, at) => new Date(2000, at).toLocaleString('en-US', { month: 'short' }));
const compact = String.raw`\d{2}(?:${months.join('|')})(?:\d{4}|\d{2})`;
/** With the month as a Roman numeral: 8.i.1941. */
const roman = String.raw`\d{1,2}\. ?[ivx]{1,4}\. ?\d{4}`;
const eastAsian = String.raw`\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일]`;
const monthFirst = String.raw`${month}\.? \d{1,2}(?:${contextWords('ordinal')})?,? \d{4}`;
/** Without separators, or without a day: a date only directly behind a word such as "born". */
const bare = String.raw`\d{8}|\d{6}|(?:0?[1-9]|1[0-2])[/.]\d{4}`;

const birth = `(?:${contextWords('birth')})`;
/** In a dialogue, the answer stands on the next line, behind the name of the speaker. */
const birthWord = new RegExp(String.raw`${birth}[^\n]{0,28}(?:\n{1,2}[^\n:]{1,20}: ?)?$`);
const directBirthWord = new RegExp(String.raw`${birth}[^\p{L}\d\n]{0,4}(?:\p{L}{1,3} )?$`, 'u');

/** The signs for a birth: `(b. 4 March 1980)`, `Anna Voss (* 12.03.1960)`, `*12.03.1960`, `° 12.03.1960`, `f. 12/3 1960`. */
const birthSign = /\(b\. ?$|\(\* ?$|(?:^|\s)[*°] ?$|(?:^|[\s,(])f\. ?$/;

/** What stands behind a date of birth: "5. Mai 1990 in Novi Sad geboren". */
const birthAfter = new RegExp(
  String.raw`^(?:,? (?:${contextWords('homePreposition')}) \p{L}[^\n.,!?;:]{1,28})?,? ?(?:${contextWords('birthAfter')})(?!\p{Ll})`,
  'u',
);

/** The name of a person who is introduced, and the parenthesis behind the name. */
const introduced = new RegExp(
  String.raw`(?:^|[^\p{L}])(?:${contextWords('introduction')})\.?,?(?: \p{L}[\p{L}\p{M}'’.-]{0,30}){1,4},? \($`,
  'u',
);

/** Whether six or eight digits are a date: YYYYMMDD, DDMMYYYY, YYMMDD or DDMMYY. */
function isBareDate(digits: string): boolean {
  const at = (from: number): number => Number(digits.slice(from, from + 2));
  if (digits.length === 6) return isDate(at(2), at(4)) || isDate(at(2), at(0));
  return (
    (/^(?:19|20)/.test(digits) && isDate(at(4), at(6))) || (/(?:19|20)\d{2}$/.test(digits) && isDate(at(2), at(0)))
  );
}

/** A date is personal only after a word such as "born", or after the name of a person. */
function dateScore(value: string, text: string, start: number): number {
  const before = contextBefore(text, start, WORD_WIDTH);
  if (/^\d+$/.test(value)) return directBirthWord.test(before) && isBareDate(value) ? 0.9 : 0;
  if (/^\d{1,2}[/.]\d{4}$/.test(value)) return directBirthWord.test(before) ? 0.9 : 0;
  if (birthWord.test(before) || birthSign.test(before)) return 0.9;
  const end = start + value.length;
  if (birthAfter.test(contextAfter(text, end, BEHIND_WIDTH))) return 0.85;
  return text.startsWith(')', end) && introduced.test(before) ? 0.8 : 0;
}

const date = new RegExp(
  String.raw`(?<![\p{Script=Latin}\p{N}])(?:${eastAsian}|(?:${numericDate}|${dayFirst}|${monthFirst}|${compact}|${roman}|${bare})(?![\p{Script=Latin}\p{N}]|[-/]\d))`,
  'giu',
);

/** How far before a date the words for a birth are searched, in UTF-16 code units. */
const WORD_WIDTH = 64;
/** How far behind a date they end. */
const BEHIND_WIDTH = 48;
/** The beginning of a date in parentheses. */
const inParentheses = /\(\d{1,4}[ ./-]/;

/** Whether a word or a sign for a birth, or a parenthesis, can stand before a date in a window. */
const mayFollowWord = ({ start, text }: DigitWindow, { keywords }: TextStats): boolean =>
  keywords.occursBetween('birth', start - WORD_WIDTH, start + text.length + BEHIND_WIDTH) || /\(|f\./i.test(text);

const dateAfterWord = aroundDigits({
  type: 'DATE_OF_BIRTH',
  rule: 'birth.date',
  pattern: date,
  mayMatch: ({ digits }) => digits >= 2,
  mayContain: mayFollowWord,
  score: (value, { text, start }) => dateScore(value, text, start),
});

const dateOfBirth: Recognizer = {
  ...dateAfterWord,
  mayMatch: ({ digits, keywords, windows }) =>
    digits >= 2 && (keywords.of('birth').length > 0 || windows.some(({ text }) => inParentheses.test(text))),
};

const birthAt = new RegExp(birth, 'iuy');

/** A date in digits directly behind the word: {@link dateOfBirth} finds it. */
const inDigits = /^[^\p{L}\d\n]{0,4}(?:\p{L}{1,3}[^\p{L}\d\n]{1,2}){0,2}\d/u;

/** The longest distance from the word for a birth to the end of a date in words, in UTF-16 code units. */
const SPOKEN_WIDTH = 128;

const spokenBirthWord = new RegExp(String.raw`${birth}[^.\n]{0,40}(?:[.?!]? ?\n{1,2}[^\n:]{1,20}: ?[^\n]{0,12})?$`);

/** A date of birth in words, as in transcripts of calls. */
const spokenDateOfBirth: Recognizer = {
  type: 'DATE_OF_BIRTH',
  rule: 'birth.spoken',
  mayMatch: ({ keywords }) => keywords.of('birthWord').length > 0,
  find(text, emit, { keywords }) {
    let done = 0;
    for (const keyword of keywords.of('birthWord')) {
      birthAt.lastIndex = keyword;
      if (keyword < done || !birthAt.test(text) || inDigits.test(text.slice(birthAt.lastIndex, birthAt.lastIndex + 16)))
        continue;
      const part = text.slice(keyword, keyword + SPOKEN_WIDTH).toLowerCase();
      const date = spokenDateIn(part);
      if (date === undefined || !spokenBirthWord.test(contextBefore(text, keyword + date.first, 96))) continue;
      done = keyword + date.end;
      emit(keyword + date.start, done, 0.85);
    }
  },
};

export const datesOfBirth: readonly Recognizer[] = [dateOfBirth, spokenDateOfBirth];
