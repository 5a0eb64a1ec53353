/** Identifiers with letters, one recognizer each: their form, and their check character or the label that they need. */
import { weightedSum } from '../checksums.ts';
import { filler } from '../label.ts';
import { aroundDigits, contextBefore, digitsOf, type DigitRecognizer, type Match } from '../recognizer.ts';
import { isDayMonthYear } from './numbers.ts';

/** The score of a number with wrong check digits directly behind its label. */
export const UNVERIFIED = 0.8;

/** A pattern of the context words directly before a number. */
export const directlyBefore = (words: RegExp): RegExp => new RegExp(`(?:${words.source})${filler}`, 'u');

/** A score function for values that need a context word. */
const withContext =
  (words: RegExp, score = 0.9, otherwise = 0) =>
  (_value: string, { text, start }: Match): number =>
    words.test(contextBefore(text, start)) ? score : otherwise;

/** The last letter of a Spanish number, which may be wrong directly behind its label. */
const spanish =
  (numberOf: (value: string) => number) =>
  (value: string, { text, start }: Match): number => {
    const letter = 'TRWAGMYFPDXBNJZSQVHLCKE'.charAt(numberOf(value) % 23);
    if (letter === value.slice(-1).toUpperCase()) return 0.9;
    return spanishLabel.test(contextBefore(text, start)) ? UNVERIFIED : 0;
  };
const spanishLabel = directlyBefore(/\b(?:dni|nif|nie|d\.n\.i|n\.i\.[ef])\b/);

const nino = /national insurance|\bni(?:no)?\b|insurance n/;
const ninoLabel = directlyBefore(nino);
/** The prefixes that are given out: National Insurance Manual, NIM39110. */
const ninoPrefix = /^(?!bg|gb|kn|nk|nt|tn|zz)[a-ceghj-pr-tw-z][a-ceghj-npr-tw-z]/i;

function ninoScore(value: string, { text, start }: Match): number {
  const before = contextBefore(text, start);
  if (!ninoPrefix.test(value)) return ninoLabel.test(before) ? UNVERIFIED : 0;
  return nino.test(before) ? 0.98 : value === value.toUpperCase() ? 0.8 : 0;
}

/** Verifies the check character of an Italian fiscal code. Source of the table: Ministerial Decree of 23.12.1976. */
function italian(code: string): boolean {
  const odd = '1 0 5 7 9 13 15 17 19 21 2 4 18 20 11 3 6 8 12 14 16 10 22 25 24 23'.split(' ').map(Number);
  let total = 0;
  for (let at = 0; at < 15; at++) {
    const value = parseInt(code.charAt(at), 36);
    const index = value > 9 ? value - 10 : value;
    total += at % 2 === 0 ? (odd[index] ?? 0) : index;
  }
  return String.fromCharCode(65 + (total % 26)) === code.charAt(15);
}

const finnish = (value: string): boolean =>
  isDayMonthYear(value) &&
  '0123456789ABCDEFHJKLMNPRSTUVWXY'.charAt(Number(value.slice(0, 6) + value.slice(7, 10)) % 31) === value.slice(-1);

function singaporean(code: string): boolean {
  const total = weightedSum(code.slice(1, 8), [2, 7, 6, 5, 4, 3, 2]) + ('TG'.includes(code.charAt(0)) ? 4 : 0);
  const letters = 'ST'.includes(code.charAt(0)) ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK';
  return code.startsWith('M') || letters.charAt(total % 11) === code.charAt(8);
}

function chilean(value: string): boolean {
  const digits = digitsOf(value.slice(0, -1));
  let total = 0;
  for (let at = digits.length - 1, weight = 2; at >= 0; at--, weight = weight === 7 ? 2 : weight + 1)
    total += Number(digits.charAt(at)) * weight;
  return '0K987654321'.charAt(total % 11) === value.slice(-1).toUpperCase();
}

function irish(value: string): boolean {
  const extra = value.length > 8 ? 'WABCDEFGHI'.indexOf(value.charAt(8)) * 9 : 0;
  const sum = weightedSum(value.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]) + extra;
  return 'WABCDEFGHIJKLMNOPQRSTUV'.charAt(sum % 23) === value.charAt(7);
}

const american = (license: string): boolean =>
  weightedSum(license.slice(2), [1, 2, 1, 2, 1, 2]) % 10 === Number(license.charAt(8));

