import type { EntityType } from '../../contract.ts';
import { languages } from '../../languages/languages.ts';
import { smallWords } from '../../languages/smallWords.ts';
import { luhn } from '../checksums.ts';
import { contextBefore, digitsOf, type Emit, type Recognizer } from '../recognizer.ts';
import { cardSizes } from './finance.ts';
import { mostPhoneDigits, phoneWord } from './phone.ts';

/** A digit, or how often the digit behind the word is meant. */
type Meaning = { readonly digit: string } | { readonly times: number };

/** What the words of numbers mean, in lower case. */
const meanings = new Map<string, Meaning>([
  ...languages.flatMap(({ digitWords = [] }) =>
    digitWords.flatMap((words, digit) => words.split('|').map((word) => [word, { digit: String(digit) }] as const)),
  ),
  ...smallWords('twice')
    .split('|')
    .map((word) => [word, { times: 2 }] as const),
  ...smallWords('thrice')
    .split('|')
    .map((word) => [word, { times: 3 }] as const),
]);

const anyWord = /[\p{L}\p{M}]{1,24}/gu;
/** What may stand between two digits: pauses are written as commas, full stops or dashes. */
const between = /^(?:[ -]|,|[,.…;] ?|\.{3} ?| [-–—] )$/;

/** Shorter numbers are counts, times and years. */
const FEWEST = 7;
/** Longer numbers are read in parts. */
const MOST_WORDS = 64;
/** How far the first word of a number may stand before its first keyword, in UTF-16 code units. */
const BEFORE = 24;
/** The length of the longest word with the pause behind it. */
const LONGEST = 12;
/** How far behind the words the same number may stand in digits. */
const ECHO = 64;
const echo = /(?<![\p{L}\p{N}])\d[\d ().-]{4,24}\d(?![\p{L}\p{N}])/gu;

interface Spoken {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
}

/**
 * Numbers of which each digit is a word, as in transcripts of calls: "five five five, zero one four three". And the same
 * number behind them in digits, as speakers are asked to confirm it.
 */
export const spokenNumbers: Recognizer = {
  type: 'PHONE_NUMBER',
  rule: 'spokenNumber',
  otherRules: ['spokenNumber.digits'],
  otherTypes: ['CREDIT_CARD', 'ID'],
  mayMatch: ({ keywords }) => keywords.of('spokenDigit').length > 1,
  find(text, emit, { keywords }) {
    let done = 0;
    for (const keyword of keywords.of('spokenDigit')) {
      if (keyword < done) continue;
      const spoken = spokenAt(text, wordStart(text, Math.max(done, keyword - BEFORE), keyword), keyword);
      done = Math.max(keyword + 1, spoken.end);
      if (spoken.digits.length >= FEWEST && !isCount(spoken.digits)) emitAll(spoken, text, emit);
    }
  },
};

/** The first position from `from` on, up to `to`, that is not within a word. */
function wordStart(text: string, from: number, to: number): number {
  let at = from;
  while (at > 0 && at < to && letter.test(text.charAt(at - 1))) at++;
  return at;
}
const letter = /[\p{L}\p{M}]/u;

/**
 * Reads the digits in words around a position.
 * @param from where to begin, `at` the position.
 */
function spokenAt(text: string, from: number, at: number): Spoken {
  const part = text.slice(from, at + MOST_WORDS * LONGEST);
  let [start, end, digits, times] = [at, at, '', 1];
  anyWord.lastIndex = 0;
  for (let match = anyWord.exec(part); match; match = anyWord.exec(part)) {
    const { 0: written, index } = match;
    const begin = from + index;
    const meaning = written.length < LONGEST ? meanings.get(written.toLowerCase()) : undefined;
    const hasBegun = digits !== '' || times > 1;
    if (!meaning || !hasBegun || !between.test(text.slice(end, begin))) {
      if (begin > at) break;
      [start, digits, times] = [begin, '', 1];
      if (!meaning) continue;
    }
    if ('digit' in meaning) digits += meaning.digit.repeat(times);
    times = 'times' in meaning ? meaning.times : 1;
    end = begin + written.length;
  }
  return { start, end: Math.max(end, at), digits };
}

/** Whether the digits count up by one, count down by one, or are all the same. */
function isCount(digits: string): boolean {
  const steps = new Set(
    Array.from(digits)
      .slice(1)
      .map((digit, at) => Number(digit) - Number(digits.charAt(at))),
  );
  return steps.size === 1;
}

function emitAll({ start, end, digits }: Spoken, text: string, emit: Emit): void {
  const type = typeOf(digits, text, start);
  emit(start, end, SURE, type);
  for (const { 0: value, index } of text.slice(end, end + ECHO).matchAll(echo)) {
    if (digitsOf(value) === digits) emit(end + index, end + index + value.length, SURE, type, 'spokenNumber.digits');
  }
}

const SURE = 0.8;

function typeOf(digits: string, text: string, start: number): EntityType {
  if (digits.length >= cardSizes.least && digits.length <= cardSizes.most && luhn(digits)) return 'CREDIT_CARD';
  return digits.length <= mostPhoneDigits && phoneWord.test(contextBefore(text, start)) ? 'PHONE_NUMBER' : 'ID';
}
