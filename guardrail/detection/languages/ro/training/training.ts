import { codeBeforeTown, prefixedBy } from '../../../training/addressFormat.ts';
import type { TrainingLanguage } from '../../../training/language.ts';

export const romanianTraining = {
  streetWords: ['strada', 'bulevardul'],
  addresses: [
    {
      code: 'RO',
      weight: 1,
      names: ['Romania'],
      street: { name: prefixedBy('Strada|Str.|Bulevardul|Bd.|Aleea|Calea') },
      codes: ['######'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
