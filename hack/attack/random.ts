/** Random values that a seed repeats. */
export interface Random {
  /** From 0 up to and without 1. */
  next(): number;
  /** A whole number from 0 up to and without `below`. */
  int(below: number): number;
  pick<T>(list: readonly T[]): T;
  /** Lower-case letters. */
  letters(count: number): string;
}

/** @param name gives each user of one seed draws of its own, so that one of them repeats without the others */
export function randomOf(seed: number, name: string): Random {
  let state = seed ^ hash(name);
  // Mulberry32: small, and good enough to choose what to break.
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
