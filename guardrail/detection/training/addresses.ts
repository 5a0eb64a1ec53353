import { capitalized } from './capitalized.ts';
import { fakerList } from './lexicon.ts';
import type { Random } from './random.ts';

/** Supplies the names from which street names are built. */
export interface NameMaker {
  readonly random: Random;
  person(): { readonly full: string };
  given(): string;
  family(): string;
  nounName(): string;
  streetStem(): string;
  /** Street names of faker's locales. */
  streets(locales: string): readonly string[];
}

interface Street {
  readonly name: (maker: NameMaker) => string;
  /** Whether the house number precedes the street. */
  readonly numberFirst?: boolean;
}

export interface Country {
  readonly code: string;
  readonly weight: number;
  readonly street: Street;
  /** Patterns of postal codes: `#` is a digit, `?` a letter. */
  readonly codes: readonly string[];
  /** Joins street, code, town and region in the order that the country uses. */
  readonly order: (street: string, code: string, town: string, region: string) => string;
  readonly regions?: readonly string[];
  readonly units?: readonly string[];
  readonly names: readonly string[];
}

const usual = (street: string, code: string, town: string): string => `${street}, ${code} ${town}`;
const usStates = fakerList('en', 'location', 'state_abbr').concat(fakerList('en', 'location', 'state'));

const suffixed =
  (suffixes: string): Street['name'] =>
  (maker) =>
    maker.streetStem() + maker.random.pick(suffixes.split(' '));

const prefixedBy =
  (prefixes: string): Street['name'] =>
  (maker) =>
    `${maker.random.pick(prefixes.split('|'))} ${maker.random.chance(0.4) ? maker.person().full : maker.random.chance(0.5) ? maker.family() : maker.nounName()}`;

const listed =
  (keys: string, otherwise: Street['name']): Street['name'] =>
  (maker) => {
    const list = maker.streets(keys);
    return list.length > 0 && maker.random.chance(0.6) ? maker.random.pick(list) : otherwise(maker);
  };

const english: Street = {
  numberFirst: true,
  name: (maker) => {
    const { random } = maker;
    const suffix = random.pick(
      'Street St St. Road Rd Rd. Avenue Ave Ave. Lane Ln Drive Dr Dr. Court Ct Boulevard Blvd Place Pl Way Terrace Close Crescent Parkway Pkwy Highway Square Circle Trail Plaza Gardens Grove Hill Mews Row Walk View Heights Green Park Rise Loop Path Ridge Run Crossing Meadows Union Station Ferry Springs Island Harbors Mills Estates Junction Bypass Causeway Turnpike Alley Views'.split(
        ' ',
      ),
    );
    const stem = random.chance(0.25)
      ? `${random.int(1, 140)}${random.pick(['th', 'st', 'nd', 'rd'])}`
      : random.chance(0.45)
        ? maker.family()
        : random.chance(0.3)
          ? maker.given()
          : random.pick(
              'Oak Maple Cedar Pine Elm Washington Lake Hill Walnut Spring North Ridge Church Willow Mill Sunset Railroad Jackson Cherry West South East Highland Forest River Meadow Chestnut Broad Green School Center Station Park Main High Victoria King Queen Grange London Manor Windsor York Albert Springfield George Prospect Valley'.split(
                ' ',
              ),
            );
    const direction = random.chance(0.12)
      ? `${random.pick(['N', 'S', 'E', 'W', 'N.', 'West', 'North', 'SW', 'NE'])} `
      : '';
    return `${direction}${stem} ${suffix}${random.chance(0.05) ? ` ${random.pick(['North', 'West', 'NW', 'E'])}` : ''}`;
  },
};

const german: Street = {
  name: listed('de de_AT', (maker) =>
    maker.random.chance(0.5)
      ? suffixed('straße str. strasse weg gasse allee platz ring ufer damm steig')(maker)
      : maker.random.pick(['Am ', 'An der ', 'Im ', 'Zum ', 'Auf dem ', 'Unter den ', 'Alte ', 'Lange ', 'Neue ']) +
        capitalized(maker.nounName()),
  ),
};

const nordic = (suffixes: string): Street => ({ name: suffixed(suffixes) });

const aptUnits = [
  'Apt. ###',
  'Suite ###',
  'Apt ##',
  'Unit #',
  '#5##',
  'Apt. #?',
  'Ste ###',
  'Floor #',
  'Apt. ###',
  'Suite ###',
];

