import { aroundDigits } from '../recognizer.ts';
import { numberAt, type Country } from './country.ts';

export const france: Country = {
  numbers: [
    {
      type: 'FR_NIR',
      lengths: [15],
      valid: (d) => /^[1-478]/.test(d) && 97 - Number(BigInt(d.slice(0, 13)) % 97n) === numberAt(d, 13, 15),
      format: /^[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d{2} ?\d{3} ?\d{3} ?\d{2}$/,
      context: /s[ée]curit[ée] sociale|\bnir\b|\binsee\b|\bs[ée]cu\b|social security/,
    },
  ],
  recognizers: [
    aroundDigits({
      type: 'FR_NIR',
      rule: 'nationalId.fr',
      pattern: /(?<![\p{L}\p{N}])[12] ?\d{2} ?\d{2} ?2[AB] ?\d{3} ?\d{3} ?\d{2}(?![\p{L}\p{N}])/gu,
      mayMatch: ({ digits, hasCapital }) => digits >= 8 && hasCapital,
      score: () => 0.9,
    }),
  ],
  vat: {
    pattern: String.raw`FR ?[A-HJ-NP-Z\d]{2} ?\d{3} ?\d{3} ?\d{3}`,
    valid: (digits) =>
      digits.length === 11 ? (12 + 3 * (numberAt(digits, 2, 11) % 97)) % 97 === numberAt(digits, 0, 2) : undefined,
  },
};
