import { codeBeforeTown } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';

export const greekTraining = {
  addresses: [
    {
      code: 'GR',
      weight: 1.5,
      names: ['Greece', 'Cyprus', 'Ελλάδα'],
      street: {
        name: (m) =>
          m.random.chance(0.6)
            ? m.random.pick(m.streets('el'))
            : `${m.random.pick(['Leoforos', 'Odos', 'Λεωφόρος'])} ${m.family()}`,
      },
      codes: ['### ##', '#####'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
