import { isDate, luhn } from '../checksums.ts';
import { numberAt, type Country } from './country.ts';

export const sweden: Country = {
  numbers: [
    {
      type: 'SE_PERSONNUMMER',
      lengths: [10, 12],
      valid: (d) => isDate(numberAt(d.slice(-10), 2, 4), numberAt(d.slice(-10), 4, 6) % 60) && luhn(d.slice(-10)),
      format: /^(?:19|20)?\d{6}[-+]\d{4}$/,
      context: /person-?nummer|personnr|samordningsnummer|\bpnr\b|personal (?:id|identity|number)/,
    },
  ],
  vat: {
    pattern: String.raw`SE ?\d{10}01`,
    valid: (digits) => luhn(digits.slice(0, 10)),
  },
};
