import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';
import { germanAddresses } from './addresses.ts';
import { germanVocabulary } from './vocabulary.ts';

export const germanTraining = {
  vocabulary: germanVocabulary,
  addresses: germanAddresses,
  particles: ['von', 'zu'],
  titles: ['Herr', 'Frau'],
  labels: split('Kontakt Telefon Anruf Rufen Schreiben Handy Mailen Bitte Oder Und'),
  degrees: ['Abitur'],
  legalForms: ['GmbH', 'AG', 'GmbH & Co. KG', 'SE', 'KG', 'e.V.'],
  organizationKinds: split('Autohaus Bäckerei Spedition Kanzlei Klinik Apotheke Gasthof Metzgerei Praxis Druckerei'),
  townOrganizations: [
    'Stadt',
    'Sparkasse',
    'Volksbank',
    'Universitätsklinikum',
    'Amtsgericht',
    'Landkreis',
    'Handwerkskammer',
    'Technische Universität',
    'Finanzamt',
    'Jobcenter',
  ],
  organizationPrefixes: ['Universität', 'Stadtwerke', 'Klinikum'],
  organizationAdjectives: ['Deutsche'],
  and: ['und'],
  placePrefixes: ['Bad'],
  streetWords: split('straße strasse str weg gasse allee platz ring ufer damm postfach'),
  organizationWords: split('gmbh ag kg se gruppe stadtwerke klinikum universität'),
  postBoxes: ['Postfach ## ##'],
  phones: ['+49 30 ########'],
  months: split('Januar Februar März April Mai Juni Juli August September Oktober November Dezember'),
  weekdays: split('Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag'),
} satisfies TrainingLanguage;
