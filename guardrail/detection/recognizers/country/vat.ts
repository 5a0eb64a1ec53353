/** VAT numbers, one row each: the pattern behind the code of the country, and the check of the digits. */
import { luhn, mod1110, numberAt } from '../checksums.ts';
import { isMultiple, isNip, lastDigit, weightedModulo } from './numbers.ts';

interface VatNumber {
  /** Alternatives of a regular expression; they begin with the country code. */
  readonly pattern: string;
  /** Verifies the check digits; undefined if the number has none. Default: it has none. */
  readonly valid?: (digits: string) => boolean | undefined;
}

function british(digits: string): boolean {
  const rest = weightedModulo(digits, [8, 7, 6, 5, 4, 3, 2], 97) + numberAt(digits, 7, 9);
  return rest % 97 === 0 || (rest + 55) % 97 === 0;
}

function austrian(digits: string): boolean {
  const sum = Array.from(digits.slice(0, 7), Number).reduce((total, digit, at) => {
    const weighted = digit * (1 + (at % 2));
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 4);
  return (10 - (sum % 10)) % 10 === lastDigit(digits);
}

/** A number with letters in place of the check digits has no check. */
const french = (digits: string): boolean | undefined =>
  digits.length === 11 ? (12 + 3 * (numberAt(digits, 2, 11) % 97)) % 97 === numberAt(digits, 0, 2) : undefined;

export const vatNumbers: readonly VatNumber[] = [
  { pattern: String.raw`GB ?\d{3} ?\d{4} ?\d{2}`, valid: british },
  { pattern: String.raw`DE ?\d{3} ?\d{3} ?\d{3}`, valid: mod1110 },
  { pattern: String.raw`FR ?[A-HJ-NP-Z\d]{2} ?\d{3} ?\d{3} ?\d{3}`, valid: french },
  { pattern: String.raw`NL ?\d{3}\.?\d{3}\.?\d{3}\.?B\d{2}` },
  {
    pattern: String.raw`BE ?[01]\d{3}\.?\d{3}\.?\d{3}`,
    valid: (digits) => 97 - (numberAt(digits, 0, 8) % 97) === numberAt(digits, 8, 10),
  },
  { pattern: String.raw`SE ?\d{10}01`, valid: (digits) => luhn(digits.slice(0, 10)) },
  { pattern: String.raw`DK ?(?:\d{2} ?){3}\d{2}`, valid: isMultiple([2, 7, 6, 5, 4, 3, 2, 1], 11) },
  { pattern: String.raw`PL ?\d{10}`, valid: isNip },
  { pattern: String.raw`CHE-?\d{3}\.?\d{3}\.?\d{3}` },
  { pattern: String.raw`ATU ?\d{8}`, valid: austrian },
  { pattern: String.raw`CZ\d{8,10}` },
  { pattern: String.raw`PT ?\d{9}` },
  { pattern: String.raw`RO\d{8,10}` },
  { pattern: String.raw`BG\d{9,10}` },
  { pattern: String.raw`EE\d{9}` },
  { pattern: String.raw`EL\d{9}` },
  { pattern: String.raw`HR\d{11}` },
  { pattern: String.raw`ES ?[A-Z]\d{7}[A-Z\d]|ES ?\d{8}[A-Z]` },
  { pattern: String.raw`IT ?\d{11}`, valid: luhn },
  // A rest of ten is never given out.
  {
    pattern: String.raw`FI ?\d{8}`,
    valid: (digits) => (11 - weightedModulo(digits, [7, 9, 10, 5, 8, 4, 2], 11)) % 11 === lastDigit(digits),
  },
  { pattern: String.raw`IE ?\d[A-Z\d+*]\d{5}[A-W][A-I]?` },
  { pattern: String.raw`CY\d{8}[A-Z]` },
  { pattern: String.raw`HU\d{8}` },
  { pattern: String.raw`LT(?:\d{9}|\d{12})` },
  { pattern: String.raw`LU\d{8}`, valid: (digits) => numberAt(digits, 0, 6) % 89 === numberAt(digits, 6, 8) },
  { pattern: String.raw`LV\d{11}` },
  { pattern: String.raw`MT\d{8}` },
  { pattern: String.raw`SI\d{8}` },
  { pattern: String.raw`SK\d{10}` },
];
