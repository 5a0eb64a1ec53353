import type { EntityType } from '../../contract.ts';
import { isDate, luhn, mod1110, repeated, verhoeff, weighted } from '../checksums.ts';
import { isList, partsOf } from '../numberRuns.ts';
import { before, digitsOf, eachNumber, numeric, type Numbers, reach, type Recognizer } from '../recognizer.ts';

/** An identifier made of digits: recognized by its length and check digits together with its format or its context. */
interface NumberId {
  readonly type: EntityType;
  readonly lengths: readonly number[];
  readonly valid: (digits: string) => boolean;
  /** Written so, it needs no context. */
  readonly format?: RegExp;
  /** Words before the number, in lower case, that say what it is. */
  readonly context: RegExp;
}

const n = (digits: string, from: number, to: number): number => Number(digits.slice(from, to));
const last = (digits: string): number => n(digits, digits.length - 1, digits.length);
const sum = (digits: string, weights: readonly number[], modulus: number): number =>
  weighted(digits, weights) % modulus;
const yymmdd = (digits: string): boolean => isDate(n(digits, 2, 4) % 20, n(digits, 4, 6));
const ddmmyy = (digits: string): boolean => isDate(n(digits, 2, 4), n(digits, 0, 2));

function ssn(digits: string): boolean {
  const area = n(digits, 0, 3);
  return area !== 0 && area !== 666 && area < 900 && n(digits, 3, 5) !== 0 && n(digits, 5, 9) !== 0;
}

function itin(digits: string): boolean {
  const group = n(digits, 3, 5);
  return digits.startsWith('9') && group >= 50 && group !== 89 && group !== 93;
}

/** Two check digits of a Brazilian CPF (11) or CNPJ (14). */
function brazilian(digits: string): boolean {
  const check = (length: number): number => {
    let total = 0;
    for (let at = length - 1, weight = 2; at >= 0; at--, weight++) {
      if (digits.length === 14 && weight > 9) weight = 2;
      total += n(digits, at, at + 1) * weight;
    }
    return total % 11 < 2 ? 0 : 11 - (total % 11);
  };
  return (
    !repeated(digits) &&
    check(digits.length - 2) === n(digits, digits.length - 2, digits.length - 1) &&
    check(digits.length - 1) === last(digits)
  );
}

function norwegian(digits: string): boolean {
  return (
    isDate(n(digits, 2, 4) % 40, n(digits, 0, 2) % 40) &&
    sum(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1], 11) === 0 &&
    sum(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11) === 0
  );
}

function baltic(digits: string): boolean {
  const first = sum(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1], 11);
  const check = first < 10 ? first : sum(digits, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3], 11) % 10;
  return isDate(n(digits, 3, 5), n(digits, 5, 7)) && check === last(digits);
}

function turkish(digits: string): boolean {
  const odd = sum(digits, [1, 0, 1, 0, 1, 0, 1, 0, 1], 1000);
  const even = sum(digits, [0, 1, 0, 1, 0, 1, 0, 1], 1000);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return (
    !digits.startsWith('0') && tenth === n(digits, 9, 10) && sum(digits, Array<number>(10).fill(1), 10) === last(digits)
  );
}

const social = /social security|\bssn\b|\bss#|\bss (?:no|num)|\bsocial\b|taxpayer|\btin\b/;

