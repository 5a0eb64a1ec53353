/** The rule for `words.txt.gz`: it selects the ordinary words of a language from Tesseract's lists. */
import type { Language } from '../training/vocabulary.ts';
import { gazetteerWords } from './gazetteerWords.ts';
import { Forms, type GazetteerLanguage, type WordLists } from './wordLists.ts';

const isWord = (word: string): boolean =>
  word.length >= 3 &&
  word.length <= 16 &&
  /^\p{L}+$/u.test(word) &&
  /[aeiouyäöüáéíóúàèìòùâêîôûëïœæø]/.test(word.toLowerCase());

/** Whether a word is common. The larger the list of a language, the more forms of a word it must contain. */
const isUsual: Readonly<Record<Language, (forms: Forms, word: string) => boolean>> = {
  de: () => true,
  fr: (forms, word) => forms.capitalized.has(word) || forms.upper.has(word),
  es: (forms, word) => forms.capitalized.has(word) && forms.upper.has(word),
  it: (forms, word) => forms.capitalized.has(word) && forms.upper.has(word),
  nl: (forms, word) => forms.capitalized.has(word) && forms.upper.has(word),
};

const inflections = ['e', 'en', 'n', 's', 'es', 'er', 'ern'];
const nounEnding = /(?:ung|ik|gen|keit|tion|tät|heit|nis|schaft|ismus|werk|ment|erei|stoff|zeug)$/;

const sorted = (words: Iterable<string>): string[] => [...new Set(words)].sort();

/** Lower-case words of a language that are neither names nor English. */
export function ordinaryWords(language: Language, { lists, names, english }: WordLists): string[] {
  const forms = new Forms(lists[language]);
  const englishForms = new Forms(lists.en);
  // The Dutch list is by far the longest and contains the most names.
  const known =
    language === 'nl'
      ? [names.given, names.allFamily, names.allTowns, names.famous]
      : [names.given, names.family, names.largeTowns];
  return sorted(
    [...forms.lowerCase].filter(
      (word) =>
        isWord(word) &&
        isUsual[language](forms, word) &&
        !english.has(word) &&
        !englishForms.isAlwaysCapitalized(word) &&
        !known.some((list) => list.has(word)),
    ),
  );
}

/** German nouns: words that are always capitalized, and have an inflected form, a noun ending or an all-capitals form. */
export function germanNouns({ lists, names }: WordLists): string[] {
  const forms = new Forms(lists.de);
  const others = [new Forms(lists.en), new Forms(lists.es)];
  const known = [names.given, names.allFamily, names.allTowns, names.famous];
  const isNoun = (word: string): boolean =>
    forms.all.has(word.toUpperCase()) ||
    nounEnding.test(word) ||
    inflections.some(
      (ending) =>
        forms.all.has(word + ending) || (word.endsWith(ending) && forms.all.has(word.slice(0, -ending.length))),
    );
  return sorted(
    lists.de.filter((word) => {
      const lower = word.toLowerCase();
      return (
        /^[A-ZÄÖÜ][a-zäöüß]+$/.test(word) &&
        isWord(word) &&
        !forms.lowerCase.has(lower) &&
        isNoun(word) &&
        !others.some((other) => other.isAlwaysCapitalized(lower)) &&
        !known.some((list) => list.has(lower))
      );
    }),
  );
}

/** Returns the corpus: per list, its key and its words. */
export function wordsCorpus(from: WordLists): string {
  const languages: readonly Language[] = ['de', 'es', 'fr', 'it', 'nl'];
  const others: readonly GazetteerLanguage[] = ['pt', 'pl', 'sv'];
  const entries = [
    ...languages.map((language) => [language, ordinaryWords(language, from)] as const),
    ['de-nouns', germanNouns(from)] as const,
    ...others.map((language) => [language, gazetteerWords(language, from)] as const),
  ];
  return entries.map(([key, words]) => `${key}\t${words.join(' ')}`).join('\0');
}
