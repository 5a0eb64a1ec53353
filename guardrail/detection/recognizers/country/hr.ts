import { mod1110 } from '../checksums.ts';
import type { Country } from './country.ts';

export const croatia: Country = {
  numbers: [{ type: 'HR_OIB', lengths: [11], valid: mod1110, context: /\boib\b/ }],
  vat: {
    pattern: String.raw`HR\d{11}`,
  },
};
