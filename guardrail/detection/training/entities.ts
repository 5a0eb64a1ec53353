import {
  countries,
  countriesElsewhere,
  countriesIn,
  namePools,
  partOf,
  states,
  towns,
  type NamePool,
  type Part,
  type Town,
} from './lexicon.ts';
import { type WordNet } from './wordNet.ts';
import type { Random } from './random.ts';
import type { Language } from './vocabulary.ts';
import { capitalized, split } from './words.ts';
import type { AddressFormat } from './addressFormat.ts';
import { ofLanguages } from './languages.ts';
import { fakerList } from './faker.ts';
import { companyWords, placeEndings, townOrganizationEndings } from '../languages/en/training/organizations.ts';

export interface Person {
  readonly given: string;
  readonly family: string;
  /** The full name, as written. */
  readonly full: string;
}

/** Generates names that sound like those of a list, from letter trigrams. */
class TrigramNameGenerator {
  private readonly following = new Map<string, string[]>();

  constructor(names: readonly string[]) {
    for (const name of names) {
      if (!/^\p{L}{3,12}$/u.test(name)) continue;
      const padded = `^^${name.toLowerCase()}$`;
      for (let at = 2; at < padded.length; at++) {
        const key = padded.slice(at - 2, at);
        const list = this.following.get(key);
        if (list) list.push(padded.charAt(at));
        else this.following.set(key, [padded.charAt(at)]);
      }
    }
  }

  make(random: Random): string {
    for (let attempt = 0; attempt < 50; attempt++) {
      let name = '^^';
      while (name.length < 14) {
        const next = random.pick(this.following.get(name.slice(-2)) ?? ['$']);
        if (next === '$') break;
        name += next;
      }
      if (name.length > 5) return capitalized(name.slice(2));
    }
    throw new Error('These names teach no sound.');
  }
}

const byPart = <T>(list: readonly T[], part: Part, nameOf: (entry: T) => string): T[] =>
  list.filter((entry) => partOf(nameOf(entry)) === part);

const brandEndings = split(
  'ly ify io ix eo ia ora ity hub base wise soft tech ware net data cast point ico ex on us aro via lytics',
);
const brandBeginnings = split('e i my go get up un pro bio neo open cyber deep smart net info agri medi fin cloud');

