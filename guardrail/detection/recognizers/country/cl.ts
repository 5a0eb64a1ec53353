import { aroundDigits, digitsOf } from '../recognizer.ts';
import { withContext, type Country } from './country.ts';

export const chile: Country = {
  recognizers: [
    aroundDigits({
      type: 'CL_RUT',
      rule: 'nationalId.cl',
      pattern: /(?<![\p{L}\p{N}.-])\d{1,2}(?:\.\d{3}\.\d{3}|\d{6})-[\dKk](?![\p{L}\p{N}])/gu,
      mayMatch: (stats) => stats.digits >= 7,
      mayContain: ({ text }) => /\d{3}-[\dK](?![\dA-Z])/i.test(text),
      score: (value, place) => {
        const digits = digitsOf(value.slice(0, -1));
        let total = 0;
        for (let at = digits.length - 1, weight = 2; at >= 0; at--, weight = weight === 7 ? 2 : weight + 1) {
          total += Number(digits.charAt(at)) * weight;
        }
        const check = '0K987654321'.charAt(total % 11);
        if (check !== value.slice(-1).toUpperCase()) return 0;
        return value.includes('.') ? 0.85 : withContext(/\brut\b|\brun\b/)(value, place);
      },
    }),
  ],
};
