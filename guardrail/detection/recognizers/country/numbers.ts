/** Identifiers that consist of digits only, one row each: their length, their check, their notation and their labels. */
import type { EntityType } from '../../contract.ts';
import { isDate, isOneCharacter, luhn, mod1110, numberAt, verhoeff, weightedSum } from '../checksums.ts';

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

export const lastDigit = (digits: string): number => numberAt(digits, digits.length - 1, digits.length);
export const weightedModulo = (digits: string, weights: readonly number[], modulus: number): number =>
  weightedSum(digits, weights) % modulus;
/** A check: the weighted sum of the digits is a multiple of the modulus. */
export const isMultiple =
  (weights: readonly number[], modulus: number) =>
  (digits: string): boolean =>
    weightedModulo(digits, weights, modulus) === 0;
/** A check: the last digit completes the weighted sum to a multiple of the modulus. A sum that needs ten of eleven has a zero. */
const isCompleted =
  (weights: readonly number[], modulus: number) =>
  (digits: string): boolean =>
    ((modulus - weightedModulo(digits, weights, modulus)) % modulus) % 10 === lastDigit(digits);

/** Whether an identifier begins with a date as YYMMDD. Some countries add 20, 40 or 60 to the month. */
const isYearMonthDay = (digits: string): boolean => isDate(numberAt(digits, 2, 4) % 20, numberAt(digits, 4, 6));
/** Whether an identifier begins with a date as DDMMYY. */
export const isDayMonthYear = (digits: string): boolean => isDate(numberAt(digits, 2, 4), numberAt(digits, 0, 2));

function ssn(digits: string): boolean {
  const area = numberAt(digits, 0, 3);
  return area !== 0 && area !== 666 && area < 900 && numberAt(digits, 3, 5) !== 0 && numberAt(digits, 5, 9) !== 0;
}

function itin(digits: string): boolean {
  const group = numberAt(digits, 3, 5);
  return digits.startsWith('9') && group >= 50 && group !== 89 && group !== 93;
}

function belgian(digits: string): boolean {
  const check = numberAt(digits, 9, 11);
  return 97 - (numberAt(digits, 0, 9) % 97) === check || 97 - (Number(`2${digits.slice(0, 9)}`) % 97) === check;
}

function swedish(digits: string): boolean {
  const short = digits.slice(-10);
  return isDate(numberAt(short, 2, 4), numberAt(short, 4, 6) % 60) && luhn(short);
}

const norwegian = (digits: string): boolean =>
  isDate(numberAt(digits, 2, 4) % 40, numberAt(digits, 0, 2) % 40) &&
  isMultiple([3, 7, 6, 1, 8, 9, 4, 5, 2, 1], 11)(digits) &&
  isMultiple([5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11)(digits);

/** Until 1985, a remainder of 10 was written as 0. */
const czech = (digits: string): boolean =>
  isDate((numberAt(digits, 2, 4) % 50) % 20, numberAt(digits, 4, 6)) &&
  (Number(digits) % 11 === 0 || (numberAt(digits, 0, 9) % 11 === 10 && digits.endsWith('0')));

/** Verifies the two check digits of a Brazilian CPF (11 digits) or CNPJ (14 digits). */
function brazilian(digits: string): boolean {
  const check = (length: number): number => {
    let total = 0;
    for (let at = length - 1, weight = 2; at >= 0; at--, weight++) {
      if (digits.length === 14 && weight > 9) weight = 2;
      total += numberAt(digits, at, at + 1) * weight;
    }
    return total % 11 < 2 ? 0 : 11 - (total % 11);
  };
  return (
    !isOneCharacter(digits) &&
    check(digits.length - 2) === numberAt(digits, digits.length - 2, digits.length - 1) &&
    check(digits.length - 1) === lastDigit(digits)
  );
}

function turkish(digits: string): boolean {
  const odd = weightedSum(digits, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weightedSum(digits, [0, 1, 0, 1, 0, 1, 0, 1]);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  const all = weightedModulo(digits, Array<number>(10).fill(1), 10);
  return !digits.startsWith('0') && tenth === numberAt(digits, 9, 10) && all === lastDigit(digits);
}

function romanian(digits: string): boolean {
  const rest = weightedModulo(digits, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9], 11);
  return isDate(numberAt(digits, 3, 5), numberAt(digits, 5, 7)) && (rest === 10 ? 1 : rest) === lastDigit(digits);
}

function baltic(digits: string): boolean {
  const first = weightedModulo(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1], 11);
  const check = first < 10 ? first : weightedModulo(digits, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3], 11) % 10;
  return isDate(numberAt(digits, 3, 5), numberAt(digits, 5, 7)) && check === lastDigit(digits);
}

