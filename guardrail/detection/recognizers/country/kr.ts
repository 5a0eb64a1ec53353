import { isYearMonthDay, type Country } from './country.ts';

export const southKorea: Country = {
  numbers: [
    {
      type: 'KR_RRN',
      lengths: [13],
      valid: (d) => isYearMonthDay(d) && /^\d{6}[1-8]/.test(d),
      format: /^\d{6}-[1-8]\d{6}$/,
      context: /resident registration|\brrn\b|주민/,
    },
  ],
};
