import { createRequire } from 'node:module';
import type * as numberingPlans from 'libphonenumber-js/min';
import type { RuleId } from '../../contract.ts';
import { isOneCharacter } from '../checksums.ts';
import type { PlanCountry } from '../../languages/language.ts';
import { contextWords, phonePlans, type PhonePlans } from '../../languages/languages.ts';
import { isList } from '../numberRuns.ts';
import {
  contextAfter,
  contextBefore,
  digitsOf,
  eachMatch,
  eachNumber,
  type Emit,
  type Recognizer,
} from '../recognizer.ts';
import { isDigit, type DigitStats } from '../textStats.ts';

/** Words before a phone number. */
export const phoneWord = new RegExp(
  String.raw`(?:${contextWords('phone')})[^\n]{0,36}$|(?:${contextWords('phoneLabelAbove')})[^\p{L}\n]{0,6}\n[^\p{L}\n]{0,4}$`,
  'u',
);
const otherNumberWord = new RegExp(
  String.raw`(?:${contextWords('otherNumber')})\W{0,3}(?:n(?:umber|um|o|r)?\b)?[\s.:#=("'-]{0,5}(?:is )?$`,
);
/** The label of a phone number directly before it. */
const label = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${contextWords('phoneHeader')})\.?["']?\s?[:=]\s{0,4}["']?$`,
  'u',
);
const labelAfter = new RegExp(String.raw`^\s{0,2}[-(/]?\s{0,2}(?:${contextWords('phoneLabelAfter')})`);

type Validator = Pick<typeof numberingPlans, 'isValidPhoneNumber'>;
let validator: Validator | undefined;
/** Loads the numbering plans at first use. Loading them takes as long as loading the rest of the detector. */
const metadata = (): Validator => (validator ??= createRequire(import.meta.url)('libphonenumber-js/min') as Validator);

/** Groups of digits, as in national numbers that do not begin with a zero. */
const grouped = /^\d{2,4}([ .-])\d{2,4}(?:\1\d{2,4}){1,3}$/;

/** Patterns that only phone numbers have. */
const unmistakable =
  /^(?:\(?\+\d|00[1-9]\d)|^\(\d{2,5}\)[ -]?\d|^\(?[2-9]\d{2}\)?[-. ][2-9]\d{2}[-. ]\d{4}(?!\d)|^1[-. ]\(?[2-9]\d{2}\)?[-. ]\d{3}[-. ]\d{4}|^0[1-9](?:([ .-])\d{2})(?:\1\d{2}){3}$|\(0\)|^\d{3}-\d{3}-\d{4}(?:\s?x|$)|^\d{3}\.\d{3}\.\d{4}(?:\s?x|$)|^[679]\d{2} \d{2} \d{2} \d{2}$/;

/** Letters of scripts without spaces between words: a number follows them directly. */
const unspaced = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}';
const letter = `[\\p{L}--[${unspaced}]]`;

const extensionWord = `(?:${contextWords('phoneExtension')})`;
const extension = String.raw`(?: ?${extensionWord} ?\d{1,6})?`;
/** What {@link extensionAtEnd} can begin with. */
const mayHaveExtension = /\p{L}/u;
const extensionAtEnd = new RegExp(String.raw` ?${extensionWord}[^\d]*\d+$`, 'i');

/**
 * Offsets from UTC: `+0100` in RFC 5322, git and web servers, `+01:00` and `+01` in ISO 8601, `GMT+2` in prose. No country
 * code begins with a zero. Other offsets need a time before them.
 */
const utcOffset = [
  String.raw`(?<![\p{L}_].)(?:0000|0[1-9](?:00|15|30|45))(?!\d)`,
  String.raw`(?<=(?::\d\d(?:[.,]\d{1,9})? ?|:\d\d \d{4} |(?<!\d)\d{10} ).)(?:1[0-4]:?(?:00|30|45)|0\d:[0-5]\d|[01]\d)(?!\d)`,
  String.raw`(?<=\b(?:GMT|UTC) ?.)\d{1,2}(?::?\d{2})?(?!\d)`,
].join('|');

/** Excludes phone numbers that begin with the milliseconds of a time in a log. */
const noMilliseconds = String.raw`(?!(?<=:\d\d,)\d{3}(?![\d\-.]))`;

/** A `-` that begins a line, as the removed lines of a diff have it. */
const removedLine = String.raw`(?<=(?:^|\n)-)`;

const phone = `(?=[+\\(\\d])(?:(?<!${letter}|[\\p{N}_\\/%#&$€£]|\\d[.:\\-]|[.\\-][\\p{L}\\d_]?)|${removedLine})${noMilliseconds}(?:\\+ ?|\\((?=[^\\(\\)]{1,8}\\))\\+?)?\\d(?:[ \\u00a0.\\-\\/\\(\\)]{0,3}\\d){5,16}${extension}(?!${letter}|[\\p{N}_%€$]|[.:]\\d|-\\d)(?<!\\(\\d{1,5})`;