const particles = ofLanguages('nl:2 fr:1 de:1 fr:1 es it pt ar nl fr en sv de', (language) => language.particles);
const legalForms = ofLanguages(
  'en:12 de:5 fr es it nl sv da:1 nb da fi hu cs pl en:6 pt de en',
  (language) => language.legalForms,
);
const organizationKinds = ofLanguages('es fr it nl de', (language) => language.organizationKinds);
const townOrganizations = ofLanguages('es fr it nl de', (language) => language.townOrganizations);
const organizationPrefixes = ofLanguages(
  'en:2 de:1 fr es:1 de en:2 es en',
  (language) => language.organizationPrefixes,
);
const organizationAdjectives = ofLanguages('en de fr es it', (language) => language.organizationAdjectives);
const and = ofLanguages('en de fr es', (language) => language.and);
const placePrefixes = ofLanguages('en:10 es:1 en:2 de it es:1 en es fr', (language) => language.placePrefixes);
const postBoxes = ofLanguages('en:3 de fr nl es sv en it nb', (language) => language.postBoxes);
/** Address formats of all countries. */
const addressFormats = ofLanguages(
  'en de fr es:2 it nl sv nb da fi is cs sk pl pt hu ro hr et el tr es',
  (language) => language.addresses,
);
const knownOrgs = ['Google', 'Microsoft', 'Amazon', 'Apple', 'Meta', 'Facebook', 'Netflix', 'Tesla', 'IBM', 'Intel', 'Oracle', 'SAP', 'Siemens', 'Bosch', 'BMW', 'Volkswagen', 'Mercedes-Benz', 'Daimler', 'Deutsche Bank', 'Commerzbank', 'Allianz', 'Lufthansa', 'Bayer', 'BASF', 'Adidas', 'Puma', 'Airbus', 'Boeing', 'Renault', 'Peugeot', 'Total', 'Orange', 'Carrefour', 'BNP Paribas', 'Santander', 'BBVA', 'Telefónica', 'Inditex', 'Zara', 'Fiat', 'Ferrari', 'Eni', 'Enel', 'Philips', 'Shell', 'ING', 'Heineken', 'Unilever', 'Volvo', 'Ericsson', 'IKEA', 'H&M', 'Spotify', 'Nokia', 'Nestlé', 'Novartis', 'Roche', 'UBS', 'Credit Suisse', 'Toyota', 'Honda', 'Sony', 'Nintendo', 'Samsung', 'LG', 'Hyundai', 'Huawei', 'Alibaba', 'Tencent', 'Walmart', 'Target', 'Costco', 'Starbucks', "McDonald's", 'Burger King', 'Coca-Cola', 'Pepsi', 'Nike', 'Ford', 'General Motors', 'General Electric', 'Goldman Sachs', 'JPMorgan', 'Morgan Stanley', 'Citibank', 'Wells Fargo', 'Bank of America', 'HSBC', 'Barclays', 'Lloyds', 'Vodafone', 'BT', 'BBC', 'CNN', 'Fox News', 'Reuters', 'The New York Times', 'The Guardian', 'FIFA', 'UEFA', 'NATO', 'UNESCO', 'WHO', 'NASA', 'FBI', 'CIA', 'UN', 'EU', 'NHS', 'IMF', 'World Bank', 'United Nations', 'European Union', 'European Commission', 'Red Cross', 'Greenpeace', 'Harvard University', 'MIT', 'Stanford', 'Oxford University', 'Manchester United', 'Liverpool FC', 'Real Madrid', 'FC Barcelona', 'Bayern München', 'Juventus', 'Ajax', 'Chelsea', 'Arsenal', 'Lakers', 'Yankees', 'Red Sox', 'Congress', 'Senate', 'Labour Party', 'Republican Party', 'Democratic Party', 'SPD', 'CDU', 'Bundestag', 'Deutsche Bahn', 'Telekom', 'Uber', 'Airbnb', 'PayPal', 'Stripe', 'Visa', 'Mastercard', 'FedEx', 'UPS', 'DHL', 'Delta Air Lines', 'Ryanair', 'KLM', 'Pfizer', 'Moderna', 'Johnson & Johnson', 'Procter & Gamble', 'Ernst & Young', 'Deloitte', 'PwC', 'KPMG', 'Accenture', 'McKinsey', 'Twitter', 'YouTube', 'TikTok', 'OpenAI', 'Anthropic', 'Nvidia', 'AMD', 'Qualcomm', 'Cisco', 'Dell', 'HP', 'Lenovo', 'Xerox', 'Kodak', 'Disney', 'Pixar', 'Warner Bros', 'Universal', 'Paramount', 'AT&T', 'Verizon', 'T-Mobile', 'Comcast']; // prettier-ignore

/** Generates names, places, organisations and addresses from one part of the lists. */
export class Entities {
  readonly random: Random;
  readonly part: Part;
  private readonly pools: readonly NamePool[];
  private readonly towns: readonly Town[];
  private readonly townNames: readonly string[];
  private readonly townsOf = new Map<string, Town[]>();
  private readonly generators = new Map<string, TrigramNameGenerator>();
  private readonly streetLists = new Map<string, readonly string[]>();
  private readonly orgs: readonly string[];
  private readonly nouns: readonly string[];
  private readonly famous: Readonly<Record<'PERSON' | 'LOCATION' | 'ORGANIZATION', readonly string[]>>;

  constructor(random: Random, part: Part, wordNet: WordNet) {
    this.random = random;
    this.part = part;
    // A short list may contain no name of a part. A name of another part must not replace it.
    this.pools = namePools
      .map((pool) => ({
        ...pool,
        given: byPart(pool.given, part, (name) => name),
        family: byPart(pool.family, part, (name) => name),
      }))
      .filter(({ given, family }) => given.length > 0 && family.length > 0);
    this.towns = byPart(towns, part, ({ name }) => name);
    this.townNames = this.towns.slice(0, 20_000).map(({ name }) => name);
    for (const town of this.towns) {
      const list = this.townsOf.get(town.country);
      if (list) list.push(town);
      else this.townsOf.set(town.country, [town]);
    }
    this.orgs = byPart(knownOrgs, part, (name) => name);
    this.nouns = byPart(
      wordNet.nouns.filter((noun) => noun.length > 3 && noun.length < 9),
      part,
      (noun) => noun,
    );
    const famous = (kind: string): string[] =>
      byPart(
        [...wordNet.named].filter(([name, is]) => is === kind && name.length > 3).map(([name]) => name),
        part,
        (name) => name,
      );
    this.famous = {
      PERSON: famous('PERSON'),
      LOCATION: famous('LOCATION'),
      ORGANIZATION: famous('ORGANIZATION'),
    };
  }

