import { luhn } from '../checksums.ts';
import { announced, before, digitsOf, numeric, reach, type Recognizer } from '../recognizer.ts';

/** What digits and letters of a vehicle's number count, as the last digit of their place, and each place's weight: 49 CFR 565.15. */
const counts = '0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ';
const weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];

/** The check digit that vehicles of North America and China have. */
function vinChecks(value: string): boolean {
  const sum = weights.reduce((total, weight, at) => total + weight * (counts.indexOf(value.charAt(at)) % 10), 0);
  return '0123456789X'.charAt(sum % 11) === value.charAt(8);
}

const vin = numeric({
  type: 'VIN',
  pattern: /(?<![\p{L}\p{N}_-])(?=[A-Z]*\d)(?=\d*[A-Z])[A-HJ-NPR-Z\d]{17}(?![\p{L}\p{N}_-])/gu,
  worthwhile: (hints) => hints.token >= 17,
  score: (value, { text, start }) => {
    const said = /\bvin\b|vehicle|chassis|châssis|fahrgestell|fahrzeug|bastidor|telaio/.test(before(text, start));
    return said ? 0.95 : vinChecks(value) && /\d{4}$/.test(value) ? 0.75 : 0;
  },
});

const imei = numeric({
  type: 'IMEI',
  pattern: /(?<![\p{L}\p{N}_]|\d[.-])\d{2}[ -]?\d{6}[ -]?\d{6}[ -]?\d(?![\p{L}\p{N}_]|[.-]\d)/gu,
  worthwhile: (hints) => hints.digits >= 15,
  score: (value, { text, start }) => (/\bimei\b/.test(before(text, start)) && luhn(digitsOf(value)) ? 0.95 : 0),
});

const plateSaid =
  /(?:licen[cs]e plate|number plate|\bplate|kennzeichen|nummernschild|immatriculation|immatriculé\w*|plaque|matrícula|\btarga|kenteken|registreringsnummer|(?:vehicle|car) registration)(?:[\s:=#"'([-]|number|no\b|n[°º]|nr\b|\.|is\b|ist\b|est\b|es\b|è\b){0,8}$/;

/** Plates have the most various forms: the word before decides, and that there are letters and digits. */
const plate = announced('plate', reach, [
  {
    type: 'LICENSE_PLATE',
    pattern:
      /(?<![\p{L}\p{N}_-])(?=[^\d\n]{0,9}\d)(?=[^A-Z\n]{0,9}[A-ZÄÖÜ])[A-ZÄÖÜ\d]{1,7}(?:[ -][A-ZÄÖÜ\d]{1,4}){0,3}(?![\p{L}\p{N}_-])/gu,
    worthwhile: ({ digits }) => digits > 0,
    score: (value, { text, start }) => {
      const compact = value.replace(/[ -]/g, '');
      const mixed = /\d/.test(compact) && /\D/.test(compact);
      return compact.length >= 4 && compact.length <= 9 && mixed && plateSaid.test(before(text, start)) ? 0.85 : 0;
    },
  },
]);

/** What belongs to one person, and so leads to them. */
export const belongings: readonly Recognizer[] = [vin, imei, plate];
