import type { EntityType } from '../../contract.ts';
import { english } from '../../languages/en/en.ts';
import { contextWords } from '../../languages/languages.ts';
import { smallWords } from '../../languages/smallWords.ts';
import { filler } from '../label.ts';
import {
  afterKeyword,
  contextAfter,
  contextBefore,
  contextWidth,
  digitsOf,
  eachNumber,
  type Emit,
  type Recognizer,
} from '../recognizer.ts';
import type { DigitStats, DigitWindow } from '../textStats.ts';

const documentTypes = [
  ['US_DRIVER_LICENSE', 'driverLicense'],
  ['US_PASSPORT', 'passport'],
  ['US_BANK_NUMBER', 'bankAccount'],
  ['ID', 'documentId'],
] as const satisfies readonly (readonly [EntityType, string])[];

/** One group for the words of each type. */
const documentWord = new RegExp(
  `(?:${documentTypes.map(([, purpose]) => `(${contextWords(purpose)})`).join('|')})${filler}`,
);

/** Documents of the United States: their words in English, and the form of their numbers. Other documents are an ID. */
const american: Partial<Record<EntityType, { readonly word: RegExp; readonly form: RegExp }>> = {
  US_DRIVER_LICENSE: { word: englishWord('driverLicense'), form: /^[A-Z]{0,2}\d{4,14}$/ },
  US_PASSPORT: { word: englishWord('passport'), form: /^(?:\d{9}|[A-Z]\d{8})$/ },
  US_BANK_NUMBER: { word: new RegExp(`^(?:${smallWords('americanAccount')})`), form: /^\d{4,17}$/ },
};

function englishWord(purpose: 'driverLicense' | 'passport'): RegExp {
  return new RegExp(`^(?:${english.context?.[purpose] ?? ''})$`);
}

/** Whether a number behind a word is one of a document of this type. */
function isOfType(type: EntityType, word: string, value: string): boolean {
  const document = american[type];
  return document === undefined || (document.word.test(word) && document.form.test(value.replace(/[ -]/g, '')));
}

