import { placeEndings } from './languages/en/organizations.ts';
import { CoinedNames } from './coinedNames.ts';
import { ofLanguages } from './languages.ts';
import {
  byPart,
  countries,
  foreignCountries,
  countriesIn,
  famousNames,
  states,
  towns,
  type Part,
  type Town,
} from './lexicon.ts';
import type { Random } from './random.ts';
import type { Language } from './vocabulary.ts';
import type { WordNet } from './wordNet.ts';

const placePrefixes = ofLanguages('en:10 es:1 en:2 de it es:1 en es fr', (language) => language.placePrefixes);

/** Generates names of places from one part of the lists. */
export class Places {
  private readonly random: Random;
  private readonly coined: CoinedNames;
  private readonly towns: readonly Town[];
  private readonly townNames: readonly string[];
  private readonly townsOf: ReadonlyMap<string, readonly Town[]>;
  private readonly famous: readonly string[];

  constructor(random: Random, part: Part, wordNet: WordNet) {
    this.random = random;
    this.coined = new CoinedNames(random);
    this.towns = byPart(towns, part, ({ name }) => name);
    this.townNames = this.towns.slice(0, 20_000).map(({ name }) => name);
    this.townsOf = Map.groupBy(this.towns, ({ country }) => country);
    this.famous = famousNames(wordNet, 'LOCATION', part);
  }

  coinedTown(): string {
    return this.coined.coin('towns', this.townNames);
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
    return random.pick(random.chance(0.75) ? (language ? countriesIn[language] : countries) : foreignCountries);
  }

  region(): string {
    return this.random.pick(states);
  }

  /** A place that is widely known: a country, a large town, a river. */
  famousPlace(): string {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.3) return this.country();
    return chance < 0.6 ? random.pick(this.famous) : random.pick(this.townNames.slice(0, 600));
  }

  place(): string {
    const chance = this.random.next();
    if (chance < 0.58) return this.town();
    if (chance < 0.75) return this.country();
    if (chance < 0.83) return this.region();
    if (chance < 0.9) return this.random.pick(this.famous);
    if (chance < 0.95) {
      return `${this.random.pick(placePrefixes)} ${this.coinedTown()}`;
    }
    return `${this.town()} ${this.random.pick(placeEndings)}`;
  }
}
