/** Names that everybody knows, by the hashes of their words: see `knownNames.ts`. */
import { flagsOfName } from './gazetteer';
import { shapeAt, wordAt } from './memory';
import { nameFlagBits, nameStart, shapeMark } from './numbers';

/** The longest name in words. Longer spans are searched by their first words. */
const MOST_WORDS: i32 = 8;
/** The same in tokens: a hostile span may have any number of marks between two words. */
const MOST_TOKENS: i32 = 64;
/** How far a longer name may extend beyond the tokens, on each side: "Viernes Santo", "mar Cantábrico". */
const MOST_AROUND: i32 = 3;

/** The hash of a name that has one more word. */
function nameStep(hash: i32, word: i32): i32 {
  return (((hash ^ word) + 0x3c6ef372) * 0x2c1b3c6d) ^ (hash >>> 13);
}

/**
 * @returns the flags of the name in the tokens from `first` to `last` of `count`. Those of a longer name around these tokens are
 * shifted by `nameFlagBits`, and those of a part of them by twice as much.
 */
export function knownName(first: i32, last: i32, count: i32): i32 {
  let part = 0;
  let around = 0;
  for (let from = max(0, first - MOST_AROUND); from <= last; from++) {
    if (load<u8>(shapeAt + from) == shapeMark) continue;
    const end = min(min(from > first ? last : last + MOST_AROUND, from + MOST_TOKENS), count - 1);
    let hash = nameStart;
    let words = 0;
    for (let to = from; to <= end && words < MOST_WORDS; to++) {
      if (load<u8>(shapeAt + to) == shapeMark) continue;
      hash = nameStep(hash, load<i32>(wordAt + 4 * to));
      words++;
      // A name that begins before the span is around it, or beside it.
      if (from < first && to < last) continue;
      const known = flagsOfName(hash);
      if (known == 0) continue;
      if (from == first && to == last) return known;
      if (from <= first && to >= last) around |= known;
      else if (from >= first && to <= last) part |= known;
    }
  }
  return (around | (part << nameFlagBits)) << nameFlagBits;
}
