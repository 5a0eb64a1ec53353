import { isDayMonthYear, lastDigit, numberAt, weightedModulo, type Country } from './country.ts';

export const austria: Country = {
  numbers: [
    {
      type: 'AT_SVNR',
      lengths: [10],
      valid: (d) =>
        isDayMonthYear(d.slice(4)) && weightedModulo(d, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6], 11) === numberAt(d, 3, 4),
      context: /\bsvnr\b|sozialversicherung|versicherungsnummer/,
    },
  ],
  vat: {
    pattern: String.raw`ATU ?\d{8}`,
    valid: (digits) => {
      const sum = Array.from(digits.slice(0, 7), Number).reduce((total, digit, at) => {
        const weighted = digit * (1 + (at % 2));
        return total + (weighted > 9 ? weighted - 9 : weighted);
      }, 4);
      return (10 - (sum % 10)) % 10 === lastDigit(digits);
    },
  },
};
