import { codeBeforeTown, listed, suffixed } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';

export const danishTraining = {
  legalForms: ['A/S', 'ApS'],
  streetWords: ['vej', 'gade'],
  organizationWords: ['aps'],
  phones: ['## ### ###'],
  addresses: [
    {
      code: 'DK',
      weight: 3,
      names: ['Denmark', 'Danmark'],
      street: {
        name: listed('da', suffixed('vej gade allé stræde vænget parken')),
      },
      codes: ['####', 'DK-####'],
      units: ['#. tv', '#. th', 'st. mf'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