  private coined(key: string, names: readonly string[]): string {
    let generator = this.generators.get(key);
    if (!generator) {
      generator = new TrigramNameGenerator(names);
      this.generators.set(key, generator);
    }
    return generator.make(this.random);
  }

  private coinedTown(): string {
    return this.coined('towns', this.townNames);
  }

  private pool(): NamePool {
    return this.random.weighted(this.pools);
  }

  given(pool = this.pool()): string {
    if (this.random.chance(0.1) && pool.given.length > 60 && pool.key !== 'vi')
      return this.coined(`${pool.key} given`, pool.given);
    return pool.key === 'us' ? this.random.pickUsual(pool.given) : this.random.pick(pool.given);
  }

  family(pool = this.pool()): string {
    const { random } = this;
    const plain =
      random.chance(0.14) && pool.family.length > 60
        ? this.coined(`${pool.key} family`, pool.family)
        : pool.key === 'us' || pool.key === 'nick'
          ? random.pickUsual(pool.family)
          : random.pick(pool.family);
    if (random.chance(0.035)) {
      const particle = random.pick(particles);
      return /^(?:O'|Ma?c)$/.test(particle) ? particle + plain : `${particle} ${plain}`;
    }
    if (random.chance(0.04)) return `${plain}-${random.pick(pool.family)}`;
    if (/^(?:es|pt)/.test(pool.key) && random.chance(0.4)) return `${plain} ${random.pick(pool.family)}`;
    return plain;
  }

  person(): Person {
    const { random } = this;
    if (random.chance(0.03)) {
      const name = random.pick(this.famous.PERSON);
      const [given = name, ...rest] = name.split(' ');
      return { given, family: rest.at(-1) ?? given, full: name };
    }
    // Some people have a family name from another country.
    const pool = this.pool();
    const given = this.given(pool) + (random.chance(0.03) ? `-${this.given(pool)}` : '');
    const family = this.family(random.chance(0.12) ? this.pool() : pool);
    const initial = String.fromCharCode(65 + random.int(0, 25));
    const middle = random.next();
    const between =
      middle < 0.12 ? ` ${initial}.` : middle < 0.17 ? ` ${initial}` : middle < 0.22 ? ` ${this.given(pool)}` : '';
    const full = pool.familyFirst ? `${family} ${given}` : `${given}${between} ${family}`;
    return { given, family, full };
  }

  /** A name as in a form or list: family name first, or initials. */
  formalPerson(): string {
    const { given, family } = this.person();
    const { random } = this;
    const initial = given.charAt(0).toUpperCase();
    return random.pick([
      `${family}, ${given}`,
      `${initial}. ${family}`,
      `${family}, ${initial}.`,
      `${initial}.${String.fromCharCode(65 + random.int(0, 25))}. ${family}`,
      `${family} ${initial}.`,
      `${family} ${given}`,
    ]);
  }

  town(country?: string): string {
    const { random } = this;
    if (!country && random.chance(0.06)) return this.coinedTown();
    const list = country ? (this.townsOf.get(country) ?? this.towns) : this.towns;
    return random.pickUsual(list).name;
  }

  /** @param language language of most country names. The default is mostly English. */
  country(language?: Language): string {
    const { random } = this;
    return random.pick(random.chance(0.75) ? (language ? countriesIn[language] : countries) : countriesElsewhere);
  }

  region(): string {
    return this.random.pick(states);
  }

  place(): string {
    const chance = this.random.next();
    if (chance < 0.58) return this.town();
    if (chance < 0.75) return this.country();
    if (chance < 0.83) return this.region();
    if (chance < 0.9) return this.random.pick(this.famous.LOCATION);
    if (chance < 0.95) {
      return `${this.random.pick(placePrefixes)} ${this.coinedTown()}`;
    }
    return `${this.town()} ${this.random.pick(placeEndings)}`;
  }

  /** A common word, capitalised like a name. */
  nounName(): string {
    return capitalized(this.random.pick(this.nouns));
  }

  organization(): string {
    const { random } = this;
    const legal = (): string => random.pick(legalForms);
    const chance = random.next();
    if (chance < 0.06) return random.pick(this.orgs);
    if (chance < 0.08) return `${random.pick(organizationKinds)} ${this.family()}`;
    if (chance < 0.1) return `${random.pick(townOrganizations)} ${this.town()}`;
    if (chance < 0.14) return random.pick(this.famous.ORGANIZATION);
    if (chance < 0.21) return `${this.family()} ${legal()}`;
    if (chance < 0.25) return `${this.family()}-${this.family()}`;
    if (chance < 0.3) return `${this.family()}, ${this.family()} ${random.pick(and)} ${this.family()}`;
    if (chance < 0.34)
      return `${this.family()} ${random.pick(['&', 'and'])} ${random.pick(['Sons', 'Co', 'Partners', this.family(), 'Associates', 'Daughters'])}${random.chance(0.3) ? ` ${legal()}` : ''}`;
    if (chance < 0.44)
      return `${this.nounName()} ${random.pick(companyWords)}${random.chance(0.45) ? ` ${legal()}` : ''}`;
    if (chance < 0.54) return `${this.brand()} ${random.chance(0.5) ? legal() : random.pick(companyWords)}`;
    if (chance < 0.68) return this.brand();
    if (chance < 0.73) return `${this.town()} ${random.pick(townOrganizationEndings)}`;
    if (chance < 0.76)
      return `${random.pick(organizationPrefixes)} ${random.chance(0.8) ? this.town() : this.nounName()}`;
    if (chance < 0.81) return `${this.nounName()} ${this.nounName()}${random.chance(0.5) ? ` ${legal()}` : ''}`;
    if (chance < 0.86) return `${this.family()} ${random.pick(companyWords)}${random.chance(0.3) ? ` ${legal()}` : ''}`;
    if (chance < 0.9) {
      const letters = Array.from({ length: random.int(2, 4) }, () => String.fromCharCode(65 + random.int(0, 25))).join(
        '',
      );
      return random.chance(0.5) ? letters : `${letters} ${random.chance(0.5) ? random.pick(companyWords) : legal()}`;
    }
    if (chance < 0.93) return `${random.int(1, 99)} ${this.nounName()} ${random.pick(companyWords)}`;
    if (chance < 0.96)
      return `${random.pick(organizationAdjectives)} ${random.chance(0.5) ? this.nounName() : random.pick(companyWords)} ${random.chance(0.5) ? random.pick(companyWords) : legal()}`;
    return `${this.nounName()} ${random.pick(['and', 'of', 'for', '&'])} ${this.nounName()}${random.chance(0.4) ? ` ${random.pick(companyWords)}` : ''}`;
  }

  /** A coined company name: joined, shortened or extended words. */
  brand(): string {
    const { random } = this;
    const noun = (): string => random.pick(this.nouns);
    const chance = random.next();
    if (chance < 0.35) return capitalized(noun() + noun());
    if (chance < 0.5) return this.nounName() + this.nounName();
    if (chance < 0.7) return capitalized(noun().replace(/[aeiouy]+$/, '') + random.pick(brandEndings));
    if (chance < 0.8) return capitalized(random.pick(brandBeginnings)) + noun();
    if (chance < 0.9) return this.coined('nouns', this.nouns);
    return this.nounName();
  }

  streetStem(): string {
    const { random } = this;
    return random.chance(0.5)
      ? this.family().replace(/[ '-].*$/, '')
      : random.chance(0.4)
        ? this.given().replace(/[ '-].*$/, '')
        : this.coinedTown();
  }

  streets(keys: string): readonly string[] {
    let list = this.streetLists.get(keys);
    if (!list) {
      list = byPart(fakerList(keys, 'location', 'street_name'), this.part, (name) => name);
      this.streetLists.set(keys, list);
    }
    return list;
  }

  private number(): string {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.75) return String(random.int(1, random.pick([20, 99, 300])));
    if (chance < 0.85) return `${random.int(1, 150)}${random.pick(['a', 'b', 'c', 'A', 'B', ' a', '-3', '/2'])}`;
    return String(random.int(300, 19_999));
  }

  /** Street and number in the format of the country. */
  street(country: AddressFormat): string {
    const { random } = this;
    const name = country.street.name(this);
    const number = this.number();
    const line = country.street.numberFirst
      ? `${number}${random.chance(0.08) ? ',' : ''} ${name}`
      : `${name} ${number}`;
    if (!country.units || !random.chance(0.25)) return line;
    const unit = random.format(random.pick(country.units));
    return random.chance(0.3) && country.code === 'GB'
      ? `${unit}, ${line}`
      : `${line}${random.pick([', ', ' ', ', '])}${unit}`;
  }

  streetOnly(): string {
    return this.street(this.random.weighted(addressFormats));
  }

  /** A street without a number. It is also a place. */
  streetName(): string {
    return this.random.weighted(addressFormats).street.name(this);
  }

  /** A postal address in one of many formats, on one or several lines. */
  address(): string {
    const chance = this.random.next();
    const written =
      chance < 0.52
        ? this.countryAddress()
        : chance < 0.9
          ? this.mixedAddress()
          : chance < 0.95
            ? this.boxAddress()
            : this.cornerAddress();
    return this.random.chance(0.06) ? written.toUpperCase() : written;
  }

  private countryAddress(): string {
    const { random } = this;
    const country = random.weighted(addressFormats);
    const region =
      country.regions && random.chance(country.code === 'US' ? 0.95 : 0.6) ? random.pick(country.regions) : '';
    const town = random.chance(0.07) ? this.town(country.code).toUpperCase() : this.town(country.code);
    let line = country.order(this.street(country), random.format(random.pick(country.codes)), town, region);
    if (random.chance(0.12)) line = line.replace(/,? [\w-]*\d[\w -]*$/, '');
    if (random.chance(0.2)) line += `, ${random.pick(country.names)}`;
    return this.broken(line);
  }

  /** Replaces commas by line breaks, or removes them. */
  private broken(line: string): string {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.58) return line;
    if (chance < 0.72) return line.replaceAll(', ', '\n');
    if (chance < 0.8) return line.replaceAll(', ', random.pick([',\n', '\n ', '\n  ', '\n    ', ' \n']));
    if (chance < 0.9) return line.replaceAll(', ', ' ');
    return line.replace(', ', ' ');
  }

  /** An address of parts from several countries, as in generated test data and badly maintained databases. */
  private mixedAddress(): string {
    const { random } = this;
    const streetCountry = random.weighted(addressFormats);
    const country = random.weighted(addressFormats);
    const name = streetCountry.street.name(this);
    const street = random.chance(0.6)
      ? `${this.number()} ${name} ${random.chance(0.6) ? this.number() : ''}`.trim()
      : random.chance(0.5)
        ? `${name} ${this.number()}`
        : `${this.number()} ${name}`;
    const unit = random.chance(0.55)
      ? random.format(random.pick(['Apt. ###', 'Suite ###', 'Apt. ##', 'Unit ##', 'Flat #', 'Apt ###']))
      : '';
    const town = random.chance(0.25)
      ? this.town(country.code).toUpperCase()
      : this.town(random.chance(0.8) ? country.code : undefined);
    const region = random.chance(0.35)
      ? random.pick([...(country.regions ?? []), random.format('??'), this.region(), 'N/A', '', 'nan', '-'])
      : '';
    const code = random.chance(0.75)
      ? random.format(random.pick(random.chance(0.6) ? ['#####', '####', '######'] : country.codes))
      : '';
    const land = random.chance(0.4) ? random.pick(country.names) : '';
    const tail = random.pick([
      [town, region, code, land],
      [town, region, `${land} ${code}`.trim()],
      [`${code} ${town}`.trim(), region, land],
      [town, code],
      [town, `${region} ${code}`.trim(), land],
      [town],
      [town, land],
    ]);
    const parts = [random.chance(0.5) && unit ? `${street} ${unit}` : street, unit, ...tail].filter(
      (piece, at, all) => piece !== '' && !(at === 1 && all[0]?.endsWith(piece)),
    );
    return parts.join(random.pick([', ', ', ', '\n', '\n ', '\n, ', '\n  ', '\n    ', ' ', ' ', ',\n', '\n\n ', '\t']));
  }

  private boxAddress(): string {
    const { random } = this;
    const box = random.format(random.pick(postBoxes));
    const military = /PSC|Unit|CMR|US/.test(box);
    const rest = military
      ? random.format(`${random.pick(['APO', 'FPO', 'DPO'])} ${random.pick(['AA', 'AE', 'AP'])} #####`)
      : random.pick([
          `${this.town()} ${random.format('#####')}`,
          `${random.format('#####')} ${this.town()}`,
          `${random.format('####')} ${this.town()}`,
          this.town(),
        ]);
    return `${box}${random.pick([', ', '\n', ' '])}${rest}`;
  }

  private cornerAddress(): string {
    const street = (): string => this.streetName();
    const { random } = this;
    if (random.chance(0.6))
      return `${random.pick(['the corner of', 'corner of', 'the intersection of'])} ${random.chance(0.4) ? this.streetOnly() : street()} and ${street()}`;
    return `${street()} ${random.pick(['&', 'and', 'at'])} ${street()}`;
  }

  postcode(): string {
    return this.random.format(this.random.pick(this.random.weighted(addressFormats).codes));
  }
}
