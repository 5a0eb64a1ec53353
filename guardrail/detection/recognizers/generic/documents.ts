import type { EntityType } from '../../contract.ts';
import { contextWords } from '../../languages/languages.ts';
import { afterKeyword, aroundDigits, contextBefore, contextWidth, digitsOf, type Recognizer } from '../recognizer.ts';

/** The text between a document word and its number: "number is", "no.:", "#", "Nr.", "ist", "est le". */
const filler = String.raw`(?:[\s:#=."'()°º-]|${contextWords('documentFiller')}|n(?=[.°º])){0,12}$`;

const documentWords = (
  [
    ['US_DRIVER_LICENSE', 'driverLicense'],
    ['US_PASSPORT', 'passport'],
    ['US_BANK_NUMBER', 'bankAccount'],
    ['ID', 'documentId'],
  ] as const
).map(([type, purpose]): readonly [EntityType, RegExp] => [type, new RegExp(`(?:${contextWords(purpose)})${filler}`)]);

/** Document numbers have many patterns, so a number needs a document word directly before it. */
const documentNumber = aroundDigits({
  type: 'ID',
  otherTypes: documentWords.map(([type]) => type),
  pattern: /(?<![\p{L}\p{N}_./-])(?:[A-Z]{1,5}[ -]?)?\d(?:[A-Z\d]|[ -](?=[A-Z]{0,4}\d)){3,19}(?![\p{L}\p{N}_]|\.\d)/gu,
  mayMatch: ({ digits }) => digits >= 4,
  score: (value, { text, start }) => {
    const digits = digitsOf(value).length;
    const isShort = digits < 2 || value.replace(/[ -]/g, '').length < 8;
    if ((digits < 5 && isShort) || digits > 17) return 0;
    const context = contextBefore(text, start, 40);
    for (const [type, words] of documentWords) {
      if (words.test(context)) return { score: 0.8, type };
    }
    return 0;
  },
});

const bookingWord = new RegExp(String.raw`(?:${contextWords('booking')})(?:[\s:#=."'()-]|${contextWords('is')}){0,6}$`);

/** A booking code of airlines and railways. It opens the whole journey to anyone who also knows the name. */
const bookingCode = afterKeyword('booking', contextWidth, [
  {
    type: 'ID',
    pattern: /(?<![\p{L}\p{N}_./-])(?=[A-Z]{0,5}\d)(?=\d{0,5}[A-Z])[A-Z\d]{6}(?![\p{L}\p{N}_-])/gu,
    mayMatch: ({ token }) => token >= 6,
    score: (_value, { text, start }) => (bookingWord.test(contextBefore(text, start, 40)) ? 0.8 : 0),
  },
]);

export const documents: readonly Recognizer[] = [documentNumber, bookingCode];
