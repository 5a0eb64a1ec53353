import { contextWords } from '../../languages/languages.ts';
import { cardNetworks } from '../../words/brands.ts';
import { luhn, decimalModulo, isOneCharacter } from '../checksums.ts';
import { filler } from '../label.ts';
import { isList, type Part, partsOf } from '../numberRuns.ts';
import {
  afterKeyword,
  anywhere,
  contextAfter,
  contextBefore,
  digitsOf,
  eachNumber,
  type KeywordPattern,
  type Recognizer,
} from '../recognizer.ts';

/** Issuer prefixes and lengths. Source: ISO/IEC 7812 and the published ranges of the card networks. */
const issuers =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d{2}|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-59]|[689]\d)\d{11,16}|6(?:011|5\d{2}|4[4-9]\d)\d{12,15}|(?:2131|1800)\d{11}|35(?:2[89]|[3-8]\d)\d{12,15}|62\d{14,17}|(?:5[0678]|6[37])\d{10,17}|220[0-4]\d{12}|2\d{15})$/;

/** Any number with the length of a card number. It needs a context word. */
const anyIssuer = /^\d{12,19}$/;

const cardContext = new RegExp(String.raw`\bcc\b|${cardNetworks}|${contextWords('card')}`);

/** The issuers with the most cards. Four groups of four digits in a row of numbers are most likely one of these cards. */
const commonIssuers =
  /^(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d{2}|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-59]|[689]\d)\d{11}|6(?:011|5\d{2}|4[4-9]\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12,15}|62\d{14,17})$/;

/** Digits per group on cards, or of a card number without spaces. */
const groups = /^(?:4 4 4 4|4 6 5|4 6 4|4 4 4 4 3|1[3-9])$/;

/** A longer run is a table. Four of its columns are a card only if all columns before them are cards. */
const longestList = 64;
/** Length of a card number in four groups of four, with the space after it. */
const spacedCard = 20;

/** The digits of a card number, and the fewest digits of a group in it. */
export const cardSizes = { least: 13, most: 19, word: 3 };

const cardRun = /(?<![\p{L}\p{N}_]|\d[.-])\d(?:[ -]?\d){11,}(?![\p{L}\p{N}_]|\.\d)/gu;

const isCard = (digits: string, known: RegExp): boolean =>
  known.test(digits) && !isOneCharacter(digits) && luhn(digits);

/** Whether a part of a run is a card number. */
function isCardIn(run: string, { start, end, words }: Part): boolean {
  if (!groups.test(words.join(' '))) return false;
  const isOne = words.length === 1;
  if (!isOne && run.length > longestList && start % spacedCard !== 0) return false;
  return isCard(digitsOf(run.slice(start, end)), isOne ? issuers : commonIssuers);
}

const cardLabel = new RegExp(String.raw`(?:\bcc\b|\bpan\b|${cardNetworks}|${contextWords('card')})${filler}`, 'u');
/** Card data behind a number: a date of expiration, a verification code. */
const cardData = new RegExp(
  String.raw`^[^\p{L}\d\n]{1,4}(?:${contextWords('cardExpiry')}|cvv2?|cvc2?|cv2|${contextWords('cardCode')})(?!\p{L})`,
  'u',
);

/** Whether a run with wrong check digits is a card number: it has the groups of one, and stands between words for a card. */
const isMistypedCard = (run: string, text: string, start: number): boolean =>
  groupedCard.test(run) &&
  (cardLabel.test(contextBefore(text, start)) || cardData.test(contextAfter(text, start + run.length)));
const groupedCard = /^[2-6]\d{3}(?:([ -])\d{4}\1\d{4}\1\d{4}|([ -])\d{6}\2\d{5})$|^[3-6]\d{15}$/;

/** Card numbers, alone or in a list with other numbers. */
const card: Recognizer = {
  type: 'CREDIT_CARD',
  rule: 'card',
  otherRules: ['card.label'],
  needsDigit: true,
  mayMatch: (stats) => stats.digits >= 12,
  find(text, emit, stats) {
    eachNumber(
      cardRun,
      stats,
      (numbers) => numbers.digits >= 12,
      ({ 0: run, index }, offset) => {
        const start = offset + index;
        const digits = run.length < 40 ? digitsOf(run) : '';
        const hasContext = (at: number): boolean => cardContext.test(contextBefore(text, at));
        if (isCard(digits, issuers)) {
          emit(start, start + run.length, hasContext(start) ? 1 : 0.9);
          return;
        }
        const parts = isList(run) ? partsOf(run, cardSizes).filter((part) => isCardIn(run, part)) : [];
        for (const part of parts) {
          emit(start + part.start, start + part.end, hasContext(start + part.start) ? 1 : 0.9);
        }
        if (parts.length > 0 || !anyIssuer.test(digits) || isOneCharacter(digits)) return;
        const isLabelled = luhn(digits) ? hasContext(start) : isMistypedCard(run, text, start);
        if (isLabelled) emit(start, start + run.length, 0.8, 'CREDIT_CARD', 'card.label');
      },
    );
  },
};

