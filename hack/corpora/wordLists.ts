/** What the rules for words read: Tesseract's word lists, and lists of names. */
import type { Language } from '../training/vocabulary.ts';

/** A language whose words are only in the gazetteer. Training has no vocabulary of it. */
export type GazetteerLanguage = 'pt' | 'pl' | 'sv';

/** Words of known names, in lower case. */
export interface KnownNames {
  /** Words of given names. */
  readonly given: ReadonlySet<string>;
  /** Words of the given names of a language. */
  readonly ownGiven: Readonly<Record<GazetteerLanguage, ReadonlySet<string>>>;
  /** Words of family names, without the United States census, which contains many ordinary words. */
  readonly family: ReadonlySet<string>;
  /** Words of all family names. */
  readonly allFamily: ReadonlySet<string>;
  /** Words in names of towns with at least 20,000 inhabitants. */
  readonly largeTowns: ReadonlySet<string>;
  /** Words in names of all towns. */
  readonly allTowns: ReadonlySet<string>;
  /** Words in WordNet's names of people, places and groups. */
  readonly famous: ReadonlySet<string>;
}

/** The input of the rules for `words.txt.gz`. */
export interface WordLists {
  readonly lists: Readonly<Record<Language | GazetteerLanguage | 'en', readonly string[]>>;
  readonly names: KnownNames;
  /** English words in lower case. */
  readonly english: ReadonlySet<string>;
}

/** The written forms of the words of a list, by their lower-case form. */
export class Forms {
  readonly lowerCase = new Set<string>();
  readonly capitalized = new Set<string>();
  readonly upper = new Set<string>();
  readonly all: ReadonlySet<string>;

  constructor(list: readonly string[]) {
    this.all = new Set(list);
    for (const word of list) {
      const lower = word.toLowerCase();
      if (word === lower) this.lowerCase.add(word);
      else if (word.slice(1) === lower.slice(1)) this.capitalized.add(lower);
      if (word === word.toUpperCase()) this.upper.add(lower);
    }
  }

  /** Whether the list has a word capitalized and never in lower case. Such words are mostly names. */
  isAlwaysCapitalized(word: string): boolean {
    return this.capitalized.has(word) && !this.lowerCase.has(word);
  }
}
