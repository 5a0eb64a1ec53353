import { trainingLanguages } from './languages.ts';
import type { Inflection, Vocabulary } from './language.ts';

type Languages = typeof trainingLanguages;

/** The code of a language with everyday words. */
export type Language = {
  [Code in keyof Languages]: Languages[Code] extends { readonly vocabulary: Vocabulary } ? Code : never;
}[keyof Languages];

/** The languages with everyday words. English is not one of them: WordNet has its words. */
export const languages = (Object.keys(trainingLanguages) as (keyof Languages)[]).filter(
  (code): code is Language => 'vocabulary' in trainingLanguages[code],
);

export const vocabularyOf = (language: Language): Vocabulary => trainingLanguages[language].vocabulary;

const inflections = (word: string, rules: readonly Inflection[]): string[] =>
  rules.flatMap(([cut, others]) =>
    cut.test(word) ? others.split(' ').map((ending) => word.replace(cut, ending)) : [],
  );

/** Verbs with all their regular forms. */
export const verbForms = (language: Language): string[] => {
  const { verbs, conjugations } = vocabularyOf(language);
  return verbs.flatMap((verb) => [verb, ...inflections(verb, conjugations)]);
};

/** All words of a language with their regular inflections, in lower case. A few of the generated forms are not in use. */
export function wordFormsOf(language: Language): Set<string> {
  const { nouns, adjectives, functionWords, endings } = vocabularyOf(language);
  const inflected = [...nouns, ...adjectives].flatMap((word) => [word, ...inflections(word, endings)]);
  return new Set([...inflected, ...functionWords, ...verbForms(language)].map((word) => word.toLowerCase()));
}

/**
 * The most letters of a word that the gazetteer takes from the corpus of words. The tagger recognizes a longer word as
 * ordinary by its form. Polish words have longer endings.
 */
export const longestOrdinary = (language: string): number => (language === 'pl' ? 10 : 8);
