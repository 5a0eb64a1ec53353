/** Looks hashes up in tables of `Gazetteer`, which describes them: words, and known names. */
import { FILTER, filterAt, gazetteerAt, gazetteerMask, namesAt, namesMask } from './memory';

/** The most slots between a hash and its first slot. */
const MOST_STEPS: i32 = 255;
const FLAGS: i32 = 0xff;

/** @returns what the slot contains at which {@link flagsOfWord} begins */
export function firstEntry(word: i32): i32 {
  return load<i32>(gazetteerAt + 4 * firstSlot(word, gazetteerMask));
}

/** @returns the flags of the word with this hash; 0 for an unknown word */
export function flagsOfWord(word: i32): i32 {
  return lookup(gazetteerAt, gazetteerMask, word);
}

/** @returns the flags of the name with this hash; 0 for an unknown name */
export function flagsOfName(name: i32): i32 {
  const bits = bitsOf(name);
  if ((load<i32>(filterWord(name)) & bits) != bits) return 0;
  return lookup(namesAt, namesMask, name);
}

/**
 * Fills the filter of the names, after they are written. It tells of most hashes that they are not in the table, without access to
 * the table: a Bloom filter (1970) with all bits of a hash in one word. Of other hashes, 4 % pass the filter of the shipped names.
 */
export function indexNames(): void {
  memory.fill(filterAt, 0, 4 * FILTER);
  const shift = clz(namesMask);
  for (let slot = 0; slot <= namesMask; slot++) {
    const entry = load<i32>(namesAt + 4 * slot);
    if (entry == 0) continue;
    const first = (slot - ((entry >> 8) & MOST_STEPS)) & namesMask;
    const name = ((first << shift) & 0xffff0000) | (entry >>> 16);
    store<i32>(filterWord(name), load<i32>(filterWord(name)) | bitsOf(name));
  }
}

/** The address of the word of a hash in the filter. */
function filterWord(name: i32): i32 {
  return filterAt + 4 * firstSlot(name, FILTER - 1);
}

/** The bits of a hash in its word: three, which its lowest bits choose. */
function bitsOf(name: i32): i32 {
  return (1 << name) | (1 << (name >>> 5)) | (1 << (name >>> 10));
}

/** The highest bits of a hash. */
function firstSlot(hash: i32, mask: i32): i32 {
  return hash >>> clz(mask);
}

function lookup(table: i32, mask: i32, hash: i32): i32 {
  const first = firstSlot(hash, mask);
  const half = hash << 16;
  for (let steps = 0; steps <= MOST_STEPS; steps++) {
    const entry = load<i32>(table + 4 * ((first + steps) & mask));
    if (entry == 0 || (entry & ~FLAGS) == (half | (steps << 8))) return entry & FLAGS;
  }
  return 0;
}