/** A Polish NIP: the number of a tax payer, and behind the code of the country a VAT number. */
export const isNip = (digits: string): boolean =>
  weightedModulo(digits, [6, 5, 7, 2, 3, 4, 5, 6, 7], 11) === lastDigit(digits);

/** Whether several checks hold. */
const all =
  (...checks: readonly ((digits: string) => boolean)[]) =>
  (digits: string): boolean =>
    checks.every((check) => check(digits));
/** Numbers of one digit are placeholders. */
const isVaried = (digits: string): boolean => !isOneCharacter(digits);
const begins =
  (pattern: RegExp) =>
  (digits: string): boolean =>
    pattern.test(digits);

/** All identifiers. If a number is valid as several, the first one determines its type. */
export const numberIds: readonly NumberId[] = [
  {
    type: 'US_SSN',
    lengths: [9],
    valid: ssn,
    format: /^\d{3}-\d{2}-\d{4}$/,
    context: /social security|\bssn\b|\bss#|\bss (?:no|num)|\bsocial\b|taxpayer|\btin\b/,
  },
  // Never issued, but people mistype their number, and tests use such numbers.
  {
    type: 'US_SSN',
    lengths: [9],
    valid: (digits) => /^(?:9|666)\d+$/.test(digits) && !itin(digits),
    context: /social security|\bssn\b|\bss#/,
  },
  {
    type: 'US_ITIN',
    lengths: [9],
    valid: itin,
    format: /^9\d{2}-\d{2}-\d{4}$/,
    context: /\bitin\b|individual tax|taxpayer/,
  },
  { type: 'US_NPI', lengths: [10], valid: (digits) => luhn(`80840${digits}`), context: /\bnpi\b|national provider/ },
  {
    type: 'UK_NHS',
    lengths: [10],
    valid: all(isMultiple([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 11), isVaried),
    context: /\bnhs\b|national health|health service|patient (?:no|num|id)/,
  },
  {
    type: 'CA_SIN',
    lengths: [9],
    valid: all(luhn, begins(/^[^08]/)),
    context: /\bsin\b|social insurance|assurance sociale/,
  },
  {
    type: 'DE_TAX_ID',
    lengths: [11],
    valid: all(mod1110, begins(/^[^0]/)),
    context: /steuer-?\s?id|steueridentifikation|\bidnr|\btin\b|tax id/,
  },
  {
    type: 'FR_NIR',
    lengths: [15],
    valid: (digits) =>
      /^[1-478]/.test(digits) && 97 - Number(BigInt(digits.slice(0, 13)) % 97n) === numberAt(digits, 13, 15),
    format: /^[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d{2} ?\d{3} ?\d{3} ?\d{2}$/,
    context: /s[ée]curit[ée] sociale|\bnir\b|\binsee\b|\bs[ée]cu\b|social security/,
  },
  {
    type: 'NL_BSN',
    lengths: [9],
    valid: all(isMultiple([9, 8, 7, 6, 5, 4, 3, 2, -1], 11), isVaried),
    context: /\bbsn\b|burgerservice|sofi-?nummer/,
  },
  {
    type: 'BE_NATIONAL_NUMBER',
    lengths: [11],
    valid: all(isYearMonthDay, belgian),
    format: /^\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}$/,
    context: /rijksregister|registre national|national (?:number|register)|\binsz\b|\bniss\b/,
  },
  {
    type: 'SE_PERSONNUMMER',
    lengths: [10, 12],
    valid: swedish,
    format: /^(?:19|20)?\d{6}[-+]\d{4}$/,
    context: /person-?nummer|personnr|samordningsnummer|\bpnr\b|personal (?:id|identity|number)/,
  },
  { type: 'DK_CPR', lengths: [10], valid: isDayMonthYear, context: /\bcpr\b|personnummer|civil registration/ },
  {
    type: 'NO_FODSELSNUMMER',
    lengths: [11],
    valid: norwegian,
    context: /f[øo]dselsnummer|personnummer|\bfnr\b|national id/,
  },
  {
    type: 'PL_PESEL',
    lengths: [11],
    valid: all(isYearMonthDay, isCompleted([1, 3, 7, 9, 1, 3, 7, 9, 1, 3], 10)),
    context: /pesel/,
  },
  // Within Poland, VAT numbers are written without the country code.
  { type: 'VAT_NUMBER', lengths: [10], valid: isNip, context: /\bnip\b/ },
  {
    type: 'CH_AHV',
    lengths: [13],
    valid: all(begins(/^756/), isCompleted([1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3], 10)),
    format: /^756\.\d{4}\.\d{4}\.\d{2}$/,
    context: /\bahv|\bavs\b|sozialversicherung|social security/,
  },
  {
    type: 'AT_SVNR',
    lengths: [10],
    valid: (digits) =>
      isDayMonthYear(digits.slice(4)) &&
      weightedModulo(digits, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6], 11) === numberAt(digits, 3, 4),
    context: /\bsvnr\b|sozialversicherung|versicherungsnummer/,
  },
  {
    type: 'CZ_RODNE_CISLO',
    lengths: [10],
    valid: czech,
    format: /^\d{6}\/\d{4}$/,
    context: /rodn[ée] [čc][íi]slo|\br\.? ?[čc]\.|birth number/,
  },
  {
    type: 'PT_NIF',
    lengths: [9],
    valid: all(begins(/^[1235-9]/), isCompleted([9, 8, 7, 6, 5, 4, 3, 2], 11)),
    context: /\bnif\b|contribuinte|identifica[çc][ãa]o fiscal/,
  },
  { type: 'BR_CPF', lengths: [11], valid: brazilian, format: /^\d{3}\.\d{3}\.\d{3}-\d{2}$/, context: /\bcpf\b/ },
  {
    type: 'BR_CNPJ',
    lengths: [14],
    valid: brazilian,
    format: /^\d{2}\.\d{3}\.\d{3}\/\d{4}-\d{2}$/,
    context: /\bcnpj\b/,
  },
  {
    type: 'AU_TFN',
    lengths: [9],
    valid: all(isMultiple([1, 4, 3, 7, 5, 8, 6, 9, 10], 11), isVaried),
    context: /\btfn\b|tax file/,
  },
  {
    type: 'AU_ABN',
    lengths: [11],
    valid: (digits) =>
      isMultiple([10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19], 89)(String(numberAt(digits, 0, 1) - 1) + digits.slice(1)),
    context: /\babn\b|business number/,
  },
  {
    type: 'AU_MEDICARE',
    lengths: [10, 11],
    valid: (digits) =>
      /^[2-6]/.test(digits) && weightedModulo(digits, [1, 3, 7, 9, 1, 3, 7, 9], 10) === numberAt(digits, 8, 9),
    context: /medicare/,
  },
  {
    type: 'IN_AADHAAR',
    lengths: [12],
    valid: all(begins(/^[2-9]/), verhoeff),
    context: /aadhaa?r|\buid(?:ai)?\b|आधार/,
  },
  {
    type: 'KR_RRN',
    lengths: [13],
    valid: all(isYearMonthDay, begins(/^\d{6}[1-8]/)),
    format: /^\d{6}-[1-8]\d{6}$/,
    context: /resident registration|\brrn\b|주민/,
  },
  {
    type: 'ZA_ID',
    lengths: [13],
    valid: all(isYearMonthDay, begins(/[01]\d\d$/), luhn),
    context: /\bid\b|identity|\brsa id/,
  },
  { type: 'TR_NATIONAL_ID', lengths: [11], valid: turkish, context: /\btc\b|t\.c\.|kimlik|\btckn\b|national id/ },
  {
    type: 'IL_ID',
    lengths: [9],
    valid: all(luhn, isVaried),
    context: /teudat zehut|israeli? id|\bת\.?ז\b|תעודת זהות/,
  },
  { type: 'RO_CNP', lengths: [13], valid: romanian, context: /\bcnp\b|cod numeric/ },
  {
    type: 'BG_EGN',
    lengths: [10],
    valid: (digits) =>
      isYearMonthDay(digits) && weightedModulo(digits, [2, 4, 8, 5, 10, 9, 7, 3, 6], 11) % 10 === lastDigit(digits),
    context: /\begn\b|егн/,
  },
  { type: 'EE_LT_PERSONAL_CODE', lengths: [11], valid: baltic, context: /isikukood|asmens kodas|personal code/ },
  { type: 'GR_AMKA', lengths: [11], valid: all(isDayMonthYear, luhn), context: /\bamka\b|αμκα/ },
  { type: 'HR_OIB', lengths: [11], valid: mod1110, context: /\boib\b/ },
  { type: 'VAT_NUMBER', lengths: [11], valid: luhn, context: /\bp\. ?iva\b|\bpiva\b|partita iva/ },
];
