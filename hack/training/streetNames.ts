import type { NameSource } from './addressFormat.ts';
import { fakerList } from './faker.ts';
import { byPart, type Part } from './lexicon.ts';
import type { NounNames } from './nounNames.ts';
import type { People, Person } from './people.ts';
import type { Places } from './places.ts';
import type { Random } from './random.ts';

/** Supplies the names in street names, from one part of the lists. */
export class StreetNames implements NameSource {
  readonly random: Random;
  private readonly part: Part;
  private readonly people: People;
  private readonly places: Places;
  private readonly nouns: NounNames;
  private readonly streetLists = new Map<string, readonly string[]>();

  constructor(random: Random, part: Part, names: { people: People; places: Places; nouns: NounNames }) {
    this.random = random;
    this.part = part;
    this.people = names.people;
    this.places = names.places;
    this.nouns = names.nouns;
  }

  person(): Person {
    return this.people.person();
  }

  given(): string {
    return this.people.given();
  }

  family(): string {
    return this.people.family();
  }

  nounName(): string {
    return this.nouns.nounName();
  }

  streetStem(): string {
    const { random } = this;
    return random.chance(0.5)
      ? this.people.family().replace(/[ '-].*$/, '')
      : random.chance(0.4)
        ? this.people.given().replace(/[ '-].*$/, '')
        : this.places.coinedTown();
  }

  streets(keys: string): readonly string[] {
    let list = this.streetLists.get(keys);
    if (!list) {
      list = byPart(fakerList(keys, 'location', 'street_name'), this.part, (name) => name);
      this.streetLists.set(keys, list);
    }
    return list;
  }
}
