import { isDate } from '../checksums.ts';
import { numberAt, weightedModulo, type Country } from './country.ts';

function norwegian(digits: string): boolean {
  return (
    isDate(numberAt(digits, 2, 4) % 40, numberAt(digits, 0, 2) % 40) &&
    weightedModulo(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1], 11) === 0 &&
    weightedModulo(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], 11) === 0
  );
}

export const norway: Country = {
  numbers: [
    {
      type: 'NO_FODSELSNUMMER',
      lengths: [11],
      valid: norwegian,
      context: /f[øo]dselsnummer|personnummer|\bfnr\b|national id/,
    },
  ],
};
