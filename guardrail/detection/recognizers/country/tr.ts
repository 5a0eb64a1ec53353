import { lastDigit, numberAt, weightedModulo, type Country } from './country.ts';

function turkish(digits: string): boolean {
  const odd = weightedModulo(digits, [1, 0, 1, 0, 1, 0, 1, 0, 1], 1000);
  const even = weightedModulo(digits, [0, 1, 0, 1, 0, 1, 0, 1], 1000);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return (
    !digits.startsWith('0') &&
    tenth === numberAt(digits, 9, 10) &&
    weightedModulo(digits, Array<number>(10).fill(1), 10) === lastDigit(digits)
  );
}

export const turkey: Country = {
  numbers: [
    {
      type: 'TR_NATIONAL_ID',
      lengths: [11],
      valid: turkish,
      context: /\btc\b|t\.c\.|kimlik|\btckn\b|national id/,
    },
  ],
};
