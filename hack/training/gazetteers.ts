import { wordHash } from '../../guardrail/detection/ner/tokens.ts';
import { flags } from '../../guardrail/detection/ner/gazetteer.ts';
import { fakerList } from './faker.ts';
import { functionWords } from './functionWords.ts';
import { ofLanguages } from './languages.ts';
import {
  comparedAdjectives,
  countries,
  englishWords,
  foreignCountries,
  foreignWords,
  isHidden,
  states,
  towns,
} from './lexicon.ts';
import { packagedPools, rarePools } from './namePools.ts';
import { unspacedWords } from './unspacedWords.ts';
import { type WordNet } from './wordNet.ts';

const streetWords = ofLanguages(
  'en:32 de:10 fr es it nl sv nb da fi pl hu pt cs hr tr ro de en',
  (language) => language.streetWords,
);
const organizationWords = ofLanguages(
  'en:9 de:4 fr:3 it:2 nl sv fi nb da hu cs en:4 pt en:23 de fr es it en',
  (language) => language.organizationWords,
);

/** Words of famous names that are labels in most texts: "Tel" of "Tel Aviv". */
const labels: ReadonlySet<string> = new Set(['Tel']);

/** Builds the shipped gazetteer from all lists. Maps the hash of a word to its flags. */
export function buildGazetteer(wordNet: WordNet): Map<number, number> {
  const entries = new Map<number, number>();
  const add = (word: string, flag: number): void => {
    if (word.length < 2) return;
    const hash = wordHash(word);
    entries.set(hash, (entries.get(hash) ?? 0) | flag);
  };
  const wordsOf = (name: string): string[] => name.match(/[\p{L}\p{M}]+/gu) ?? [];
  const functions = new Set(Array.from(functionWords, wordHash));
  const isFunction = (word: string): boolean => functions.has(wordHash(word));
  const addNames = (names: readonly string[], flag: number, isPackaged: boolean): void => {
    for (const name of names) {
      // A function word is a name only where a list of usual names has it alone, with the same letters: Dan, Per.
      const isSure = isPackaged && functionWords.has(name.toLowerCase());
      for (const word of wordsOf(name)) if (word.length > 2 && (isSure || !isFunction(word))) add(word, flag);
    }
  };
  for (const [pools, isPackaged] of [
    [packagedPools, true],
    [rarePools, false],
  ] as const) {
    for (const { given, family } of pools) {
      addNames(given, flags.given, isPackaged);
      addNames(family, flags.family, isPackaged);
    }
  }
  for (const { name } of towns) {
    const words = wordsOf(name);
    for (const word of words)
      if (words.length === 1 || word.length > 3) add(word, words.length === 1 ? flags.town : flags.townPart);
  }
  for (const name of [...countries, ...foreignCountries, ...states]) {
    for (const word of wordsOf(name)) if (word.length > 3) add(word, flags.region);
  }
  for (const [name, kind] of wordNet.named) {
    const words = wordsOf(name).filter((word) => /^\p{Lu}/u.test(word) && !labels.has(word) && !isFunction(word));
    for (const [at, word] of words.entries()) {
      if (kind === 'PERSON') add(word, at === words.length - 1 ? flags.family : flags.given);
      else add(word, kind === 'LOCATION' ? flags.region : flags.organization);
    }
  }
  for (const word of streetWords) add(word, flags.street);
  for (const word of organizationWords) add(word, flags.organization);
  for (const word of fakerList('en de fr es it nl sv pl cs_CZ hu', 'company', 'legal_entity_type').flatMap(wordsOf))
    add(word, flags.organization);
  // A long word needs the flag `ordinary` only if it is also a name. The tagger recognizes the others by their absence.
  for (const word of [...englishWords(wordNet), ...comparedAdjectives(wordNet)]) {
    const hash = wordHash(word);
    const known = entries.get(hash);
    if (known !== undefined || word.length < 9) entries.set(hash, (known ?? 0) | flags.ordinary);
  }
  for (const [word, flag] of unspacedWords()) {
    const hash = wordHash(word);
    entries.set(hash, (entries.get(hash) ?? 0) | flag);
  }
  // Lists of other languages are incomplete, so the flag is informative for every word.
  for (const word of [...foreignWords(), ...functionWords]) add(word, flags.ordinary);
  return entries;
}

/**
 * The gazetteer for training and its scores. It hides a third of the names, and a third of the ordinary words of other
 * languages than English, because no list has all of them.
 */
export function withHiddenWords(entries: ReadonlyMap<number, number>, wordNet: WordNet): Map<number, number> {
  const english = new Set([...englishWords(wordNet), ...comparedAdjectives(wordNet), ...functionWords].map(wordHash));
  return new Map(
    [...entries]
      .map(([hash, value]) => {
        const kept = english.has(hash) ? flags.ordinary | flags.street : flags.street;
        return [hash, isHidden(hash) ? value & kept : value] as const;
      })
      .filter(([, value]) => value !== 0),
  );
}
