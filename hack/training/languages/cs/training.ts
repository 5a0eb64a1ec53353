import { codeBeforeTown, listed, suffixed } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';

export const czechTraining = {
  legalForms: ['s.r.o.', 'a.s.'],
  streetWords: ['ulice', 'náměstí'],
  organizationWords: ['sro'],
  addresses: [
    {
      code: 'CZ',
      weight: 3,
      names: ['Czech Republic', 'Czechia'],
      street: { name: listed('cs_CZ sk', suffixed('ova ská ova ého')) },
      codes: ['### ##', '#####'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
