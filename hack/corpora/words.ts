/** The rule that makes `words.txt.gz`: which words of Tesseract's lists are ordinary words of a language. */
import type { Language } from '../../guardrail/detection/training/vocabulary.ts';

export interface KnownNames {
  /** Words of given names. */
  readonly given: ReadonlySet<string>;
  /** Words of family names, but for those that only the census of the United States has, which has all kinds of words. */
  readonly family: ReadonlySet<string>;
  /** Words of all family names. */
  readonly allFamily: ReadonlySet<string>;
  /** Words of the names of towns of 20,000 inhabitants or more. */
  readonly largeTowns: ReadonlySet<string>;
  /** Words of the names of all towns. */
  readonly allTowns: ReadonlySet<string>;
  /** Words of the people, places and groups that WordNet names. */
  readonly famous: ReadonlySet<string>;
}

export interface WordLists {
  readonly lists: Readonly<Record<Language | 'en', readonly string[]>>;
  readonly names: KnownNames;
  /** English words, in small letters. */
  readonly english: ReadonlySet<string>;
}

/** The words of a list as they are written, by their form in small letters. */
class Forms {
  readonly small = new Set<string>();
  readonly capitalized = new Set<string>();
  readonly upper = new Set<string>();
  readonly all: ReadonlySet<string>;

  constructor(list: readonly string[]) {
    this.all = new Set(list);
    for (const word of list) {
      const lower = word.toLowerCase();
      if (word === lower) this.small.add(word);
      else if (word.slice(1) === lower.slice(1)) this.capitalized.add(lower);
      if (word === word.toUpperCase()) this.upper.add(lower);
    }
  }

  /** Words that this list has with a capital, and never in small letters: mostly names. */
  isWrittenLargeAlone(word: string): boolean {
    return this.capitalized.has(word) && !this.small.has(word);
  }
}

const isWord = (word: string): boolean =>
  word.length >= 3 &&
  word.length <= 16 &&
  /^\p{L}+$/u.test(word) &&
  /[aeiouyäöüáéíóúàèìòùâêîôûëïœæø]/.test(word.toLowerCase());

/** How usual a word must be: the larger the list, the more of the forms of a word it must have. */
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

/** Words of a language that are no name, nor English, written small. */
export function ordinaryWords(language: Language, { lists, names, english }: WordLists): string[] {
  const forms = new Forms(lists[language]);
  const englishForms = new Forms(lists.en);
  // Dutch has by far the longest list, with the most names in it.
  const known =
    language === 'nl'
      ? [names.given, names.allFamily, names.allTowns, names.famous]
      : [names.given, names.family, names.largeTowns];
  return sorted(
    [...forms.small].filter(
      (word) =>
        isWord(word) &&
        isUsual[language](forms, word) &&
        !english.has(word) &&
        !englishForms.isWrittenLargeAlone(word) &&
        !known.some((list) => list.has(word)),
    ),
  );
}

/** German nouns: words written large alone, with an inflected form or an ending of nouns, or also in capitals. */
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
        !forms.small.has(lower) &&
        isNoun(word) &&
        !others.some((other) => other.isWrittenLargeAlone(lower)) &&
        !known.some((list) => list.has(lower))
      );
    }),
  );
}

/** The corpus: one entry a list, of its key and its words. */
export function wordsCorpus(from: WordLists): string {
  const languages: readonly Language[] = ['de', 'es', 'fr', 'it', 'nl'];
  const entries = [
    ...languages.map((language) => [language, ordinaryWords(language, from)] as const),
    ['de-nouns', germanNouns(from)] as const,
  ];
  return entries.map(([key, words]) => `${key}\t${words.join(' ')}`).join('\0');
}
