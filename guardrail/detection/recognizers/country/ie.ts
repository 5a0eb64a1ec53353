import { weightedSum } from '../checksums.ts';
import { aroundDigits } from '../recognizer.ts';
import { withContext, type Country } from './country.ts';

export const ireland: Country = {
  recognizers: [
    aroundDigits({
      type: 'IE_PPS',
      rule: 'nationalId.ie',
      pattern: /(?<![\p{L}\p{N}])\d{7}[A-W][A-IW]?(?![\p{L}\p{N}])/gu,
      mayMatch: ({ solid, hasCapital }) => solid >= 7 && hasCapital,
      score: (value, place) => {
        const extra = value.length > 8 ? 'WABCDEFGHI'.indexOf(value.charAt(8)) * 9 : 0;
        const letter = 'WABCDEFGHIJKLMNOPQRSTUV'.charAt(
          (weightedSum(value.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]) + extra) % 23,
        );
        return letter === value.charAt(7) ? withContext(/\bpps|personal public/)(value, place) : 0;
      },
    }),
  ],
  vat: {
    pattern: String.raw`IE ?\d[A-Z\d+*]\d{5}[A-W][A-I]?`,
  },
};
