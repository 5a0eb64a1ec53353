import { codeBeforeTown, prefixedBy } from '../../addressFormat.ts';
import type { TrainingLanguage } from '../../language.ts';
import { split } from '../../words.ts';
import { spanishVocabulary } from './vocabulary.ts';

export const spanishTraining = {
  vocabulary: spanishVocabulary,
  particles: ['del'],
  titles: split('Señor Señora Sra. Sr.'),
  labels: split('Llame Escriba Correo Teléfono Móvil Contacto Y'),
  legalForms: ['S.L.', 'SL'],
  organizationKinds: split(
    'Seguros Transportes Talleres Bufete Clínica Construcciones Grupo Bodegas Farmacia Restaurante Autoescuela Librería',
  ),
  townOrganizations: [
    'Hospital Universitario de',
    'Hospital General de',
    'Ayuntamiento de',
    'Universidad de',
    'Colegio de Abogados de',
    'Cámara de Comercio de',
    'Caja Rural de',
    'Diputación de',
    'Junta de',
  ],
  organizationPrefixes: ['Universidad de', 'Banco de'],
  organizationAdjectives: ['Grupo'],
  and: ['y'],
  placePrefixes: ['San', 'Santa', 'El', 'Los'],
  streetWords: split('calle avenida avda plaza paseo carretera ronda camino'),
  organizationWords: ['universidad'],
  postBoxes: ['Apartado ###'],
  phones: ['### ### ###'],
  addresses: [
    {
      code: 'ES',
      weight: 6,
      names: ['Spain', 'España'],
      street: {
        name: prefixedBy(
          'Calle|C/|Calle de|Calle de la|Avenida|Avda.|Av.|Plaza|Paseo de|Carretera|Ronda|Camino|Cuesta|Travesía|Rúa|C. de',
        ),
      },
      codes: ['#####'],
      units: ['#º ?', '#ºA', 'piso #', 'bajo', '#º izq'],
      order: codeBeforeTown,
    },
    {
      code: 'MX',
      weight: 2,
      names: ['Mexico', 'México'],
      street: { name: prefixedBy('Calle|Av.|Avenida|Calz.|Blvd.|Privada') },
      codes: ['#####', 'C.P. #####'],
      order: codeBeforeTown,
    },
    {
      code: 'AR',
      weight: 1.5,
      names: ['Argentina', 'Uruguay', 'Chile', 'Colombia'],
      street: {
        name: (m) => (m.random.chance(0.5) ? m.family() : prefixedBy('Av.|Calle|Pasaje|Carrera|Bv.')(m)),
      },
      codes: ['?####', '####', '#####'],
      order: codeBeforeTown,
    },
  ],
} satisfies TrainingLanguage;
