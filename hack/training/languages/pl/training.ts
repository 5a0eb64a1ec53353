import { codeBeforeTown, prefixedBy } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const polishTraining = {
  labels: ['Zadzwoń'],
  legalForms: ['Sp. z o.o.'],
  streetWords: split('ulica ul aleja osiedle'),
  addresses: [
    {
      code: 'PL',
      weight: 3,
      names: ['Poland', 'Polska'],
      street: { name: prefixedBy('ul.|ul.|ulica|al.|Al.|os.|pl.|Plac') },
      codes: ['##-###'],
      units: ['m. #', '/##'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
