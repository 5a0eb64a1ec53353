import { aroundDigits } from '../recognizer.ts';
import { isDayMonthYear, lastDigit, weightedModulo, type Country } from './country.ts';

export const finland: Country = {
  recognizers: [
    aroundDigits({
      type: 'FI_PERSONAL_IDENTITY_CODE',
      rule: 'nationalId.fi',
      pattern: /(?<![\p{L}\p{N}])\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y](?![\p{L}\p{N}])/gu,
      mayMatch: (stats) => stats.solid >= 6,
      score: (value) =>
        isDayMonthYear(value) &&
        '0123456789ABCDEFHJKLMNPRSTUVWXY'.charAt(Number(value.slice(0, 6) + value.slice(7, 10)) % 31) ===
          value.slice(-1)
          ? 0.95
          : 0,
    }),
  ],
  vat: {
    pattern: String.raw`FI ?\d{8}`,
    valid: (digits) => (11 - weightedModulo(digits, [7, 9, 10, 5, 8, 4, 2], 11)) % 11 === lastDigit(digits),
  },
};
