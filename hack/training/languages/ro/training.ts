import { codeBeforeTown, prefixedBy } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';

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
