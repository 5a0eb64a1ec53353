import { codeBeforeTown, listed, suffixed } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';

export const slovakTraining = {
  addresses: [
    {
      code: 'SK',
      weight: 1,
      names: ['Slovakia'],
      street: { name: listed('sk', suffixed('ova ská')) },
      codes: ['### ##'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
