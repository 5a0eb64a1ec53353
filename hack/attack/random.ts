/** Random values that a seed reproduces. */
export interface Random {
  /** @returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** @returns an integer from 0 (inclusive) to `below` (exclusive). */
  int(below: number): number;
  pick<T>(list: readonly T[]): T;
  /** @returns lower-case letters. */
  letters(count: number): string;
}

/** @param name separates the draws of several users of one seed, so that each can be repeated alone */
export function randomOf(seed: number, name: string): Random {
  let state = seed ^ hash(name);
  // Mulberry32: small, and good enough for choosing mutations.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    next,
    int,
    pick: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new Error('There is nothing to pick from.');
      return list[int(list.length)] as T;
    },
    letters: (count) => Array.from({ length: count }, () => String.fromCharCode(97 + int(26))).join(''),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const unit of Buffer.from(text)) value = Math.imul(value ^ unit, 0x01000193);
  return value;
}
