import type { EntityType } from '../../contract.ts';
import { isDate, numberAt, weightedSum } from '../checksums.ts';
import { filler } from '../label.ts';
import { contextBefore, type Match, type Recognizer } from '../recognizer.ts';

export { numberAt };

/** The identifiers of one country. */
export interface Country {
  /** Identifiers that consist of digits only, in the order in which they are tried. */
  readonly numbers?: readonly NumberId[];
  /** Identifiers with letters. */
  readonly recognizers?: readonly Recognizer[];
  readonly vat?: VatNumber;
}

/** An identifier of digits. Its length, its check digits, and either its notation or a context word decide. */
export interface NumberId {
  readonly type: EntityType;
  readonly lengths: readonly number[];
  readonly valid: (digits: string) => boolean;
  /** A notation that needs no context word. */
  readonly format?: RegExp;
  /** Context words before the number, in lower case. */
  readonly context: RegExp;
}

export interface VatNumber {
  /** Alternatives of a regular expression; they begin with the country code. */
  readonly pattern: string;
  /** Verifies the check digits; undefined if the number has none. */
  readonly valid?: (digits: string) => boolean | undefined;
}

export const lastDigit = (digits: string): number => numberAt(digits, digits.length - 1, digits.length);
export const weightedModulo = (digits: string, weights: readonly number[], modulus: number): number =>
  weightedSum(digits, weights) % modulus;

/** Whether an identifier begins with a date as YYMMDD. Some countries add 20, 40 or 60 to the month. */
export const isYearMonthDay = (digits: string): boolean => isDate(numberAt(digits, 2, 4) % 20, numberAt(digits, 4, 6));
/** Whether an identifier begins with a date as DDMMYY. */
export const isDayMonthYear = (digits: string): boolean => isDate(numberAt(digits, 2, 4), numberAt(digits, 0, 2));

/** The score of a number with wrong check digits directly behind its label. */
export const UNVERIFIED = 0.8;

/** A pattern of the context words directly before a number. */
export const directlyBefore = (words: RegExp): RegExp => new RegExp(`(?:${words.source})${filler}`, 'u');

/** A score function for values that need a context word. */
export const withContext =
  (words: RegExp, score = 0.9) =>
  (_value: string, { text, start }: Match): number =>
    words.test(contextBefore(text, start)) ? score : 0;
