import { isYearMonthDay, lastDigit, weightedModulo, type Country } from './country.ts';

export const bulgaria: Country = {
  numbers: [
    {
      type: 'BG_EGN',
      lengths: [10],
      valid: (d) => isYearMonthDay(d) && weightedModulo(d, [2, 4, 8, 5, 10, 9, 7, 3, 6], 11) % 10 === lastDigit(d),
      context: /\begn\b|егн/,
    },
  ],
  vat: {
    pattern: String.raw`BG\d{9,10}`,
  },
};
