import { codeBeforeTown, suffixed } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';

export const norwegianTraining = {
  legalForms: ['AS'],
  streetWords: ['veien', 'vei'],
  organizationWords: ['as'],
  postBoxes: ['Postboks ###'],
  addresses: [
    {
      code: 'NO',
      weight: 3,
      names: ['Norway', 'Norge'],
      street: { name: suffixed('gata veien vegen gate vei lia svingen bakken kroken terrasse haugen') },
      codes: ['####'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
