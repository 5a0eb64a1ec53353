import { codeBeforeTown } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const turkishTraining = {
  streetWords: split('caddesi sokak cad mahallesi'),
  addresses: [
    {
      code: 'TR',
      weight: 1,
      names: ['Turkey', 'Türkiye'],
      street: {
        name: (m) => `${m.family()} ${m.random.pick(['Caddesi', 'Cad.', 'Sokak', 'Sk.', 'Bulvarı', 'Mahallesi'])}`,
      },
      codes: ['#####'],
      units: ['No: ##', 'D: #'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
