import { codeBeforeTown, listed, suffixed } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';

export const croatianTraining = {
  streetWords: ['trg', 'cesta'],
  addresses: [
    {
      code: 'HR',
      weight: 2,
      names: ['Croatia', 'Hrvatska', 'Slovenia'],
      street: {
        name: (m) =>
          m.random.chance(0.5)
            ? listed('hr sl_SI sr_RS_latin', suffixed('eva ova ska'))(m)
            : `${m.family()}${m.random.pick(['eva', 'ova', 'ska', ' ulica', ' cesta', ' trg'])}`,
      },
      codes: ['#####', '####'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
