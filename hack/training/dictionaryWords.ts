import { namePools } from './namePools.ts';
import type { Random } from './random.ts';
import type { WordNet } from './wordNet.ts';

/** Draws words from the dictionary. */
export class DictionaryWords {
  private readonly random: Random;
  private readonly wordNet: WordNet;
  /** Nouns that are also given names: job, dawn, art. */
  private readonly alsoNames: readonly string[];

  constructor(random: Random, wordNet: WordNet) {
    this.random = random;
    this.wordNet = wordNet;
    const names = new Set(
      namePools.flatMap(({ given, family }) => [...given, ...family]).map((name) => name.toLowerCase()),
    );
    this.alsoNames = wordNet.nouns.filter((noun) => noun.length > 2 && noun.length < 9 && names.has(noun));
  }

  /** A noun of at most `length` letters. */
  noun(length = 11): string {
    const noun = this.random.chance(0.12) ? this.namesake() : this.pick('nouns');
    return noun.length > length ? this.noun(length) : noun;
  }

  /** A word that occurs in running text, or any word of the dictionary. */
  pick(list: 'nouns' | 'verbs' | 'adjectives'): string {
    const { random, wordNet } = this;
    return random.pick(random.chance(0.55) ? wordNet.usual[list] : wordNet[list]);
  }

  /** A noun that is also a name. */
  namesake(): string {
    return this.random.pick(this.alsoNames);
  }
}
