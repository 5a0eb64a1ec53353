import { codeBeforeTown, suffixed } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';
import { dutchVocabulary } from './vocabulary.ts';

export const dutchTraining = {
  vocabulary: dutchVocabulary,
  particles: ['van', 'van der', 'ten'],
  labels: split('Bel Stuur Schrijf Telefoon Mobiel Of En'),
  legalForms: ['BV', 'B.V.', 'NV'],
  organizationKinds: split('Verzekeringen Bakkerij Garagebedrijf Bouwbedrijf Groep Apotheek'),
  townOrganizations: ['Gemeente', 'Universiteit', 'Universiteit van', 'Ziekenhuis', 'Rechtbank', 'Hogeschool'],
  streetWords: split('straat laan gracht plein kade'),
  organizationWords: ['bv', 'nv'],
  postBoxes: ['Postbus ###'],
  addresses: [
    {
      code: 'NL',
      weight: 6,
      names: ['Netherlands', 'Nederland', 'The Netherlands'],
      street: {
        name: (m) =>
          m.random.chance(0.8)
            ? suffixed('straat laan weg gracht plein kade dijk singel hof dreef pad hove')(m)
            : `${m.given()} ${m.family()}${m.random.pick(['straat', 'laan', 'hof', 'hove'])}`,
      },
      codes: ['#### ??', '####??'],
      units: ['?', '-#', 'bis', 'hs', '# hoog'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
