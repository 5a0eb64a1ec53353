import { isDate } from '../checksums.ts';
import { lastDigit, numberAt, weightedModulo, type Country } from './country.ts';

export const romania: Country = {
  numbers: [
    {
      type: 'RO_CNP',
      lengths: [13],
      valid: (d: string): boolean => {
        const rest = weightedModulo(d, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9], 11);
        return isDate(numberAt(d, 3, 5), numberAt(d, 5, 7)) && (rest === 10 ? 1 : rest) === lastDigit(d);
      },
      context: /\bcnp\b|cod numeric/,
    },
  ],
  vat: {
    pattern: String.raw`RO\d{8,10}`,
  },
};
