import { prefixedBy } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';
import { italianVocabulary } from './vocabulary.ts';

export const italianTraining = {
  vocabulary: italianVocabulary,
  particles: ['di'],
  titles: ['Signora'],
  labels: split('Chiami Scriva Chiamate Posta Telefono Cellulare Oppure E'),
  degrees: ['Laurea'],
  legalForms: ['S.p.A.', 'SpA', 'S.r.l.'],
  organizationKinds: split(
    'Assicurazioni Trasporti Officine Studio Clinica Costruzioni Gruppo Farmacia Ristorante Libreria Panificio',
  ),
  townOrganizations: [
    'Ospedale di',
    'Comune di',
    'Università di',
    'Università degli Studi di',
    'Camera di Commercio di',
    'Banca Popolare di',
    'Cassa di Risparmio di',
    'Tribunale di',
    'Questura di',
  ],
  organizationAdjectives: ['Gruppo'],
  placePrefixes: ['Villa'],
  streetWords: split('via viale piazza corso largo vicolo strada'),
  organizationWords: split('srl spa università'),
  postBoxes: ['C.P. ###'],
  phones: ['+39 ### #######'],
  addresses: [
    {
      code: 'IT',
      weight: 6,
      names: ['Italy', 'Italia'],
      street: {
        name: prefixedBy(
          'Via|Via|via|Viale|Piazza|Corso|Largo|Vicolo|Strada|Contrada|Lungomare|Via della|Piazza del|Borgo',
        ),
      },
      codes: ['#####'],
      regions: ['MI', 'RM', 'TO', 'NA', 'BO', 'FI', 'PA', 'GE'],
      order: (s, c, t, r) => `${s}, ${c} ${t}${r ? ` (${r})` : ''}`,
    },
  ],
} satisfies TrainingLanguage;
