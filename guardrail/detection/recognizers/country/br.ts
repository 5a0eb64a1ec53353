import { isOneCharacter } from '../checksums.ts';
import { lastDigit, numberAt, type Country } from './country.ts';

/** Verifies the two check digits of a Brazilian CPF (11 digits) or CNPJ (14 digits). */
function brazilian(digits: string): boolean {
  const check = (length: number): number => {
    let total = 0;
    for (let at = length - 1, weight = 2; at >= 0; at--, weight++) {
      if (digits.length === 14 && weight > 9) weight = 2;
      total += numberAt(digits, at, at + 1) * weight;
    }
    return total % 11 < 2 ? 0 : 11 - (total % 11);
  };
  return (
    !isOneCharacter(digits) &&
    check(digits.length - 2) === numberAt(digits, digits.length - 2, digits.length - 1) &&
    check(digits.length - 1) === lastDigit(digits)
  );
}

export const brazil: Country = {
  numbers: [
    {
      type: 'BR_CPF',
      lengths: [11],
      valid: brazilian,
      format: /^\d{3}\.\d{3}\.\d{3}-\d{2}$/,
      context: /\bcpf\b/,
    },
    {
      type: 'BR_CNPJ',
      lengths: [14],
      valid: brazilian,
      format: /^\d{2}\.\d{3}\.\d{3}\/\d{4}-\d{2}$/,
      context: /\bcnpj\b/,
    },
  ],
};
