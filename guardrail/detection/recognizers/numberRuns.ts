/** One or more words of a run of numbers. */
export interface Part {
  /** Offsets in the run. */
  readonly start: number;
  readonly end: number;
  readonly digits: number;
  /** Number of digits in each word. */
  readonly words: readonly number[];
}

/** Limits of the number of digits. */
export interface Sizes {
  /** The minimum number of digits of a part. */
  readonly least: number;
  /** The maximum number of digits of a part. This limit keeps the run time linear. */
  readonly most: number;
  /** The minimum number of digits of every word except the first one. Single digits are a row of a table. */
  readonly word: number;
}

const words = /[^ \u00a0]+/g;

/** Whether a run has more than one part. */
export const isList = (run: string): boolean => /[ \u00a0]/.test(run);

/**
 * Returns all sequences of words of a run of digits and separators, within the limits. A value can be in a list,
 * between unrelated numbers. Marks at the end of a part are excluded.
 */
export function partsOf(run: string, { least, most, word }: Sizes): Part[] {
  const all = Array.from(run.matchAll(words), ({ 0: text, index }) => ({
    start: index,
    end: index + text.replace(/\D+$/, '').length,
    digits: text.replace(/\D/g, '').length,
  }));
  const parts: Part[] = [];
  for (const [first, { start }] of all.entries()) {
    const counts: number[] = [];
    let digits = 0;
    for (let last = first; last < all.length; last++) {
      const next = all[last];
      if (!next || digits + next.digits > most || (last > first && next.digits < word)) break;
      digits += next.digits;
      counts.push(next.digits);
      if (digits >= least) parts.push({ start, end: next.end, digits, words: [...counts] });
    }
  }
  return parts;
}
