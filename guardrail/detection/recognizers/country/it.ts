import { luhn } from '../checksums.ts';
import { aroundDigits, contextBefore } from '../recognizer.ts';
import type { Country } from './country.ts';

/** Verifies the check character of an Italian fiscal code. Source of the table: Ministerial Decree of 23.12.1976. */
function italian(code: string): boolean {
  const odd = '1 0 5 7 9 13 15 17 19 21 2 4 18 20 11 3 6 8 12 14 16 10 22 25 24 23'.split(' ').map(Number);
  let total = 0;
  for (let at = 0; at < 15; at++) {
    const value = parseInt(code.charAt(at), 36);
    const index = value > 9 ? value - 10 : value;
    total += at % 2 === 0 ? (odd[index] ?? 0) : index;
  }
  return String.fromCharCode(65 + (total % 26)) === code.charAt(15);
}

export const italy: Country = {
  numbers: [
    {
      type: 'VAT_NUMBER',
      lengths: [11],
      valid: (digits) => luhn(digits),
      context: /\bp\. ?iva\b|\bpiva\b|partita iva/,
    },
  ],
  recognizers: [
    aroundDigits({
      type: 'IT_FISCAL_CODE',
      rule: 'nationalId.it',
      pattern: /(?<![\p{L}\p{N}])[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z](?![\p{L}\p{N}])/giu,
      mayMatch: (stats) => stats.token >= 16,
      score: (value, { text, start }) =>
        italian(value.toUpperCase())
          ? 0.95
          : /codice fiscale|\bc\.?f\.?\b|fiscal code/.test(contextBefore(text, start))
            ? 0.7
            : 0,
    }),
  ],
  vat: {
    pattern: String.raw`IT ?\d{11}`,
    valid: (digits) => luhn(digits),
  },
};
