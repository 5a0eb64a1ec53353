import { lines, type HeldOutNames } from '../../../heldOut/language.ts';
import { split } from '../../../words.ts';

/** The organisations are invented. */
export const spanishHeldOut: HeldOutNames = {
  pools: ['es'],
  given:
    split(`Ainhoa Begoña Candela Encarnación Leire Unai Nerea Rocío Íñigo Álvaro Ibai Jordi Pau Covadonga Almudena Fermín
      Wenceslao Casilda Purificación Noemí Aitana Cayetana Isidoro Anselmo Bartolomé Herminia Olegario Sagrario`),
  country: 'ES',
  organizations: lines(`Panadería La Espiga Dorada
      Reformas Alcaraván S.L.
      Mutua del Guadiato
      Autocares Peñalba
      Gestoría Entrepinares
      CEIP Los Almendros
      Cooperativa Olivarera del Cerro
      Ferretería El Yunque
      Aguas de Valdehierro
      Clínica Dental Azahar
      Peña Ciclista La Rueda
      Imprenta Tres Cantos
      Grupo Marisma
      Hostal El Mirlo`),
  streets: lines(`calle de los Curtidores, #
      C/ Molino Viejo #
      paseo del Espolón, #
      plaza del Trigo #
      Avda. de las Acacias, #, 2.º B
      callejón del Pozo, #
      camino de la Noria #
      calle Herrería, #
      travesía del Olmo, #
      cuesta de San Lázaro, #`),
  towns: ['41560 @', '28739 @', '15142 @', '50290 @'],
  phones: ['600 555 213', '955 01 47 62', '+34 711 00 28 94'],
  dates: ['14 de marzo', '02/11/2024', '7 de agosto de 2025', 'primero de mayo'],
};