const numberIds: readonly NumberId[] = [
  {
    type: 'US_SSN',
    lengths: [9],
    valid: ssn,
    format: /^\d{3}-\d{2}-\d{4}$/,
    context: social,
  },
  {
    type: 'US_ITIN',
    lengths: [9],
    valid: itin,
    format: /^9\d{2}-\d{2}-\d{4}$/,
    context: /\bitin\b|individual tax|taxpayer/,
  },
  {
    type: 'US_NPI',
    lengths: [10],
    valid: (d) => luhn(`80840${d}`),
    context: /\bnpi\b|national provider/,
  },
  {
    type: 'UK_NHS',
    lengths: [10],
    valid: (d) => sum(d, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 11) === 0 && !repeated(d),
    context: /\bnhs\b|national health|health service|patient (?:no|num|id)/,
  },
  {
    type: 'CA_SIN',
    lengths: [9],
    valid: (d) => luhn(d) && !/^[08]/.test(d),
    context: /\bsin\b|social insurance|assurance sociale/,
  },
  {
    type: 'DE_TAX_ID',
    lengths: [11],
    valid: (d) => !d.startsWith('0') && mod1110(d),
    context: /steuer-?\s?id|steueridentifikation|\bidnr|\btin\b|tax id/,
  },
  {
    type: 'FR_NIR',
    lengths: [15],
    valid: (d) => /^[1-478]/.test(d) && 97 - Number(BigInt(d.slice(0, 13)) % 97n) === n(d, 13, 15),
    format: /^[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d{2} ?\d{3} ?\d{3} ?\d{2}$/,
    context: /s[ée]curit[ée] sociale|\bnir\b|\binsee\b|num[ée]ro de s[ée]cu|social security/,
  },
  {
    type: 'NL_BSN',
    lengths: [9],
    valid: (d) => sum(d, [9, 8, 7, 6, 5, 4, 3, 2, -1], 11) === 0 && !repeated(d),
    context: /\bbsn\b|burgerservice|sofi-?nummer/,
  },
  {
    type: 'BE_NATIONAL_NUMBER',
    lengths: [11],
    valid: (d) =>
      yymmdd(d) && (97 - (n(d, 0, 9) % 97) === n(d, 9, 11) || 97 - (Number(`2${d.slice(0, 9)}`) % 97) === n(d, 9, 11)),
    format: /^\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}$/,
    context: /rijksregister|registre national|national (?:number|register)|\binsz\b|\bniss\b/,
  },
  {
    type: 'SE_PERSONNUMMER',
    lengths: [10, 12],
    valid: (d) => isDate(n(d.slice(-10), 2, 4), n(d.slice(-10), 4, 6) % 60) && luhn(d.slice(-10)),
    format: /^(?:19|20)?\d{6}[-+]\d{4}$/,
    context: /person-?nummer|personnr|samordningsnummer|\bpnr\b|personal (?:id|identity|number)/,
  },
  {
    type: 'DK_CPR',
    lengths: [10],
    valid: ddmmyy,
    context: /\bcpr\b|personnummer|civil registration/,
  },
  {
    type: 'NO_FODSELSNUMMER',
    lengths: [11],
    valid: norwegian,
    context: /f[øo]dselsnummer|personnummer|\bfnr\b|national id/,
  },
  {
    type: 'PL_PESEL',
    lengths: [11],
    valid: (d) => yymmdd(d) && (10 - sum(d, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3], 10)) % 10 === last(d),
    context: /pesel/,
  },
  {
    type: 'CH_AHV',
    lengths: [13],
    valid: (d) => d.startsWith('756') && (10 - sum(d, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3], 10)) % 10 === last(d),
    format: /^756\.\d{4}\.\d{4}\.\d{2}$/,
    context: /\bahv|\bavs\b|sozialversicherung|social security/,
  },
  {
    type: 'AT_SVNR',
    lengths: [10],
    valid: (d) => ddmmyy(d.slice(4)) && sum(d, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6], 11) === n(d, 3, 4),
    context: /\bsvnr\b|sozialversicherung|versicherungsnummer/,
  },
  {
    type: 'CZ_RODNE_CISLO',
    lengths: [10],
    valid: (d) => isDate((n(d, 2, 4) % 50) % 20, n(d, 4, 6)) && Number(d) % 11 === 0,
    format: /^\d{6}\/\d{4}$/,
    context: /rodn[ée] [čc][íi]slo|\br\.? ?[čc]\.|birth number/,
  },
  {
    type: 'PT_NIF',
    lengths: [9],
    valid: (d) => /^[125-9]/.test(d) && ((11 - sum(d, [9, 8, 7, 6, 5, 4, 3, 2], 11)) % 11) % 10 === last(d),
    context: /\bnif\b|contribuinte|identifica[çc][ãa]o fiscal/,
  },
  {
    type: 'BR_CPF',
    lengths: [11],
    valid: brazilian,
    format: /^\d{3}\.\d{3}\.\d{3}-\d{2}$/,
    context: /\bcpf\b/,
  },
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
    valid: (d) => sum(d, [1, 4, 3, 7, 5, 8, 6, 9, 10], 11) === 0 && !repeated(d),
    context: /\btfn\b|tax file/,
  },
  {
    type: 'AU_ABN',
    lengths: [11],
    valid: (d) => sum(String(n(d, 0, 1) - 1) + d.slice(1), [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19], 89) === 0,
    context: /\babn\b|business number/,
  },
  {
    type: 'AU_MEDICARE',
    lengths: [10, 11],
    valid: (d) => /^[2-6]/.test(d) && sum(d, [1, 3, 7, 9, 1, 3, 7, 9], 10) === n(d, 8, 9),
    context: /medicare/,
  },
  {
    type: 'IN_AADHAAR',
    lengths: [12],
    valid: (d) => /^[2-9]/.test(d) && verhoeff(d),
    context: /aadhaa?r|\buid(?:ai)?\b|आधार/,
  },
  {
    type: 'KR_RRN',
    lengths: [13],
    valid: (d) => yymmdd(d) && /^\d{6}[1-8]/.test(d),
    format: /^\d{6}-[1-8]\d{6}$/,
    context: /resident registration|\brrn\b|주민/,
  },
  {
    type: 'ZA_ID',
    lengths: [13],
    valid: (d) => yymmdd(d) && /[01]\d\d$/.test(d) && luhn(d),
    context: /\bid\b|identity|\brsa id/,
  },
  {
    type: 'TR_NATIONAL_ID',
    lengths: [11],
    valid: turkish,
    context: /\btc\b|t\.c\.|kimlik|\btckn\b|national id/,
  },
  {
    type: 'IL_ID',
    lengths: [9],
    valid: (d) => luhn(d) && !repeated(d),
    context: /teudat zehut|israeli? id|\bת\.?ז\b|תעודת זהות/,
  },
  {
    type: 'RO_CNP',
    lengths: [13],
    valid: (d) => {
      const rest = sum(d, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9], 11);
      return isDate(n(d, 3, 5), n(d, 5, 7)) && (rest === 10 ? 1 : rest) === last(d);
    },
    context: /\bcnp\b|cod numeric/,
  },
  {
    type: 'BG_EGN',
    lengths: [10],
    valid: (d) => yymmdd(d) && sum(d, [2, 4, 8, 5, 10, 9, 7, 3, 6], 11) % 10 === last(d),
    context: /\begn\b|егн/,
  },
  {
    type: 'EE_LT_PERSONAL_CODE',
    lengths: [11],
    valid: baltic,
    context: /isikukood|asmens kodas|personal code/,
  },
  {
    type: 'GR_AMKA',
    lengths: [11],
    valid: (d) => ddmmyy(d) && luhn(d),
    context: /\bamka\b|αμκα/,
  },
  { type: 'HR_OIB', lengths: [11], valid: mod1110, context: /\boib\b/ },
];