/** A sign for "number". Some words behind a document word, it has the name of the company before it. */
const numberSign = /,?\s(?:nr\.?|n[o°º]\.|n[°º]|num\.|numero?|#)[\s:]{0,2}$/;
const documentBeforeName = new RegExp(String.raw`(?:${contextWords('documentId')})(?:,? [^\s,;:]{1,20}){0,3}$`);

const NUMBER = String.raw`(?:[A-Z]{1,5}[ /-]?|[a-z](?=\d{6}))?\d(?:[A-Z\d]|[ -](?=[A-Z]{0,4}\d)|-(?=[A-Z]{1,4}(?:-\d|(?![\p{L}\p{N}_-])))|[./](?=\d)|/(?=[A-Z]{1,3}(?:\d|(?![\p{L}\d])))){3,23}(?: (?=[B-HJ-Z](?![\p{L}\d.'’]))[A-Z])?(?![\p{L}\p{N}_]|\.\d)`;
const number = new RegExp(String.raw`(?=[A-Z\d]|[a-z]\d{6})(?<![\p{L}\p{N}_./-])${NUMBER}`, 'gu');
/** The next number of a list. */
const nextNumber = new RegExp(String.raw`(?:, ?|,? (?:${contextWords('and')}) )(${NUMBER})`, 'uy');
/** An acronym before the number, which the pattern of the number includes. */
const acronym = /^[A-Z]{1,5} /;

/** Dates, amounts of money and versions. */
const notADocument =
  /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$|^\d{1,2}[./]\d{4}$|^\d{1,3}(?:\.\d{3})+$|^(?:\d{1,3}\.){2,}\d{1,3}$|^\d+\.\d{1,2}$/;

/** How a number is composed: its letters and its separators as they are, its digits as `0`. */
const shapeOf = (value: string): string => value.replace(/\d/g, '0');

const hasNumber = ({ digits }: DigitStats): boolean => digits >= 4;

/** The type of a number behind a document word; undefined if no such word is before it. */
function typeAt(value: string, text: string, start: number): EntityType | undefined {
  const digits = digitsOf(value).length;
  const isShort = digits < 2 || value.replace(/[ -]/g, '').length < 8;
  const isFour = /^\d{4}$/.test(value) && !/^(?:19|20)/.test(value);
  if ((digits < 5 && isShort && !isFour) || digits > 20 || notADocument.test(value)) return undefined;
  const end = start + value.length;
  const isAmount = /^[\d.]+$/.test(value) && /^(?:,\d{1,2}(?!\d)| ?[€$£%])/.test(contextAfter(text, end, 4));
  if (isAmount) return undefined;
  const context = contextBefore(text, start, 40);
  if (isFour) return badge.test(context) ? 'ID' : undefined;
  const words = documentWord.exec(context);
  if (words !== null) {
    const at = documentTypes.findIndex((_, index) => words[index + 1] !== undefined);
    const type = documentTypes[at]?.[0] ?? 'ID';
    return isOfType(type, words[at + 1] ?? '', value) ? type : 'ID';
  }
  const sign = digits < 6 ? null : numberSign.exec(context);
  if (sign === null) return undefined;
  return documentBeforeName.test(context.slice(0, sign.index)) ? 'ID' : undefined;
}
/** Words before a number of four digits that identifies a person. */
const badge = new RegExp(`(?:${contextWords('badge')})${filler}`);

/** Document numbers have many patterns, so a number needs a document word before it, or before the list that contains it. */
const documentNumber: Recognizer = {
  type: 'ID',
  rule: 'document',
  otherRules: ['document.list'],
  otherTypes: documentTypes.map(([type]) => type),
  needsDigit: true,
  mayMatch: (stats) => hasNumber(stats) && stats.keywords.of('document').length > 0,
  find(text, emit, stats) {
    const mayHaveDocument = (window: DigitWindow): boolean =>
      hasNumber(window) &&
      stats.keywords.occursBetween('document', window.start - contextWidth, window.start + window.text.length);
    eachNumber(number, stats, mayHaveDocument, ({ 0: whole, index }, windowStart) => {
      const from = windowStart + index;
      const prefix = acronym.exec(whole)?.[0].length ?? 0;
      if (!stats.keywords.occursBetween('document', from - contextWidth, from + prefix)) return;
      for (const skipped of prefix > 0 ? [0, prefix] : [0]) {
        const value = whole.slice(skipped);
        const start = from + skipped;
        const type = typeAt(value, text, start);
        if (type === undefined) continue;
        emit(start, start + value.length, 0.8, type);
        emitList(text, start + value.length, shapeOf(value), type, emit);
        return;
      }
    });
  },
};

/** Emits the numbers of the same shape that follow a number. */
function emitList(text: string, from: number, shape: string, type: EntityType, emit: Emit): void {
  nextNumber.lastIndex = from;
  for (let match = nextNumber.exec(text); match; match = nextNumber.exec(text)) {
    const [, value = ''] = match;
    if (shapeOf(value) !== shape) return;
    emit(nextNumber.lastIndex - value.length, nextNumber.lastIndex, 0.8, type, 'document.list');
  }
}

const bookingWord = new RegExp(String.raw`(?:${contextWords('booking')})(?:[\s:#=."'()-]|${contextWords('is')}){0,6}$`);

/** A booking code of airlines and railways. It opens the whole journey to anyone who also knows the name. */
const bookingCode = afterKeyword('booking', contextWidth, [
  {
    type: 'ID',
    rule: 'document.booking',
    pattern: /(?<![\p{L}\p{N}_./-])(?=[A-Z]{0,5}\d)(?=\d{0,5}[A-Z])[A-Z\d]{6}(?![\p{L}\p{N}_-])/gu,
    mayMatch: ({ token }) => token >= 6,
    needsDigit: true,
    score: (_value, { text, start }) => (bookingWord.test(contextBefore(text, start, 40)) ? 0.8 : 0),
  },
]);

export const documents: readonly Recognizer[] = [documentNumber, bookingCode];
