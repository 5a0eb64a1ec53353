import type { Piece } from './labelledText.ts';
import { foreignWords } from './lexicon.ts';
import { namePools } from './namePools.ts';
import type { Random } from './random.ts';
import type { WordNet } from './wordNet.ts';

const givenNames: ReadonlySet<string> = new Set(
  namePools.flatMap(({ given }) => given.map((name) => name.toLowerCase())),
);

/** Varies the spelling of texts. */
export class Variation {
  private readonly random: Random;
  private readonly english: ReadonlySet<string>;
  private readonly foreign: ReadonlySet<string> = foreignWords();

  constructor(random: Random, { words }: WordNet) {
    this.random = random;
    this.english = words;
  }

  /** Imitates careless spelling and formats: lower case, names in capitals, other quotes, no full stops. */
  varied(pieces: Piece[]): Piece[] {
    const { random } = this;
    const isLowerCase = !pieces.some(({ text, kind }) => !kind && /\p{Lu}/u.test(text)) && pieces.length > 1;
    // In a text without capitals, about half of the names are lower case too.
    const chance = isLowerCase && random.chance(0.45) ? 0 : random.next();
    const change = (make: (piece: Piece) => string): Piece[] =>
      pieces.map((piece) => ({ ...piece, text: make(piece) }));
    if (chance < 0.1) return change((piece) => this.lowerCased(piece));
    if (chance < 0.14) return change(({ text }) => text.toUpperCase());
    if (chance < 0.18) return change((piece) => (piece.kind ? this.lowerCased(piece) : piece.text));
    if (chance < 0.22) return change(({ text, kind }) => (kind ? text.toUpperCase() : text));
    if (chance < 0.25) return change(({ text, kind }) => (kind ? text : text.toLowerCase()));
    if (chance < 0.27)
      return change(({ text, kind }) => (kind === 'LOCATION' || kind === 'ADDRESS' ? text.toUpperCase() : text));
    if (chance < 0.3)
      return change(({ text }) => text.replaceAll("'", '’').replaceAll('"', random.pick(['“', '”', '„', '«'])));
    if (chance < 0.33) return change(({ text, kind }) => (kind ? text : text.replace(/[.,!?](?=\s|$)/g, '')));
    return pieces;
  }

  /**
   * Lower-cases a piece, except for place and family names that are also words. In lower case, the word is meant: "bosco" is a
   * wood, not a town.
   */
  private lowerCased({ text, kind }: Piece): string {
    const lower = text.toLowerCase();
    const words = lower.split(/[ -]/);
    const isEach = (has: (word: string) => boolean): boolean => words.every(has);
    if (kind === 'LOCATION' && isEach((word) => this.foreign.has(word) || this.english.has(word))) return text;
    if (kind === 'PERSON' && isEach((word) => this.foreign.has(word) && !givenNames.has(word))) return text;
    return lower;
  }
}
