import { codeBeforeTown, suffixed } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const finnishTraining = {
  labels: ['Puhelin'],
  legalForms: ['Oy', 'Oyj'],
  streetWords: split('katu tie kuja'),
  organizationWords: ['oy', 'oyj'],
  addresses: [
    {
      code: 'FI',
      weight: 3,
      names: ['Finland', 'Suomi'],
      street: { name: suffixed('katu tie kuja polku kaari tori ranta rinne mäki') },
      codes: ['#####'],
      units: ['A ##', 'B #', 'as. ##'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
