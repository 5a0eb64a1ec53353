import { lines, type HeldOutNames } from '../../../heldOut/language.ts';

/** The organisations are invented. */
export const germanHeldOut: HeldOutNames = {
  pools: ['de'],
  country: 'DE',
  organizations: lines(`Zimmerei Holzapfel & Söhne
      Wohnbau Nordheide eG
      Stadtwerke Mühltal
      Kita Pusteblume
      Reederei Tidenhub GmbH
      Sanitätshaus Wendt
      Brauerei Zum Rabenstein
      Fahrschule Kreisel
      Lindenhof-Apotheke
      Turnverein Eichenbruch
      Hausverwaltung Kranich & Partner
      Messtechnik Ostsee AG
      Feinkost Wacholder
      Tierklinik am Deich`),
  streets: lines(`Gerberstieg #
      Am Alten Speicher #
      Fliederkamp #
      Obere Torgasse #
      Fuhrmannsweg #
      Zur Ziegelhütte #
      Kantorenplatz #
      Mühlgrabenstr. #
      Hinter dem Rathaus #
      Seilerbahn #`),
  towns: ['27432 @', '04654 @', '88212 @', '56073 @'],
  phones: ['0171 5550142', '030 23125 017', '+49 221 4710 998'],
  dates: ['14. März', '02.11.2024', '7. August 2025', '23.05.'],
};
