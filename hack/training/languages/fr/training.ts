import { codeBeforeTown, prefixedBy, suffixed } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';
import { frenchVocabulary } from './vocabulary.ts';

export const frenchTraining = {
  vocabulary: frenchVocabulary,
  particles: ['de', 'de la', 'le', 'du'],
  titles: ['Madame', 'Mme', 'M.'],
  labels: split('Appelez Contactez Écrivez Courriel Téléphone Portable Ou Veuillez Et'),
  degrees: ['Licence'],
  legalForms: ['SA', 'S.A.', 'SAS', 'SARL'],
  organizationKinds: split(
    'Assurances Transports Garage Cabinet Clinique Constructions Groupe Pharmacie Restaurant Librairie Boulangerie',
  ),
  townOrganizations: [
    'Centre hospitalier de',
    'Mairie de',
    'Université de',
    'Chambre de commerce de',
    'Préfecture de',
    'Lycée de',
    'Office de tourisme de',
    'Tribunal de',
  ],
  organizationPrefixes: ['Université de'],
  organizationAdjectives: ['Société', 'Groupe'],
  and: ['et'],
  placePrefixes: ['Le', 'La'],
  streetWords: split('rue avenue boulevard chemin impasse quai cours'),
  organizationWords: split('sa sas sarl université'),
  postBoxes: ['BP ###'],
  phones: ['0# ## ## ## ##', '+33 # ## ## ## ##'],
  addresses: [
    {
      code: 'FR',
      weight: 7,
      names: ['France'],
      street: {
        numberFirst: true,
        name: prefixedBy(
          'rue|Rue|Rue de la|rue de|avenue|Avenue|Avenue du|boulevard|Boulevard|Bd|place|Place|quai|Quai|chemin|Chemin des|impasse|allée|Allée des|route de|cours|Square|Rue du|rue des',
        ),
      },
      codes: ['#####'],
      units: ['bis', 'ter', 'Bât. ?', 'Apt ##'],
      order: codeBeforeTown,
    },
    {
      code: 'BE',
      weight: 2,
      names: ['Belgium', 'Belgique', 'België'],
      street: {
        name: (m) =>
          m.random.chance(0.5)
            ? prefixedBy('Rue|Rue de|Avenue|Chaussée de|Boulevard')(m)
            : suffixed('straat laan weg steenweg plein')(m),
      },
      codes: ['####', 'B-####'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
