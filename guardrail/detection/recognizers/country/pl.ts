import { isYearMonthDay, lastDigit, weightedModulo, type Country } from './country.ts';

const isNip = (digits: string): boolean =>
  weightedModulo(digits, [6, 5, 7, 2, 3, 4, 5, 6, 7], 11) === lastDigit(digits);

export const poland: Country = {
  numbers: [
    {
      type: 'PL_PESEL',
      lengths: [11],
      valid: (d) =>
        isYearMonthDay(d) && (10 - weightedModulo(d, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3], 10)) % 10 === lastDigit(d),
      context: /pesel/,
    },
    // Within Poland, VAT numbers are written without the country code.
    { type: 'VAT_NUMBER', lengths: [10], valid: isNip, context: /\bnip\b/ },
  ],
  vat: {
    pattern: String.raw`PL ?\d{10}`,
    valid: isNip,
  },
};
