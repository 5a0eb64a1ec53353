import { luhn } from '../checksums.ts';
import { isYearMonthDay, type Country } from './country.ts';

export const southAfrica: Country = {
  numbers: [
    {
      type: 'ZA_ID',
      lengths: [13],
      valid: (d) => isYearMonthDay(d) && /[01]\d\d$/.test(d) && luhn(d),
      context: /\bid\b|identity|\brsa id/,
    },
  ],
};
