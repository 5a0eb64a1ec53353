import { codeBeforeTown } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';

export const estonianTraining = {
  addresses: [
    {
      code: 'EE',
      weight: 1.5,
      names: ['Estonia', 'Eesti', 'Latvia', 'Lithuania'],
      street: {
        name: (m) =>
          m.random.chance(0.5)
            ? m.streetStem()
            : `${m.streetStem()} ${m.random.pick(['tn', 'tee', 'mnt', 'pst', 'iela', 'g.'])}`,
      },
      codes: ['#####', 'LV-####'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
