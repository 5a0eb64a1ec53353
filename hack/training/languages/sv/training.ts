import { codeBeforeTown, suffixed } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';

export const swedishTraining = {
  particles: ['af'],
  labels: split('Ring Skriv Maila Telefon'),
  legalForms: ['AB'],
  streetWords: split('gata gatan vägen väg gränd'),
  organizationWords: ['ab'],
  postBoxes: ['Box ###'],
  phones: ['0##-### ## ##', '+46 # ### ### ##'],
  addresses: [
    {
      code: 'SE',
      weight: 5,
      names: ['Sweden', 'Sverige'],
      street: { name: suffixed('gatan vägen gränd stigen torget gata allén backen väg plan') },
      codes: ['### ##', '#####', 'SE-### ##'],
      units: ['lgh ####'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
