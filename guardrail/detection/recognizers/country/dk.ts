import { isDayMonthYear, weightedModulo, type Country } from './country.ts';

export const denmark: Country = {
  numbers: [
    {
      type: 'DK_CPR',
      lengths: [10],
      valid: isDayMonthYear,
      context: /\bcpr\b|personnummer|civil registration/,
    },
  ],
  vat: {
    pattern: String.raw`DK ?(?:\d{2} ?){3}\d{2}`,
    valid: (digits) => weightedModulo(digits, [2, 7, 6, 5, 4, 3, 2, 1], 11) === 0,
  },
};
