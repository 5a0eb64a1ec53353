import { webWords } from './lexicon.ts';
import type { Random } from './random.ts';
import type { TextInLanguage } from './templates.ts';
import { languages, verbForms, vocabularyOf, type Language } from './vocabulary.ts';
import { capitalized } from './words.ts';

interface Replacements {
  /** Lists of words that are lower case within a sentence. Each list is picked equally often. */
  readonly words: readonly (readonly string[])[];
  /** Lists of nouns. They replace capitalised German nouns. */
  readonly nouns: readonly (readonly string[])[];
}

function replacements(): Map<string, Replacements> {
  return new Map(
    languages.map((language) => {
      const { nouns, adjectives } = vocabularyOf(language);
      const web = webWords[language];
      const small = language === 'de' ? [adjectives, verbForms(language)] : [nouns, adjectives, verbForms(language)];
      return [language, { words: [web.words, web.words, ...small], nouns: [web.nouns, nouns] }];
    }),
  );
}

/** Replaces words of texts, and placeholders of templates, by everyday words of a language. */
export class WordReplacement {
  private readonly random: Random;
  private readonly replacements = replacements();

  constructor(random: Random) {
    this.random = random;
  }

  /** Replaces three in ten words of a text by other words of its language. The grammar stays correct; the meaning changes. */
  withOtherWords({ text, language }: TextInLanguage): string {
    const { random } = this;
    const own = this.replacements.get(language);
    if (!own) return text;
    return text.replace(
      /(?<![\p{L}\p{M}\p{N}'’_{-])[\p{L}\p{M}]{4,}(?![\p{L}\p{M}\p{N}'’_}-])/gu,
      (word, at: number) => {
        if (!random.chance(0.3)) return word;
        if (/^\p{Ll}+$/u.test(word)) return random.pick(random.pick(own.words));
        const isNoun = language === 'de' && at > 0 && /^\p{Lu}\p{Ll}+$/u.test(word);
        return isNoun ? random.pick(random.pick(own.nouns)) : word;
      },
    );
  }

  /** Replaces placeholders for parts of speech by words of a language. Placeholders for names remain. */
  inLanguage(template: string, language: Language, verbs: readonly string[]): string {
    const { random } = this;
    const { nouns, adjectives, functionWords } = vocabularyOf(language);
    const web = webWords[language];
    const lists: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
      noun: [nouns, web.nouns],
      adj: [adjectives, web.words],
      small: [functionWords, functionWords],
      verb: [verbs, web.words],
    };
    return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const list = lists[name.toLowerCase()];
      if (!list) return whole;
      const word = random.pick(list[random.chance(0.5) ? 0 : 1]);
      return name === name.toLowerCase() ? word : name === name.toUpperCase() ? word.toUpperCase() : capitalized(word);
    });
  }
}
