import { luhn, isOneCharacter } from '../checksums.ts';
import type { Country } from './country.ts';

export const israel: Country = {
  numbers: [
    {
      type: 'IL_ID',
      lengths: [9],
      valid: (d) => luhn(d) && !isOneCharacter(d),
      context: /teudat zehut|israeli? id|\bת\.?ז\b|תעודת זהות/,
    },
  ],
};