/** Matches offsets from UTC, too, so that no phone number begins inside one. */
const candidate = new RegExp(`[+\\-\u2212](?:${utcOffset})|${phone}`, 'gv');

/** A number directly behind a word, whose form shows where it begins and ends: "tel415-555-0142". */
const glued = /(?<=\p{Ll})(?:\+\d{8,15}|(?:1[-.])?[2-9]\d{2}([-.])\d{3}\1\d{4})(?![\p{Lu}\p{N}_]|[-.]\d)/gu;

/** Complete phone numbers in a row of other numbers. */
const complete =
  /(?<=[ \u00a0])(?:(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}([-.]))\d{3}(?:-|\1)\d{4}|\(\d{2,5}\) ?\d[\d -]{3,})(?![\d.-])/g;

/** E.164 allows no more. */
export const mostPhoneDigits = 15;
const isLong = ({ digits }: DigitStats): boolean => digits >= 6;

/**
 * Phone numbers. International and unmistakable national patterns need no context. Other numbers need a context word, or a
 * national pattern that is valid in a numbering plan: a plan that is always checked, or one of an expected language.
 */
export function phones(languages: readonly string[] = []): readonly Recognizer[] {
  const plans = phonePlans(languages);
  return [
    {
      type: 'PHONE_NUMBER',
      rule: 'phone.form',
      otherRules: ['phone.label', 'phone.plan', 'phone.list'],
      needsDigit: true,
      mayMatch: isLong,
      find(text, emit, stats) {
        eachNumber(candidate, stats, isLong, ({ 0: run, index }, windowStart) => {
          findInRun(run, windowStart + index, text, plans, emit);
        });
        eachNumber(glued, stats, isLong, ({ 0: number, index }, windowStart) => {
          const start = windowStart + index;
          if (new Before(text, start).hasPhoneWord)
            emit(start, start + number.length, 0.75, 'PHONE_NUMBER', 'phone.label');
        });
      },
    },
  ];
}

function findInRun(run: string, from: number, text: string, plans: PhonePlans, emit: Emit): void {
  const before = new Before(text, from);
  const scored = scoreOf(run, before, plans);
  if (scored) {
    emit(from, from + run.length, scored.score, 'PHONE_NUMBER', scored.rule);
    return;
  }
  // A run of numbers can begin with a phone number, or contain some.
  if (digitsOf(run).length > mostPhoneDigits) {
    const beginning = beginningsOf(run)
      .map((end) => ({ end, scored: scoreOf(run.slice(0, end), before, plans) }))
      .find(({ scored }) => scored);
    if (beginning?.scored)
      emit(from, from + beginning.end, beginning.scored.score, 'PHONE_NUMBER', beginning.scored.rule);
  }
  if (!isList(run)) return;
  eachMatch(complete, run, ({ 0: value, index: at }) => {
    emit(from + at, from + at + value.length, 0.7, 'PHONE_NUMBER', 'phone.list');
  });
}

/** The text before a run. All numbers that begin with the run share what is found there. */
class Before {
  readonly text: string;
  readonly start: number;
  private context: string | undefined;
  private isPhone: boolean | undefined;
  private isOther: boolean | undefined;

  constructor(text: string, start: number) {
    this.text = text;
    this.start = start;
  }

  /** Whether a word for a phone number stands before the run. */
  get hasPhoneWord(): boolean {
    return (this.isPhone ??= phoneWord.test(this.words));
  }

  /** Whether a word for another number stands before the run. */
  get hasOtherWord(): boolean {
    return (this.isOther ??= otherNumberWord.test(this.words));
  }

  /** Whether the label of a phone number stands directly before the run. */
  get hasLabel(): boolean {
    return label.test(this.words);
  }

  private get words(): string {
    return (this.context ??= contextBefore(this.text, this.start));
  }
}

interface Scored {
  readonly score: number;
  readonly rule: RuleId;
}

const scored = (score: number, rule: RuleId): Scored => ({ score, rule });