const candidate = /(?<![\p{L}\p{N}_/-]|\d\.)\d(?:[ .\-+/]{0,2}\d){8,}(?![\p{L}\p{N}_]|[.-]\d)/gu;

const isLong = ({ digits }: Numbers): boolean => digits >= 9;

const sizes = { least: 9, most: 15, word: 2 };

const byLength = (ids: readonly NumberId[]): readonly (readonly NumberId[])[] =>
  Array.from({ length: sizes.most + 1 }, (_, length) => ids.filter(({ lengths }) => lengths.includes(length)));
const idsOfLength = byLength(numberIds);
/** Those that are written in several words and known by that. */
const spacedOfLength = byLength(numberIds.filter(({ format }) => format?.source.includes(' ')));

/** National identifiers that are digits only, of some thirty countries, in one pass over the text's numbers. */
const numbers: Recognizer = {
  type: 'ID',
  worthwhile: isLong,
  find(text, emit, hints) {
    eachNumber(candidate, hints, isLong, ({ 0: run, index }, offset) => {
      const runStart = offset + index;
      let context: string | undefined;
      const said = new Map<NumberId, boolean>();
      /** Whether words before the run say so: they speak of what begins within their reach. */
      const isSaid = (id: NumberId, start: number): boolean => {
        if (start > reach) return false;
        context ??= before(text, runStart);
        let is = said.get(id);
        if (is === undefined) said.set(id, (is = id.context.test(context)));
        return is;
      };
      const take = (start: number, end: number, ids: readonly NumberId[] = []): boolean => {
        const written = run.slice(start, end);
        const digits = digitsOf(written);
        for (const id of ids) {
          if (!id.valid(digits)) continue;
          const explained = isSaid(id, start);
          if (!explained && !id.format?.test(written)) continue;
          emit(runStart + start, runStart + end, explained ? 0.98 : 0.85, id.type);
          return true;
        }
        return false;
      };
      if (run.length < 64 && take(0, run.length, idsOfLength[digitsOf(run).length])) return;
      if (!isList(run)) return;
      const parts = partsOf(run, sizes);
      const single = parts.filter(({ words }) => words.length === 1);
      const found = single.filter(({ start, end, digits }) => take(start, end, idsOfLength[digits]));
      if (found.length > 0) return;
      for (const { start, end, digits, words } of parts) {
        if (words.length > 1) take(start, end, (start > reach ? spacedOfLength : idsOfLength)[digits]);
      }
    });
  },
};