/** IBAN lengths by country. Source: SWIFT IBAN registry, release 99. */
const lengths = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
    'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 ' +
    'RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

// The letters are checked before what stands in front of them, because that takes longer.
const ibanStart =
  /(?=[A-Za-z]{2}[ -]?\d)(?:(?<![\p{L}\p{N}])[A-Za-z]{2}|(?<=\p{Ll})[A-Z]{2})[ -]?\d{2}(?=[ -]?[A-Za-z0-9])/gu;

/** The country code determines the length, so the text after an IBAN does not matter. */
const iban: Recognizer = {
  type: 'IBAN_CODE',
  rule: 'iban',
  otherRules: ['iban.label'],
  needsDigit: true,
  mayMatch: (stats) => stats.digits >= 6,
  find(text, emit, stats) {
    eachNumber(
      ibanStart,
      stats,
      ({ digits }) => digits >= 2,
      (match, offset) => {
        const start = offset + match.index;
        const length = lengths.get(match[0].slice(0, 2).toUpperCase());
        if (length === undefined) return;
        let compact = '';
        let end = start;
        for (; end < text.length && compact.length < length; end++) {
          const character = text.charAt(end);
          if (/[a-z0-9]/i.test(character)) compact += character;
          else if (!/[ \u00a0-]/.test(character) || !/[a-z0-9]/i.test(text.charAt(end + 1))) break;
        }
        if (compact.length < length || /[\p{Lu}\p{N}]/u.test(text.charAt(end))) return;
        // Without a space, a word in small letters goes on behind the number, and the number itself has none.
        if (/\p{Ll}/u.test(text.charAt(end)) && /[a-z]/.test(compact)) return;
        const checks = decimalModulo((compact.slice(4) + compact.slice(0, 4)).toUpperCase(), 97) === 1;
        if (checks) emit(start, end, 1);
        else if (contextBefore(text, start).includes('iban') && /\d{6}/.test(compact))
          emit(start, end, 0.7, 'IBAN_CODE', 'iban.label');
      },
    );
  },
};

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Whether two capitals are the code of a country. The fifth and sixth letters of a BIC are: ISO 9362. */
const isCountry = (code: string): boolean => regions.of(code) !== undefined;

const swift = anywhere({
  type: 'SWIFT_CODE',
  rule: 'swift',
  pattern: /(?<![\p{L}\p{N}])[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?![\p{L}\p{N}])/gu,
  mayMatch: ({ keywords }) => keywords.of('bank').length > 0,
  score: (value, { text, start }) =>
    isCountry(value.slice(4, 6)) && /\b(?:swift|bic)\b[^\n]{0,16}$/.test(contextBefore(text, start, 28)) ? 0.85 : 0,
});

const codeWord = new RegExp(
  String.raw`\b(?:cvv2?|cvc2?|cv2|csc|${contextWords('cardCode')})(?:\b|(?<=\.))["']?\s{0,2}(?:${contextWords('is')}|[:=(#])?\s{0,2}["']?$|\d ?[/-] ?\d{2,4}[^\p{L}\d\n]{1,4}(?:${contextWords('cardCodeAfterDate')})["']?[.:=]?\s{0,2}$`,
  'u',
);

/** The verification code of a card, directly after a word for it. */
const verificationCode: KeywordPattern = {
  type: 'CVV',
  rule: 'card.code',
  pattern: /(?<![\p{L}\p{N}_.,-])\d{3,4}(?![\p{L}\p{N}_-]|[.,:/]\d)/gu,
  mayMatch: ({ solid }) => solid >= 3,
  needsDigit: true,
  score: (_value, { text, start }) => (codeWord.test(contextBefore(text, start)) ? 0.85 : 0),
};

const expiryWord = new RegExp(
  String.raw`\b(?:${contextWords('cardExpiry')})(?:\b|(?<=\.))[^\p{L}\n]{0,4}(?:${contextWords('date')})?[^\p{L}\n]{0,4}$`,
  'u',
);

/** The expiration date of a card. It is personal only near a word for a card or a card number. */
const expiration: KeywordPattern = {
  type: 'CREDIT_CARD_EXPIRATION',
  rule: 'card.expiry',
  pattern:
    /(?<![\p{L}\p{N}_.,/-])(?:(?:0?[1-9]|1[0-2]) ?[/-] ?(?:20)?\d{2}|20\d{2}[/-](?:0[1-9]|1[0-2]))(?![\p{L}\p{N}_]|[.,:/-]\d)/gu,
  mayMatch: ({ digits }) => digits >= 3,
  needsDigit: true,
  score: (_value, { text, start }) => {
    const context = contextBefore(text, start, 64);
    return expiryWord.test(context) && (cardContext.test(context) || /\d(?:[ -]?\d){11}/.test(context)) ? 0.8 : 0;
  },
};

const cardDetails = afterKeyword('card', 64, [verificationCode, expiration]);

export const finance: readonly Recognizer[] = [card, iban, swift, cardDetails];
