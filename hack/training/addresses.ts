import type { AddressFormat, NameSource } from './addressFormat.ts';
import { ofLanguages } from './languages.ts';
import type { Places } from './places.ts';
import type { Random } from './random.ts';

const postBoxes = ofLanguages('en:3 de fr nl es sv en it nb', (language) => language.postBoxes);
/** Address formats of all countries. */
const addressFormats = ofLanguages(
  'en de fr es:2 it nl sv nb da fi is cs sk pl pt hu ro hr et el tr es',
  (language) => language.addresses,
);

/** Generates postal addresses. */
export class Addresses {
  private readonly random: Random;
  private readonly places: Places;
  private readonly streetNames: NameSource;

  constructor(random: Random, places: Places, streetNames: NameSource) {
    this.random = random;
    this.places = places;
    this.streetNames = streetNames;
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
    const name = country.street.name(this.streetNames);
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
    return this.random.weighted(addressFormats).street.name(this.streetNames);
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
    const town = random.chance(0.07) ? this.places.town(country.code).toUpperCase() : this.places.town(country.code);
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
    const name = streetCountry.street.name(this.streetNames);
    const street = random.chance(0.6)
      ? `${this.number()} ${name} ${random.chance(0.6) ? this.number() : ''}`.trim()
      : random.chance(0.5)
        ? `${name} ${this.number()}`
        : `${this.number()} ${name}`;
    const unit = random.chance(0.55)
      ? random.format(random.pick(['Apt. ###', 'Suite ###', 'Apt. ##', 'Unit ##', 'Flat #', 'Apt ###']))
      : '';
    const town = random.chance(0.25)
      ? this.places.town(country.code).toUpperCase()
      : this.places.town(random.chance(0.8) ? country.code : undefined);
    const region = random.chance(0.35)
      ? random.pick([...(country.regions ?? []), random.format('??'), this.places.region(), 'N/A', '', 'nan', '-'])
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
          `${this.places.town()} ${random.format('#####')}`,
          `${random.format('#####')} ${this.places.town()}`,
          `${random.format('####')} ${this.places.town()}`,
          this.places.town(),
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
