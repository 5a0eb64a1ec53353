import { luhn } from '../checksums.ts';
import { isDayMonthYear, type Country } from './country.ts';

export const greece: Country = {
  numbers: [
    {
      type: 'GR_AMKA',
      lengths: [11],
      valid: (d) => isDayMonthYear(d) && luhn(d),
      context: /\bamka\b|αμκα/,
    },
  ],
  vat: {
    pattern: String.raw`EL\d{9}`,
  },
};
