import { contextWords } from '../../languages/languages.ts';
import { luhn } from '../checksums.ts';
import { vehicleMakes } from '../../words/brands.ts';
import { afterKeyword, contextBefore, digitsOf, aroundDigits, contextWidth, type Recognizer } from '../recognizer.ts';

/**
 * Values of the characters of a vehicle identification number (the value is the index, modulo 10) and weights of their
 * positions: 49 CFR 565.15.
 */
const transliteration = '0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ';
const weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];

/** The check digit is required in North America and China only. */
function isValidVin(value: string): boolean {
  const sum = weights.reduce(
    (total, weight, at) => total + weight * (transliteration.indexOf(value.charAt(at)) % 10),
    0,
  );
  return '0123456789X'.charAt(sum % 11) === value.charAt(8);
}

const vehicleWord = new RegExp(String.raw`\bvin\b|${contextWords('vehicle')}`);

const vin = aroundDigits({
  type: 'VIN',
  rule: 'vin',
  pattern: /(?<![\p{L}\p{N}_-])(?=[A-Z]*\d)(?=\d*[A-Z])[A-HJ-NPR-Z\d]{17}(?![\p{L}\p{N}_-])/gu,
  mayMatch: (stats) => stats.token >= 17,
  score: (value, { text, start }) => {
    return vehicleWord.test(contextBefore(text, start)) ? 0.95 : isValidVin(value) && /\d{4}$/.test(value) ? 0.75 : 0;
  },
});

const deviceWord = new RegExp(String.raw`\b(?:${contextWords('device')})\b[^\p{L}\n]{0,4}$|\bimei\b`, 'u');
/** The reporting bodies that assign numbers of devices. Other numbers of 15 digits need the word IMEI. */
const imeiIssuer = /^(?:01|35|86|91|98|99)/;

const imei = aroundDigits({
  type: 'IMEI',
  rule: 'imei',
  pattern: /(?<![\p{L}\p{N}_]|\d[.-])\d{2}[ -]?\d{6}[ -]?\d{6}[ -]?\d(?![\p{L}\p{N}_]|[.-]\d)/gu,
  mayMatch: (stats) => stats.digits >= 15,
  score: (value, { text, start }) => {
    const context = contextBefore(text, start);
    const isNamed = /\bimei\b/.test(context);
    return deviceWord.test(context) && (isNamed || imeiIssuer.test(value)) && luhn(digitsOf(value)) ? 0.95 : 0;
  },
});

const plateWord = new RegExp(
  String.raw`(?:${contextWords('plate')})(?:[\s:=#"'([-]|\.|(?:${contextWords('is')}|${contextWords('documentFiller')})(?![\p{L}\p{N}])){0,8}$`,
  'u',
);
/** Licence plates have many patterns: a plate needs a word before it, and both letters and digits. */
const plate = afterKeyword('plate', contextWidth, [
  {
    type: 'LICENSE_PLATE',
    rule: 'plate.label',
    pattern:
      /(?=[A-ZÄÖÜ\d])(?<![\p{L}\p{N}_-])(?=[^\d\n]{0,9}\d)(?=[^A-Z\n]{0,9}[A-ZÄÖÜ])[A-ZÄÖÜ\d]{1,7}(?:[ -][A-ZÄÖÜ\d]{1,4}){0,3}(?![\p{L}\p{N}_-])/gu,
    mayMatch: ({ digits }) => digits > 0,
    needsDigit: true,
    score: (value, { text, start }) => {
      const compact = value.replace(/[ -]/g, '');
      const mixed = /\d/.test(compact) && /\D/.test(compact);
      return compact.length >= 4 && compact.length <= 9 && mixed && plateWord.test(contextBefore(text, start))
        ? 0.85
        : 0;
    },
  },
]);

/** Makes of vehicles, and a few more words: the model and the colour. */
const vehicleBefore = new RegExp(
  String.raw`(?<!\p{L})(?:${vehicleMakes.join('|')}|${contextWords('vehicleKind')})(?:[ -][\p{L}\d]{1,12}){0,3},? ?[(:]?[ ]?$`,
  'u',
);

/** The patterns of plates that models, sizes and dates do not have: of Great Britain, France, Italy, Spain, Germany, others. */
const distinctPlate =
  /^(?:[A-Z]{2}\d{2} [A-Z]{3}|[A-Z]{2}-?\d{3}-?[A-Z]{2}|[A-Z]{2} \d{3} [A-Z]{2}|\d{4} ?[BCDFGHJKLMNPRSTVWXYZ]{3}|[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} \d{1,4}|[A-Z]{3} \d[A-Z]\d|[A-Z]{3} \d{2}[A-Z]|[A-Z]{2} \d{4}[A-Z]|\d[A-Z]{3}\d{3}|[A-Z]{2,3} \d{5}|\d{2}-[A-Z]{3}-\d|[A-Z]-\d{3}-[A-Z]{2}|\d-[A-Z]{3}-\d{2,3})$/;

/** A plate behind the make or the kind of a vehicle, without a word for plates. */
const plateOfVehicle = afterKeyword('vehicleKind', contextWidth, [
  {
    type: 'LICENSE_PLATE',
    rule: 'plate.vehicle',
    pattern:
      /(?=[A-ZÄÖÜ\d])(?<![\p{L}\p{N}_-])(?=[^\d\n]{0,9}\d)[A-ZÄÖÜ\d]{1,7}(?:[ -][A-ZÄÖÜ\d]{1,5}){0,2}(?![\p{L}\p{N}_-])/gu,
    mayMatch: ({ digits }) => digits > 0,
    needsDigit: true,
    score: (value, { text, start }) =>
      distinctPlate.test(value) && vehicleBefore.test(contextBefore(text, start)) ? 0.8 : 0,
  },
]);

/** Vehicles and devices that identify their owner. */
export const vehicles: readonly Recognizer[] = [vin, imei, plate, plateOfVehicle];
