import { verhoeff } from '../checksums.ts';
import { aroundDigits, contextBefore } from '../recognizer.ts';
import type { Country } from './country.ts';

export const india: Country = {
  numbers: [
    {
      type: 'IN_AADHAAR',
      lengths: [12],
      valid: (d) => /^[2-9]/.test(d) && verhoeff(d),
      context: /aadhaa?r|\buid(?:ai)?\b|आधार/,
    },
  ],
  recognizers: [
    aroundDigits({
      type: 'IN_PAN',
      rule: 'nationalId.in',
      pattern: /(?<![\p{L}\p{N}])[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z](?![\p{L}\p{N}])/gu,
      mayMatch: (stats) => stats.token >= 10,
      score: (_value, { text, start }) =>
        /\bpan\b|permanent account|income tax/.test(contextBefore(text, start)) ? 0.95 : 0.6,
    }),
  ],
};