const always = (): number => 0.9;
const spanishLetters = 'TRWAGMYFPDXBNJZSQVHLCKE';

/** Sum of the Italian fiscal code's characters, those at odd places by the table of the Ministerial Decree of 23.12.1976. */
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

function nric(code: string): boolean {
  const total = weighted(code.slice(1, 8), [2, 7, 6, 5, 4, 3, 2]) + ('TG'.includes(code.charAt(0)) ? 4 : 0);
  const letters = 'ST'.includes(code.charAt(0)) ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK';
  return code.startsWith('M') || letters.charAt(total % 11) === code.charAt(8);
}

const explained =
  (words: RegExp, score = 0.9) =>
  (_value: string, { text, start }: { text: string; start: number }): number =>
    words.test(before(text, start)) ? score : 0;

/** National identifiers with letters in them. */
const lettered: readonly Recognizer[] = [
  numeric({
    type: 'UK_NINO',
    pattern: /(?<![\p{L}\p{N}])[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![\p{L}\p{N}])/giu,
    worthwhile: (hints) => hints.digits >= 6,
    score: (value, { text, start }) => {
      if (/^(?:bg|gb|kn|nk|nt|tn|zz)/i.test(value)) return 0;
      return /national insurance|\bni(?:no)?\b|insurance n/.test(before(text, start))
        ? 0.98
        : value === value.toUpperCase()
          ? 0.8
          : 0;
    },
  }),
  numeric({
    type: 'ES_NIF',
    pattern: /(?<![\p{L}\p{N}])\d{8}[ -]?[A-HJ-NP-TV-Z](?![\p{L}\p{N}])/giu,
    worthwhile: (hints) => hints.solid >= 8,
    score: (value) =>
      spanishLetters.charAt(Number(value.slice(0, 8)) % 23) === value.slice(-1).toUpperCase() ? 0.9 : 0,
  }),
  numeric({
    type: 'ES_NIE',
    pattern: /(?<![\p{L}\p{N}])[XYZ][ -]?\d{7}[ -]?[A-HJ-NP-TV-Z](?![\p{L}\p{N}])/giu,
    worthwhile: (hints) => hints.solid >= 7,
    score: (value) => {
      const number = `${'XYZ'.indexOf(value.charAt(0).toUpperCase())}${digitsOf(value)}`;
      return spanishLetters.charAt(Number(number) % 23) === value.slice(-1).toUpperCase() ? 0.9 : 0;
    },
  }),
  numeric({
    type: 'IT_FISCAL_CODE',
    pattern: /(?<![\p{L}\p{N}])[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![\p{L}\p{N}])/giu,
    worthwhile: (hints) => hints.token >= 16,
    score: (value, { text, start }) =>
      italian(value.toUpperCase())
        ? 0.95
        : /codice fiscale|\bc\.?f\.?\b|fiscal code/.test(before(text, start))
          ? 0.7
          : 0,
  }),
  numeric({
    type: 'FR_NIR',
    pattern: /(?<![\p{L}\p{N}])[12] ?\d{2} ?\d{2} ?2[AB] ?\d{3} ?\d{3} ?\d{2}(?![\p{L}\p{N}])/gu,
    worthwhile: (hints) => hints.digits >= 8,
    score: always,
  }),
  numeric({
    type: 'FI_PERSONAL_IDENTITY_CODE',
    pattern: /(?<![\p{L}\p{N}])\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y](?![\p{L}\p{N}])/gu,
    worthwhile: (hints) => hints.solid >= 6,
    score: (value) =>
      ddmmyy(value) &&
      '0123456789ABCDEFHJKLMNPRSTUVWXY'.charAt(Number(value.slice(0, 6) + value.slice(7, 10)) % 31) === value.slice(-1)
        ? 0.95
        : 0,
  }),
  numeric({
    type: 'IN_PAN',
    pattern: /(?<![\p{L}\p{N}])[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z](?![\p{L}\p{N}])/gu,
    worthwhile: (hints) => hints.token >= 10,
    score: (_value, { text, start }) => (/\bpan\b|permanent account|income tax/.test(before(text, start)) ? 0.95 : 0.6),
  }),
  numeric({
    type: 'SG_NRIC_FIN',
    pattern: /(?<![\p{L}\p{N}])[STFGM]\d{7}[A-Z](?![\p{L}\p{N}])/gu,
    worthwhile: (hints) => hints.solid >= 7,
    score: (value) => (nric(value) ? 0.9 : 0),
  }),
  numeric({
    type: 'MX_CURP',
    pattern: /(?<![\p{L}\p{N}])[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z\d]\d(?![\p{L}\p{N}])/gu,
    worthwhile: (hints) => hints.token >= 18,
    score: always,
  }),
  numeric({
    type: 'MX_RFC',
    pattern: /(?<![\p{L}\p{N}])[A-ZÑ&]{3,4}-?\d{6}-?[A-Z\d]{3}(?![\p{L}\p{N}])/gu,
    worthwhile: (hints) => hints.solid >= 6,
    score: explained(/\brfc\b|contribuyentes/),
  }),
  numeric({
    type: 'CL_RUT',
    pattern: /(?<![\p{L}\p{N}.-])\d{1,2}(?:\.\d{3}\.\d{3}|\d{6})-[\dKk](?![\p{L}\p{N}])/gu,
    worthwhile: (hints) => hints.digits >= 7,
    score: (value, place) => {
      const digits = digitsOf(value.slice(0, -1));
      let total = 0;
      for (let at = digits.length - 1, weight = 2; at >= 0; at--, weight = weight === 7 ? 2 : weight + 1) {
        total += Number(digits.charAt(at)) * weight;
      }
      const check = '0K987654321'.charAt(total % 11);
      if (check !== value.slice(-1).toUpperCase()) return 0;
      return value.includes('.') ? 0.85 : explained(/\brut\b|\brun\b/)(value, place);
    },
  }),
  numeric({
    type: 'IE_PPS',
    pattern: /(?<![\p{L}\p{N}])\d{7}[A-W][A-IW]?(?![\p{L}\p{N}])/gu,
    worthwhile: (hints) => hints.solid >= 7,
    score: (value, place) => {
      const extra = value.length > 8 ? 'WABCDEFGHI'.indexOf(value.charAt(8)) * 9 : 0;
      const letter = 'WABCDEFGHIJKLMNOPQRSTUV'.charAt(
        (weighted(value.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]) + extra) % 23,
      );
      return letter === value.charAt(7) ? explained(/\bpps|personal public/)(value, place) : 0;
    },
  }),
  numeric({
    type: 'US_MBI',
    pattern:
      /(?<![\p{L}\p{N}])[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}(?![\p{L}\p{N}])/gu,
    worthwhile: (hints) => hints.token >= 11,
    score: explained(/medicare|\bmbi\b|beneficiary/),
  }),
  numeric({
    type: 'MEDICAL_LICENSE',
    pattern: /(?<![\p{L}\p{N}])[ABFGMPR][A-Z9]\d{7}(?![\p{L}\p{N}])/gu,
    worthwhile: (hints) => hints.solid >= 7,
    score: (value) => {
      const digits = value.slice(2);
      return weighted(digits, [1, 2, 1, 2, 1, 2]) % 10 === Number(digits.charAt(6)) ? 0.8 : 0;
    },
  }),
  numeric({
    type: 'DE_SOCIAL_SECURITY',
    pattern: /(?<![\p{L}\p{N}])\d{2} ?\d{6} ?[A-Z] ?\d{3}(?![\p{L}\p{N}])/gu,
    worthwhile: (hints) => hints.solid >= 6,
    score: explained(/versicherungsnummer|\brvnr\b|\bsvnr\b|rentenversicherung/),
  }),
];

