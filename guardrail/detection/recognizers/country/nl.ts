import { isOneCharacter } from '../checksums.ts';
import { weightedModulo, type Country } from './country.ts';

export const netherlands: Country = {
  numbers: [
    {
      type: 'NL_BSN',
      lengths: [9],
      valid: (d) => weightedModulo(d, [9, 8, 7, 6, 5, 4, 3, 2, -1], 11) === 0 && !isOneCharacter(d),
      context: /\bbsn\b|burgerservice|sofi-?nummer/,
    },
  ],
  vat: {
    pattern: String.raw`NL ?\d{3}\.?\d{3}\.?\d{3}\.?B\d{2}`,
  },
};