const whole = (source: string, flags = 'gu'): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])${source}(?![\p{L}\p{N}])`, flags);

const ids: readonly DigitRecognizer[] = [
  {
    type: 'US_MBI',
    rule: 'nationalId.us.medicare',
    pattern: whole(
      String.raw`[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}`,
    ),
    mayMatch: ({ token }) => token >= 11,
    score: withContext(/medicare|\bmbi\b|beneficiary/),
  },
  {
    type: 'MEDICAL_LICENSE',
    rule: 'nationalId.us.license',
    pattern: whole(String.raw`[ABFGMPR][A-Z9]\d{7}`),
    mayMatch: ({ solid }) => solid >= 7,
    score: (value) => (american(value) ? 0.8 : 0),
  },
  {
    type: 'UK_NINO',
    rule: 'nationalId.gb',
    pattern: whole(String.raw`[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]`, 'giu'),
    mayMatch: ({ digits }) => digits >= 6,
    mayContain: ({ text }) => /\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Z\d])/i.test(text),
    score: ninoScore,
  },
  {
    type: 'DE_SOCIAL_SECURITY',
    rule: 'nationalId.de',
    pattern: whole(String.raw`\d{2} ?\d{6} ?[A-Z] ?\d{3}`),
    mayMatch: ({ solid, hasCapital }) => solid >= 6 && hasCapital,
    score: withContext(/versicherungsn(?:umme)?r|\b[rs]v[ -]?n(?:umme)?r\b|rentenversicherung/),
  },
  // Corsica. The other departments have numbers.
  {
    type: 'FR_NIR',
    rule: 'nationalId.fr',
    pattern: whole(String.raw`[12] ?\d{2} ?\d{2} ?2[AB] ?\d{3} ?\d{3} ?\d{2}`),
    mayMatch: ({ digits, hasCapital }) => digits >= 8 && hasCapital,
    score: () => 0.9,
  },
  {
    type: 'IN_PAN',
    rule: 'nationalId.in',
    pattern: whole(String.raw`[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]`),
    mayMatch: ({ token }) => token >= 10,
    score: withContext(/\bpan\b|permanent account|income tax/, 0.95, 0.6),
  },
  {
    type: 'ES_NIF',
    rule: 'nationalId.es',
    pattern: whole(String.raw`(?:\d{8}|\d{2}\.\d{3}\.\d{3})[ -]?[A-HJ-NP-TV-Z]`, 'giu'),
    mayMatch: ({ digits }) => digits >= 8,
    score: spanish((value) => Number(digitsOf(value))),
  },
  {
    type: 'ES_NIE',
    rule: 'nationalId.es.foreigner',
    pattern: whole(String.raw`[XYZ][ -]?(?:\d{7}|\d\.\d{3}\.\d{3})[ -]?[A-HJ-NP-TV-Z]`, 'giu'),
    mayMatch: ({ digits }) => digits >= 7,
    score: spanish((value) => Number(`${'XYZ'.indexOf(value.charAt(0).toUpperCase())}${digitsOf(value)}`)),
  },
  {
    type: 'IT_FISCAL_CODE',
    rule: 'nationalId.it',
    pattern: whole(String.raw`[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]`, 'giu'),
    mayMatch: ({ token }) => token >= 16,
    score: (value, place) =>
      italian(value.toUpperCase()) ? 0.95 : withContext(/codice fiscale|\bc\.?f\.?\b|fiscal code/, 0.7)(value, place),
  },
  {
    type: 'FI_PERSONAL_IDENTITY_CODE',
    rule: 'nationalId.fi',
    pattern: whole(String.raw`\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]`),
    mayMatch: ({ solid }) => solid >= 6,
    score: (value) => (finnish(value) ? 0.95 : 0),
  },
  {
    type: 'SG_NRIC_FIN',
    rule: 'nationalId.sg',
    pattern: whole(String.raw`[STFGM]\d{7}[A-Z]`),
    mayMatch: ({ solid, hasCapital }) => solid >= 7 && hasCapital,
    score: (value) => (singaporean(value) ? 0.9 : 0),
  },
  {
    type: 'MX_CURP',
    rule: 'nationalId.mx',
    pattern: whole(String.raw`[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z\d]\d`),
    mayMatch: ({ token }) => token >= 18,
    score: () => 0.9,
  },
  {
    type: 'MX_RFC',
    rule: 'nationalId.mx.tax',
    pattern: whole(String.raw`[A-ZÑ&]{3,4}-?\d{6}-?[A-Z\d]{3}`),
    mayMatch: ({ solid }) => solid >= 6,
    score: withContext(/\brfc\b|contribuyentes/),
  },
  {
    type: 'CL_RUT',
    rule: 'nationalId.cl',
    pattern: /(?<![\p{L}\p{N}.-])\d{1,2}(?:\.\d{3}\.\d{3}|\d{6})-[\dKk](?![\p{L}\p{N}])/gu,
    mayMatch: ({ digits }) => digits >= 7,
    mayContain: ({ text }) => /\d{3}-[\dK](?![\dA-Z])/i.test(text),
    score: (value, place) => {
      if (!chilean(value)) return 0;
      return value.includes('.') ? 0.85 : withContext(/\brut\b|\brun\b/)(value, place);
    },
  },
  {
    type: 'IE_PPS',
    rule: 'nationalId.ie',
    pattern: whole(String.raw`\d{7}[A-W][A-IW]?`),
    mayMatch: ({ solid, hasCapital }) => solid >= 7 && hasCapital,
    score: (value, place) => (irish(value) ? withContext(/\bpps|personal public/)(value, place) : 0),
  },
];

export const codeIds = ids.map(aroundDigits);
