import { luhn, weightedSum } from '../checksums.ts';
import { aroundDigits } from '../recognizer.ts';
import { numberAt, withContext, type Country } from './country.ts';

function ssn(digits: string): boolean {
  const area = numberAt(digits, 0, 3);
  return area !== 0 && area !== 666 && area < 900 && numberAt(digits, 3, 5) !== 0 && numberAt(digits, 5, 9) !== 0;
}

function itin(digits: string): boolean {
  const group = numberAt(digits, 3, 5);
  return digits.startsWith('9') && group >= 50 && group !== 89 && group !== 93;
}

const socialSecurity = /social security|\bssn\b|\bss#|\bss (?:no|num)|\bsocial\b|taxpayer|\btin\b/;

export const unitedStates: Country = {
  numbers: [
    {
      type: 'US_SSN',
      lengths: [9],
      valid: ssn,
      format: /^\d{3}-\d{2}-\d{4}$/,
      context: socialSecurity,
    },
    {
      // Never issued, but people mistype their number, and tests use such numbers.
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
    {
      type: 'US_NPI',
      lengths: [10],
      valid: (d) => luhn(`80840${d}`),
      context: /\bnpi\b|national provider/,
    },
  ],
  recognizers: [
    aroundDigits({
      type: 'US_MBI',
      rule: 'nationalId.us.medicare',
      pattern:
        /(?<![\p{L}\p{N}])[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}(?![\p{L}\p{N}])/gu,
      mayMatch: (stats) => stats.token >= 11,
      score: withContext(/medicare|\bmbi\b|beneficiary/),
    }),
    aroundDigits({
      type: 'MEDICAL_LICENSE',
      rule: 'nationalId.us.license',
      pattern: /(?<![\p{L}\p{N}])[ABFGMPR][A-Z9]\d{7}(?![\p{L}\p{N}])/gu,
      mayMatch: (stats) => stats.solid >= 7,
      score: (value) => {
        const digits = value.slice(2);
        return weightedSum(digits, [1, 2, 1, 2, 1, 2]) % 10 === Number(digits.charAt(6)) ? 0.8 : 0;
      },
    }),
  ],
};