/** Order and weights affect the random draws, and so the trained weights. */
export const addressCountries: readonly Country[] = [
  {
    code: 'US',
    weight: 16,
    names: ['USA', 'United States', 'US', 'U.S.A.'],
    street: english,
    codes: ['#####', '#####', '#####-####'],
    regions: usStates,
    units: aptUnits,
    order: (s, c, t, r) => `${s}, ${t}, ${r} ${c}`,
  },
  {
    code: 'GB',
    weight: 8,
    names: ['United Kingdom', 'UK', 'England', 'Scotland'],
    street: english,
    codes: ['??# #??', '??## #??', '?# #??', '?## #??', 'EC#? #??'],
    units: ['Flat #', 'Flat ##', 'Unit #'],
    order: (s, c, t) => `${s}, ${t} ${c}`,
  },
  {
    code: 'GB',
    weight: 4,
    names: ['United Kingdom', 'UK'],
    street: english,
    codes: ['??# #??', '??## #??'],
    order: (s, c, t) => `${s}, ${t}, ${c}`,
  },
  {
    code: 'CA',
    weight: 3,
    names: ['Canada'],
    street: english,
    codes: ['?#? #?#'],
    regions: ['ON', 'QC', 'BC', 'AB', 'MB', 'NS', 'Ontario', 'Quebec'],
    units: aptUnits,
    order: (s, c, t, r) => `${s}, ${t}, ${r} ${c}`,
  },
  {
    code: 'AU',
    weight: 3,
    names: ['Australia'],
    street: english,
    codes: ['####'],
    regions: ['NSW', 'VIC', 'QLD', 'WA', 'SA', 'TAS', 'ACT'],
    units: ['Unit #', 'Level ##'],
    order: (s, c, t, r) => `${s}, ${t} ${r} ${c}`,
  },
  {
    code: 'NZ',
    weight: 1.5,
    names: ['New Zealand'],
    street: english,
    codes: ['####'],
    order: (s, c, t) => `${s}, ${t} ${c}`,
  },
  {
    code: 'IN',
    weight: 2,
    names: ['India'],
    street: {
      numberFirst: true,
      name: (m) =>
        `${m.family()} ${m.random.pick(['Nagar', 'Marg', 'Road', 'Chowk', 'Colony', 'Layout', 'Cross', 'Street'])}`,
    },
    codes: ['######', '### ###'],
    order: (s, c, t) => `${s}, ${t} ${c}`,
  },
  {
    code: 'DE',
    weight: 9,
    names: ['Germany', 'Deutschland'],
    street: german,
    codes: ['#####', '#####', 'D-#####'],
    order: usual,
  },
  {
    code: 'AT',
    weight: 2,
    names: ['Austria', 'Österreich'],
    street: german,
    codes: ['####', 'A-####'],
    order: usual,
  },
  {
    code: 'CH',
    weight: 2,
    names: ['Switzerland', 'Schweiz', 'Suisse'],
    street: {
      name: (m) => (m.random.chance(0.6) ? german.name(m) : prefixedBy('Rue|Chemin|Via|Route|Strada')(m)),
    },
    codes: ['####', 'CH-####'],
    order: usual,
  },
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
    order: usual,
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
    order: usual,
  },
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
    order: usual,
  },
  {
    code: 'MX',
    weight: 2,
    names: ['Mexico', 'México'],
    street: { name: prefixedBy('Calle|Av.|Avenida|Calz.|Blvd.|Privada') },
    codes: ['#####', 'C.P. #####'],
    order: usual,
  },
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
    order: usual,
  },
  {
    code: 'SE',
    weight: 5,
    names: ['Sweden', 'Sverige'],
    street: nordic('gatan vägen gränd stigen torget gata allén backen väg plan'),
    codes: ['### ##', '#####', 'SE-### ##'],
    units: ['lgh ####'],
    order: usual,
  },
  {
    code: 'NO',
    weight: 3,
    names: ['Norway', 'Norge'],
    street: nordic('gata veien vegen gate vei lia svingen bakken kroken terrasse haugen'),
    codes: ['####'],
    order: usual,
  },
  {
    code: 'DK',
    weight: 3,
    names: ['Denmark', 'Danmark'],
    street: {
      name: listed('da', suffixed('vej gade allé stræde vænget parken')),
    },
    codes: ['####', 'DK-####'],
    units: ['#. tv', '#. th', 'st. mf'],
    order: usual,
  },
  {
    code: 'FI',
    weight: 3,
    names: ['Finland', 'Suomi'],
    street: nordic('katu tie kuja polku kaari tori ranta rinne mäki'),
    codes: ['#####'],
    units: ['A ##', 'B #', 'as. ##'],
    order: usual,
  },
  {
    code: 'IS',
    weight: 1.5,
    names: ['Iceland', 'Ísland'],
    street: nordic('gata stræti vegur braut hólar hagi teigur'),
    codes: ['###'],
    order: usual,
  },
  {
    code: 'CZ',
    weight: 3,
    names: ['Czech Republic', 'Czechia'],
    street: { name: listed('cs_CZ sk', suffixed('ova ská ova ého')) },
    codes: ['### ##', '#####'],
    order: usual,
  },
  {
    code: 'SK',
    weight: 1,
    names: ['Slovakia'],
    street: { name: listed('sk', suffixed('ova ská')) },
    codes: ['### ##'],
    order: usual,
  },
  {
    code: 'PL',
    weight: 3,
    names: ['Poland', 'Polska'],
    street: { name: prefixedBy('ul.|ul.|ulica|al.|Al.|os.|pl.|Plac') },
    codes: ['##-###'],
    units: ['m. #', '/##'],
    order: usual,
  },
  {
    code: 'PT',
    weight: 3,
    names: ['Portugal'],
    street: {
      name: prefixedBy('Rua|Rua|R.|R|Rua da|Avenida|Av.|Travessa|Largo|Praça|Estrada|Alameda|Beco|Quinta'),
    },
    codes: ['####-###'],
    units: ['#º Esq', '#º Dto', 'r/c'],
    order: usual,
  },
  {
    code: 'BR',
    weight: 3,
    names: ['Brazil', 'Brasil'],
    street: {
      name: prefixedBy('Rua|Rua|Av.|Avenida|Travessa|Alameda|Praça|Rodovia'),
    },
    codes: ['#####-###'],
    regions: ['SP', 'RJ', 'MG', 'RS', 'BA', 'PR'],
    order: (s, c, t, r) => `${s}, ${t}${r ? ` - ${r}` : ''}, ${c}`,
  },
  {
    code: 'HU',
    weight: 2,
    names: ['Hungary', 'Magyarország'],
    street: {
      name: (m) =>
        `${m.random.chance(0.5) ? m.family() : m.person().full} ${m.random.pick(['utca', 'u.', 'út', 'tér', 'körút', 'köz', 'sétány', 'sor'])}`,
    },
    codes: ['####', 'H-####'],
    order: (s, c, t) => `${c} ${t}, ${s}`,
  },
  {
    code: 'RO',
    weight: 1,
    names: ['Romania'],
    street: { name: prefixedBy('Strada|Str.|Bulevardul|Bd.|Aleea|Calea') },
    codes: ['######'],
    order: usual,
  },
  {
    code: 'HR',
    weight: 2,
    names: ['Croatia', 'Hrvatska', 'Slovenia'],
    street: {
      name: (m) =>
        m.random.chance(0.5)
          ? listed('hr sl_SI sr_RS_latin', suffixed('eva ova ska'))(m)
          : `${m.family()}${m.random.pick(['eva', 'ova', 'ska', ' ulica', ' cesta', ' trg'])}`,
    },
    codes: ['#####', '####'],
    order: usual,
  },
  {
    code: 'EE',
    weight: 1.5,
    names: ['Estonia', 'Eesti', 'Latvia', 'Lithuania'],
    street: {
      name: (m) =>
        m.random.chance(0.5)
          ? m.streetStem()
          : `${m.streetStem()} ${m.random.pick(['tn', 'tee', 'mnt', 'pst', 'iela', 'g.'])}`,
    },
    codes: ['#####', 'LV-####'],
    order: usual,
  },
  {
    code: 'GR',
    weight: 1.5,
    names: ['Greece', 'Cyprus', 'Ελλάδα'],
    street: {
      name: (m) =>
        m.random.chance(0.6)
          ? m.random.pick(m.streets('el'))
          : `${m.random.pick(['Leoforos', 'Odos', 'Λεωφόρος'])} ${m.family()}`,
    },
    codes: ['### ##', '#####'],
    order: usual,
  },
  {
    code: 'TR',
    weight: 1,
    names: ['Turkey', 'Türkiye'],
    street: {
      name: (m) => `${m.family()} ${m.random.pick(['Caddesi', 'Cad.', 'Sokak', 'Sk.', 'Bulvarı', 'Mahallesi'])}`,
    },
    codes: ['#####'],
    units: ['No: ##', 'D: #'],
    order: usual,
  },
  {
    code: 'AR',
    weight: 1.5,
    names: ['Argentina', 'Uruguay', 'Chile', 'Colombia'],
    street: {
      name: (m) => (m.random.chance(0.5) ? m.family() : prefixedBy('Av.|Calle|Pasaje|Carrera|Bv.')(m)),
    },
    codes: ['?####', '####', '#####'],
    order: usual,
  },
];