/** Only the words that introduce a value may stand between: "number is", "no.:", "#", "Nr.", "ist", "est le". */
const introduces =
  /(?:[\s:#=."'()-]|number|num|no|nr|n°|is|id|ist|est|le|lautet|es|il|la|my|currently|card|code|de|numer[oa]|n[úu]mero|num[ée]ro){0,12}$/;

/** Words that say what a number of any form is. */
const documentWords: readonly (readonly [EntityType, RegExp])[] = (
  [
    [
      'US_DRIVER_LICENSE',
      /driv(?:er'?s?|ing)[ -]licen[cs]e|driver'?s? id|f(?:ü|ue)hrerschein(?:nummer)?|permis de conduire|carnet de conducir|patente di guida|rijbewijs(?:nummer)?|k[öo]rkort/,
    ],
    ['US_PASSPORT', /passport|reisepass(?:nummer)?|passeport|pasaporte|passaporto|paspoort(?:nummer)?|passnummer/],
    ['US_BANK_NUMBER', /bank account|account number|acct\.?|kontonummer|rekeningnummer|routing(?: number)?|sort code/],
    [
      'ID',
      /\bid card|identity card|personalausweis(?:nummer)?|ausweisnummer|carte d'identit[ée]|documento de identidad|carta d'identit[àa]|medical record|\bmrn\b|(?:patient|member|membership|student|employee|staff|personnel|insurance|policy|claim|badge) (?:id|no\b|number)|personalnummer|matrikelnummer|versichertennummer|health card|tax id|tax number|national id|resident id|身份证|steuernummer|\bein\b|\butr\b|\bnss\b/,
    ],
  ] as const
).map(([type, words]) => [type, new RegExp(`(?:${words.source})${introduces.source}`)]);

/** Numbers of documents: any form, but a word must say what they are, right before. */
const documents = numeric({
  type: 'ID',
  pattern: /(?<![\p{L}\p{N}_./-])(?:[A-Z]{1,5}[ -]?)?\d(?:[A-Z\d]|[ -](?=[A-Z]{0,4}\d)){3,19}(?![\p{L}\p{N}_]|\.\d)/gu,
  worthwhile: (hints) => hints.digits >= 4,
  score: (value, { text, start }) => {
    const digits = digitsOf(value).length;
    const few = digits < 2 || value.replace(/[ -]/g, '').length < 8;
    if ((digits < 5 && few) || digits > 17) return 0;
    const context = before(text, start, 40);
    for (const [type, words] of documentWords) {
      if (words.test(context)) return { score: 0.8, type };
    }
    return 0;
  },
});

const vat =
  /(?<![\p{L}\p{N}])(?:ATU\d{8}|BE ?[01]\d{3}\.?\d{3}\.?\d{3}|BG\d{9,10}|CY\d{8}[A-Z]|CZ\d{8,10}|DE ?\d{3} ?\d{3} ?\d{3}|DK ?(?:\d{2} ?){3}\d{2}|EE\d{9}|EL\d{9}|ES ?[A-Z]\d{7}[A-Z\d]|ES ?\d{8}[A-Z]|FI ?\d{8}|FR ?[A-HJ-NP-Z\d]{2} ?\d{3} ?\d{3} ?\d{3}|GB ?\d{3} ?\d{4} ?\d{2}|HR\d{11}|HU\d{8}|IE ?\d[A-Z\d+*]\d{5}[A-W][A-I]?|IT ?\d{11}|LT(?:\d{9}|\d{12})|LU\d{8}|LV\d{11}|MT\d{8}|NL ?\d{3}\.?\d{3}\.?\d{3}\.?B\d{2}|PL ?\d{10}|PT ?\d{9}|RO\d{8,10}|SE ?\d{10}01|SI\d{8}|SK\d{10}|CHE-?\d{3}\.?\d{3}\.?\d{3})(?![\p{L}\p{N}])/gu;

const vatContext =
  /\bvat\b|ust-?\s?id|umsatzsteuer|\btva\b|\biva\b|\bbtw\b|\bmoms\b|\bnip\b|\bdi[čc]\b|partita|tax id|\bmwst\b/;

/** Check digits of the VAT numbers of the larger countries; `undefined` where the country's are not looked at. */
function vatChecks(value: string): boolean | undefined {
  const digits = digitsOf(value);
  switch (value.slice(0, 2)) {
    case 'DE':
      return mod1110(digits);
    case 'IT':
      return luhn(digits);
    case 'BE':
      return 97 - (n(digits, 0, 8) % 97) === n(digits, 8, 10);
    case 'FR':
      return digits.length === 11 ? (12 + 3 * (n(digits, 2, 11) % 97)) % 97 === n(digits, 0, 2) : undefined;
    case 'PL':
      return sum(digits, [6, 5, 7, 2, 3, 4, 5, 6, 7], 11) === last(digits);
    case 'SE':
      return luhn(digits.slice(0, 10));
    case 'DK':
      return sum(digits, [2, 7, 6, 5, 4, 3, 2, 1], 11) === 0;
    case 'FI':
      return (11 - sum(digits, [7, 9, 10, 5, 8, 4, 2], 11)) % 11 === last(digits);
    case 'LU':
      return n(digits, 0, 6) % 89 === n(digits, 6, 8);
    case 'GB': {
      const rest = sum(digits, [8, 7, 6, 5, 4, 3, 2], 97) + n(digits, 7, 9);
      return rest % 97 === 0 || (rest + 55) % 97 === 0;
    }
    default:
      return undefined;
  }
}

const vatNumbers = numeric({
  type: 'VAT_NUMBER',
  pattern: vat,
  worthwhile: (hints) => hints.digits >= 7,
  score: (value, { text, start }) => {
    const checked = vatChecks(value);
    const said = vatContext.test(before(text, start));
    if (checked === false) return said ? 0.6 : 0;
    return said ? 0.98 : checked ? 0.8 : 0;
  },
});

export const nationalIds: readonly Recognizer[] = [numbers, ...lettered, vatNumbers, documents];
