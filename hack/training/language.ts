import type { AddressFormat } from './addressFormat.ts';

/** A pattern for the end of a word to replace, and the endings that replace it, separated by spaces. */
export type Inflection = readonly [RegExp, string];

/** Everyday words of a language, and rules for their regular forms. */
export interface Vocabulary {
  readonly nouns: readonly string[];
  readonly adjectives: readonly string[];
  /** Infinitives. */
  readonly verbs: readonly string[];
  /** Function words, and adverbs of time, place and manner. */
  readonly functionWords: readonly string[];
  /** Forms of regular verbs. */
  readonly conjugations: readonly Inflection[];
  /** Plural nouns and inflected adjectives. */
  readonly endings: readonly Inflection[];
}

/** Lists of words and patterns from which names, addresses and labels are generated. */
export interface WordLists {
  /** Between the given name and the family name: "van der". */
  readonly particles: readonly string[];
  /** Before a name: "Mrs." */
  readonly titles: readonly string[];
  /** Before an e-mail address or a phone number: "Mail". */
  readonly labels: readonly string[];
  readonly degrees: readonly string[];
  /** After the name of a company: "GmbH". */
  readonly legalForms: readonly string[];
  /** Before the family name of the owner: "Autohaus". */
  readonly organizationKinds: readonly string[];
  /** Before the name of a town: "Sparkasse". */
  readonly townOrganizations: readonly string[];
  /** Before the name of a town or a noun: "University of". */
  readonly organizationPrefixes: readonly string[];
  /** At the beginning of a company name: "National". */
  readonly organizationAdjectives: readonly string[];
  /** Before the last of several owners: "and". */
  readonly and: readonly string[];
  /** At the beginning of a place name: "North". */
  readonly placePrefixes: readonly string[];
  /** Words of street names, in lower case, for the gazetteer. */
  readonly streetWords: readonly string[];
  /** Words of organisation names, in lower case, for the gazetteer. */
  readonly organizationWords: readonly string[];
  /** Post office boxes. `#` is a digit. */
  readonly postBoxes: readonly string[];
  /** Phone numbers. `#` is a digit. */
  readonly phones: readonly string[];
}

/** The training data of one language that is not in its template files. */
export interface TrainingLanguage extends Partial<WordLists> {
  readonly vocabulary?: Vocabulary;
  /** Common names that no package lists, in Latin letters. */
  readonly names?: { readonly given: readonly string[]; readonly family: readonly string[] };
  /** Address formats of the countries that speak the language. */
  readonly addresses?: readonly AddressFormat[];
  readonly months?: readonly string[];
  readonly weekdays?: readonly string[];
}
