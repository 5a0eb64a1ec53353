import { readFileSync } from 'node:fs';
import { wordHash } from '../../guardrail/detection/ner/tokens.ts';
import { nameHash, knownFlags } from '../../guardrail/detection/ner/knownNames.ts';
import { knownOrganizations } from './knownOrganizations.ts';
import { fakerList } from './faker.ts';
import { countries, foreignCountries, states, towns } from './lexicon.ts';
import { packagedPools } from './namePools.ts';
import type { Random } from './random.ts';
import type { WordNet } from './wordNet.ts';

const list = (file: string): string[] =>
  readFileSync(new URL(`./knownNames/${file}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/** The number of large towns that count as known places. */
const KNOWN_TOWNS = 1500;

/** The lists in the folder `knownNames`, written for this project; `ner/knownNames.ts` describes each. */
const lists = {
  person: list('people'),
  character: list('characters'),
  single: list('single'),
  place: list('places'),
  thing: list('things'),
};

const fakerPeople = (): string[] => [
  ...fakerList('en pl pt_BR', 'book', 'author'),
  ...fakerList('en', 'music', 'artist'),
];

/** Titles, models, breeds and species, dishes. */
const fakerThings = (): string[] => [
  ...['title', 'series', 'publisher'].flatMap((name) => fakerList('en pl pt_BR', 'book', name)),
  ...['album', 'song_name', 'genre'].flatMap((name) => fakerList('en pl fr', 'music', name)),
  ...['dish', 'fruit', 'spice', 'vegetable', 'ethnic_category'].flatMap((name) => fakerList('en', 'food', name)),
  ...['manufacturer', 'model'].flatMap((name) => fakerList('en de', 'vehicle', name)),
  ...['bear', 'bird', 'cat', 'cetacean', 'cow', 'dog', 'fish', 'horse', 'rabbit', 'snake'].flatMap((name) =>
    fakerList('en fr pl', 'animal', name),
  ),
  ...['department', 'product_name'].flatMap((name) => fakerList('en de fr es nl pt_BR sv', 'commerce', name)),
  ...fakerList('en', 'airline', 'airline'),
];

/** Family names that are common among private people. One of them alone does not name a famous bearer. */
const commonNames: ReadonlySet<string> = new Set(
  packagedPools.flatMap(({ key, given, family }) => [...given, ...(key === 'us' ? family.slice(0, 3000) : family)]),
);

/** The words of a name, as the tagger splits it. */
const wordsOf = (name: string): string[] => name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** All known names: the hash of the words of each, and its flags. */
export function buildKnownNames(wordNet: WordNet): Map<number, number> {
  const entries = new Map<number, number>();
  const add = (name: string, flag: number): void => {
    const words = wordsOf(name);
    if (words.length === 0) return;
    const hash = nameHash(words.map(wordHash));
    entries.set(hash, (entries.get(hash) ?? 0) | flag);
  };
  for (const name of [...lists.person, ...fakerPeople()]) add(name, knownFlags.person);
  for (const name of lists.character) add(name, knownFlags.character);
  for (const name of lists.single) add(name, knownFlags.single);
  for (const name of lists.place) add(name, knownFlags.place);
  for (const name of [...lists.thing, ...knownOrganizations, ...fakerThings(), ...wordNet.proper])
    add(name, knownFlags.thing);
  for (const name of [...countries, ...foreignCountries, ...states]) add(name, knownFlags.place);
  for (const { name } of towns.slice(0, KNOWN_TOWNS)) add(name, knownFlags.place);
  for (const [name, kind] of wordNet.named) {
    if (kind === 'PERSON' && name.includes(' ')) add(name, knownFlags.person);
    else if (kind === 'PERSON' && !commonNames.has(name)) add(name, knownFlags.single);
    else if (kind !== 'PERSON') add(name, kind === 'LOCATION' ? knownFlags.place : knownFlags.thing);
  }
  return entries;
}

/** The names for training, without a tenth: no list has all of them, so the classifier must learn from the text too. */
export const withoutHiddenNames = (entries: ReadonlyMap<number, number>): Map<number, number> =>
  new Map([...entries].filter(([hash]) => (hash >>> 3) % 10 !== 0));

/** Draws public names for training texts. */
export class PublicPeople {
  private readonly random: Random;
  private readonly full: readonly string[];
  private readonly single: readonly string[];

  constructor(random: Random) {
    this.random = random;
    const all = [...lists.person, ...lists.person, ...lists.character];
    this.full = all.filter((name) => name.includes(' '));
    this.single = [...lists.single, ...all.filter((name) => !name.includes(' '))];
  }

  any(): string {
    return this.random.pick(this.full);
  }

  /** Another public name, with one or with several words like the given one. */
  like(name: string): string {
    return this.random.pick(name.includes(' ') ? this.full : this.single);
  }
}
