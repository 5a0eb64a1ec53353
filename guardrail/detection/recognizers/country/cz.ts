import { isDate } from '../checksums.ts';
import { numberAt, type Country } from './country.ts';

export const czechia: Country = {
  numbers: [
    {
      type: 'CZ_RODNE_CISLO',
      lengths: [10],
      valid: (d) =>
        isDate((numberAt(d, 2, 4) % 50) % 20, numberAt(d, 4, 6)) &&
        // Until 1985, a remainder of 10 was written as 0.
        (Number(d) % 11 === 0 || (numberAt(d, 0, 9) % 11 === 10 && d.endsWith('0'))),
      format: /^\d{6}\/\d{4}$/,
      context: /rodn[ée] [čc][íi]slo|\br\.? ?[čc]\.|birth number/,
    },
  ],
  vat: {
    pattern: String.raw`CZ\d{8,10}`,
  },
};
