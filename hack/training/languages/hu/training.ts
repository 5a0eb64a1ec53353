import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const hungarianTraining = {
  legalForms: ['Kft.', 'Zrt.'],
  streetWords: split('utca út tér körút'),
  organizationWords: ['kft', 'zrt'],
  addresses: [
    {
      code: 'HU',
      weight: 2,
      names: ['Hungary', 'Magyarország'],
      street: {
        name: (m) =>
          `${m.random.chance(0.5) ? m.family() : m.person().full} ${m.random.pick(['utca', 'u.', 'út', 'tér', 'körút', 'köz', 'sétány', 'sor'])}`,
      },
      codes: ['####', 'H-####'],
      order: (s, c, t) => `${c} ${t}, ${s}`,
    },
  ],
} satisfies TrainingLanguage;