/** @returns undefined if the value is no phone number */
function scoreOf(value: string, before: Before, { withZero, withoutZero }: PhonePlans): Scored | undefined {
  const { text, start } = before;
  const end = start + value.length;
  const body = mayHaveExtension.test(value) ? value.replace(extensionAtEnd, '') : value;
  const digits = digitsOf(body);
  if (digits.length < 6 || digits.length > mostPhoneDigits || isOtherNumber(body, digits)) return undefined;
  if (isAmount(body, digits) && !before.hasLabel) return undefined;
  const isAfterComma = text.charAt(start - 1) === ',' && isDigit(text.charCodeAt(start - 2));
  const isBeforeComma = text.charAt(end) === ',' && isDigit(text.charCodeAt(end + 1));
  if (isDecimal(body, isAfterComma, isBeforeComma)) return undefined;
  if (before.hasOtherWord || isZip(value, text, start)) return undefined;
  // Without a label, a value of a parameter or a variable is a phone number only in the international form.
  if (text.charAt(start - 1) === '=' && !before.hasLabel && !isInternational(body, digits)) return undefined;
  const hasContext = before.hasPhoneWord || labelAfter.test(contextAfter(text, end));
  if (unmistakable.test(body) && digits.length >= 7)
    return scored(hasContext ? 0.95 : /^\(?\+/.test(body) ? 0.85 : 0.7, 'phone.form');
  if (hasContext) return scored(digits.length >= 7 || /[ \-./]/.test(body) ? 0.75 : 0.4, 'phone.label');
  const isValidIn = (country: PlanCountry): boolean => metadata().isValidPhoneNumber(body, country);
  if (isAfterComma || isBeforeComma) return undefined;
  if (!body.startsWith('0')) {
    return withoutZero.length > 0 && grouped.test(body) && withoutZero.some(isValidIn)
      ? scored(0.6, 'phone.plan')
      : undefined;
  }
  // Without a context word, single digits are a row of a table.
  const isRow = /\b\d \d \d\b/.test(body);
  if (digits.length < 9 || !/[ ./-]/.test(body) || isRow) return undefined;
  return isGerman(body, digits) || withZero.some(isValidIn) ? scored(0.6, 'phone.plan') : undefined;
}

/**
 * Whether a number of 9 to 15 digits is valid in the plan of Germany, which is always checked. It has nearly all numbers that
 * begin with a single zero, and to ask the library takes a hundred times as long.
 */
export const isGerman = (body: string, digits: string): boolean =>
  /^0(?:[1-35-9]|4[0-8])/.test(digits) && /^[\d \u00a0./()-]+$/.test(body);

/** Whether a number has the sign of a country code and as many digits as one with it. */
const isInternational = (body: string, digits: string): boolean => body.startsWith('+') && digits.length >= 10;

/** The offsets at which words of a run end, the last one first. */
const beginningsOf = (run: string): number[] =>
  Array.from(run.matchAll(/\d(?=[ \u00a0])/g), ({ index }) => index + 1).reverse();

/** Whether a number next to a comma is more likely a part of a decimal number than an entry of a list. */
function isDecimal(body: string, isBehindComma: boolean, isBeforeComma: boolean): boolean {
  if (isBeforeComma && /^\d{1,3}(?:[ .]\d{3})+$/.test(body)) return true;
  if (isBehindComma && isBeforeComma && /^\d+ \d{1,3}$/.test(body)) return true;
  return (isBehindComma || isBeforeComma) && /^\d{1,8}$/.test(body);
}

/** Whether the value is a ZIP code of nine digits after its state, as in Boston, MA 02110-1301. */
const isZip = (value: string, text: string, start: number): boolean =>
  /^\d{5}-\d{4}$/.test(value) && /(?<![A-Z])[A-Z]{2},?\s{1,3}$/.test(text.slice(Math.max(0, start - 7), start));

/** Whether the digits are grouped like those of a large number. */
const isAmount = (value: string, digits: string): boolean =>
  digits.length < 9 && /^[1-9]\d{0,2}(?:[ .]\d{3}){2,}$/.test(value);

/** Dates, times, decimal numbers, years, ranges, and other numbers that are written like a phone number. */
const otherNumber = new RegExp(
  [
    String.raw`^(?:19|20)\d{2}[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])\b`,
    // A year of two digits must end the value: 06 12 34 56 78 is not the 6th of December.
    String.raw`^(?:0?[1-9]|[12]\d|3[01])(?<mark>[-./ ])(?:0?[1-9]|1[0-2])\k<mark>(?:(?:19|20)\d{2}\b|\d{2}$)`,
    String.raw`^(?:0?[1-9]|1[0-2])(?<slash>[-./])(?:0?[1-9]|[12]\d|3[01])\k<slash>(?:19|20)\d{2}\b`,
    // A version and its date, as in 0.6.3 / 2022-01-22.
    String.raw`[^\d-](?:19|20)\d{2}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])$`,
    String.raw`^(?:19|20)\d{2}\s?[-/]\s?(?:19|20)?\d{2}$`,
    String.raw`^\d+\.\d+$`,
    String.raw`^(?:19|20)\d{6}$`,
    String.raw`^(?:\d{1,3}\.){3}\d{1,3}$`,
    String.raw`^\d{3}-\d{2}-\d{4}$`,
  ].join('|'),
);

/** Whether the value is another number, that of a book, or one repeated digit. */
const isOtherNumber = (value: string, digits: string): boolean =>
  otherNumber.test(value) || (digits.length === 13 && /^97[89]/.test(digits)) || isOneCharacter(digits);
