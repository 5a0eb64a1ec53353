import { luhn } from '../checksums.ts';
import type { Country } from './country.ts';

export const canada: Country = {
  numbers: [
    {
      type: 'CA_SIN',
      lengths: [9],
      valid: (d) => luhn(d) && !/^[08]/.test(d),
      context: /\bsin\b|social insurance|assurance sociale/,
    },
  ],
};
