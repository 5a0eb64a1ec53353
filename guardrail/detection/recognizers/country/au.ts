import { isOneCharacter } from '../checksums.ts';
import { numberAt, weightedModulo, type Country } from './country.ts';

export const australia: Country = {
  numbers: [
    {
      type: 'AU_TFN',
      lengths: [9],
      valid: (d) => weightedModulo(d, [1, 4, 3, 7, 5, 8, 6, 9, 10], 11) === 0 && !isOneCharacter(d),
      context: /\btfn\b|tax file/,
    },
    {
      type: 'AU_ABN',
      lengths: [11],
      valid: (d) =>
        weightedModulo(String(numberAt(d, 0, 1) - 1) + d.slice(1), [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19], 89) === 0,
      context: /\babn\b|business number/,
    },
    {
      type: 'AU_MEDICARE',
      lengths: [10, 11],
      valid: (d) => /^[2-6]/.test(d) && weightedModulo(d, [1, 3, 7, 9, 1, 3, 7, 9], 10) === numberAt(d, 8, 9),
      context: /medicare/,
    },
  ],
};
