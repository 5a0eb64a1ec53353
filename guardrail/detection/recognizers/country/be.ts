import { isYearMonthDay, numberAt, type Country } from './country.ts';

export const belgium: Country = {
  numbers: [
    {
      type: 'BE_NATIONAL_NUMBER',
      lengths: [11],
      valid: (d) =>
        isYearMonthDay(d) &&
        (97 - (numberAt(d, 0, 9) % 97) === numberAt(d, 9, 11) ||
          97 - (Number(`2${d.slice(0, 9)}`) % 97) === numberAt(d, 9, 11)),
      format: /^\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}$/,
      context: /rijksregister|registre national|national (?:number|register)|\binsz\b|\bniss\b/,
    },
  ],
  vat: {
    pattern: String.raw`BE ?[01]\d{3}\.?\d{3}\.?\d{3}`,
    valid: (digits) => 97 - (numberAt(digits, 0, 8) % 97) === numberAt(digits, 8, 10),
  },
};
