import { isDate } from '../checksums.ts';
import { lastDigit, numberAt, weightedModulo, type Country } from './country.ts';

function baltic(digits: string): boolean {
  const first = weightedModulo(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1], 11);
  const check = first < 10 ? first : weightedModulo(digits, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3], 11) % 10;
  return isDate(numberAt(digits, 3, 5), numberAt(digits, 5, 7)) && check === lastDigit(digits);
}

export const estonia: Country = {
  numbers: [
    {
      type: 'EE_LT_PERSONAL_CODE',
      lengths: [11],
      valid: baltic,
      context: /isikukood|asmens kodas|personal code/,
    },
  ],
  vat: {
    pattern: String.raw`EE\d{9}`,
  },
};
