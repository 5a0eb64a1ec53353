import type { Gazetteer } from './gazetteer.ts';
import { HashFilter } from './hashFilter.ts';
import { shapes, type Tokens } from './tokens.ts';

/** Flags of a known name. */
export const knownFlags = {
  /** The full name of a person of public life or history. */
  person: 1,
  /** The full name of a character of fiction or myth. */
  character: 2,
  /** A single word that commonly names such a person: Mozart, Zeus. */
  single: 4,
  /** A country, a region, a landmark, a large town. */
  place: 8,
  /** Anything else with a name: a product, a work, a dish, an event, an organisation, an eponym. */
  thing: 16,
} as const;
/** The number of flags. */
export const flagBits = 5;

const step = (hash: number, word: number): number => Math.imul((hash ^ word) + 0x3c6ef372, 0x2c1b3c6d) ^ (hash >>> 13);
const start = 0x1b873593;

/** The longest name in words. Longer spans are searched by their first words. */
const MOST_WORDS = 8;
/** The same in tokens: a hostile span may have any number of marks between two words. */
const MOST_TOKENS = 64;

/** How far a longer name may extend beyond the tokens, on each side: "Viernes Santo", "mar Cantábrico". */
const MOST_AROUND = 3;

/** Hashes the words of a name: see `wordHash`. */
export const nameHash = (words: Iterable<number>): number => {
  let hash = start;
  for (const word of words) hash = step(hash, word);
  return hash;
};

/** Names that everybody knows: of people of public life, places, works, products and more. Hashes of their folded words. */
export class KnownNames {
  private readonly names: Gazetteer;
  private readonly filter = new HashFilter();

  /** @param names the {@link knownFlags} of each name, by its {@link nameHash}. */
  constructor(names: Gazetteer) {
    this.names = names;
    names.forEachHash((hash) => {
      this.filter.add(hash);
    });
  }

  /**
   * @returns the {@link knownFlags} of the name in the tokens from `first` to `last`. Those of a longer name around these
   * tokens are shifted by {@link flagBits}, and those of a part of them by twice as much.
   */
  lookup(tokens: Tokens, first: number, last: number): number {
    let part = 0;
    let around = 0;
    for (let from = Math.max(0, first - MOST_AROUND); from <= last; from++) {
      if ((tokens.shape[from] ?? 0) === shapes.mark) continue;
      const end = Math.min(from > first ? last : last + MOST_AROUND, from + MOST_TOKENS, tokens.count - 1);
      let hash = start;
      let words = 0;
      for (let to = from; to <= end && words < MOST_WORDS; to++) {
        if ((tokens.shape[to] ?? 0) === shapes.mark) continue;
        hash = step(hash, tokens.word[to] ?? 0);
        words++;
        // A name that begins before the span is around it, or beside it.
        if (from < first && to < last) continue;
        const known = this.filter.mayHave(hash) ? this.names.lookup(hash) : 0;
        if (known === 0) continue;
        if (from === first && to === last) return known;
        if (from <= first && to >= last) around |= known;
        else if (from >= first && to <= last) part |= known;
      }
    }
    return (around | (part << flagBits)) << flagBits;
  }
}
