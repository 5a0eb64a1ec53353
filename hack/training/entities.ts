import { Addresses } from './addresses.ts';
import type { Part } from './lexicon.ts';
import { NounNames } from './nounNames.ts';
import { Organizations } from './organizations.ts';
import { People } from './people.ts';
import { Places } from './places.ts';
import { PublicPeople } from './knownNames.ts';
import type { Random } from './random.ts';
import { StreetNames } from './streetNames.ts';
import type { WordNet } from './wordNet.ts';

/** Generators of names, places, organisations and addresses from one part of the lists. */
export interface Entities {
  readonly people: People;
  readonly publicPeople: PublicPeople;
  readonly places: Places;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

export function createEntities(random: Random, part: Part, wordNet: WordNet): Entities {
  const publicPeople = new PublicPeople(random);
  const people = new People(random, part, wordNet, publicPeople);
  const places = new Places(random, part, wordNet);
  const nouns = new NounNames(random, part, wordNet);
  const names = { people, places, nouns };
  return {
    people,
    publicPeople,
    places,
    organizations: new Organizations(random, part, wordNet, names),
    addresses: new Addresses(random, places, new StreetNames(random, part, names)),
  };
}
