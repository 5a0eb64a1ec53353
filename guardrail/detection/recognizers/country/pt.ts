import { lastDigit, weightedModulo, type Country } from './country.ts';

export const portugal: Country = {
  numbers: [
    {
      type: 'PT_NIF',
      lengths: [9],
      valid: (d) =>
        /^[1235-9]/.test(d) && ((11 - weightedModulo(d, [9, 8, 7, 6, 5, 4, 3, 2], 11)) % 11) % 10 === lastDigit(d),
      context: /\bnif\b|contribuinte|identifica[çc][ãa]o fiscal/,
    },
  ],
  vat: {
    pattern: String.raw`PT ?\d{9}`,
  },
};
