import { weightedSum } from '../checksums.ts';
import { aroundDigits } from '../recognizer.ts';
import type { Country } from './country.ts';

function nric(code: string): boolean {
  const total = weightedSum(code.slice(1, 8), [2, 7, 6, 5, 4, 3, 2]) + ('TG'.includes(code.charAt(0)) ? 4 : 0);
  const letters = 'ST'.includes(code.charAt(0)) ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK';
  return code.startsWith('M') || letters.charAt(total % 11) === code.charAt(8);
}

export const singapore: Country = {
  recognizers: [
    aroundDigits({
      type: 'SG_NRIC_FIN',
      rule: 'nationalId.sg',
      pattern: /(?<![\p{L}\p{N}])[STFGM]\d{7}[A-Z](?![\p{L}\p{N}])/gu,
      mayMatch: ({ solid, hasCapital }) => solid >= 7 && hasCapital,
      score: (value) => (nric(value) ? 0.9 : 0),
    }),
  ],
};
