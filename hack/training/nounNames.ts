import { CoinedNames } from './coinedNames.ts';
import { byPart, type Part } from './lexicon.ts';
import type { Random } from './random.ts';
import { capitalized } from './words.ts';
import type { WordNet } from './wordNet.ts';

/** Generates names from common English words of one part of the dictionary. */
export class NounNames {
  private readonly random: Random;
  private readonly coined: CoinedNames;
  private readonly nouns: readonly string[];

  constructor(random: Random, part: Part, wordNet: WordNet) {
    this.random = random;
    this.coined = new CoinedNames(random);
    this.nouns = byPart(
      wordNet.nouns.filter((noun) => noun.length > 3 && noun.length < 9),
      part,
      (noun) => noun,
    );
  }

  noun(): string {
    return this.random.pick(this.nouns);
  }

  /** A common word, capitalised like a name. */
  nounName(): string {
    return capitalized(this.noun());
  }

  coinedNoun(): string {
    return this.coined.coin('nouns', this.nouns);
  }
}
