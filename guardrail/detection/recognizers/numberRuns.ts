/** One or more words of a run of numbers. */
export interface Part {
  /** Where it begins and ends in the run. */
  readonly start: number;
  readonly end: number;
  readonly digits: number;
  /** How many digits each of its words holds. */
  readonly words: readonly number[];
}

/** How many digits a part and its words hold. */
export interface Sizes {
  readonly least: number;
  /** This keeps the work linear. */
  readonly most: number;
  /** Of every word but the first: digits that stand alone are a row of a table. */
  readonly word: number;
}

const words = /[^ \u00a0]+/g;

/** Whether a run has more than one part. */
export const isList = (run: string): boolean => /[ \u00a0]/.test(run);

/**
 * Every part of a run of digits and separators that begins and ends with a word: a value may stand in a list, between
 * numbers that belong to something else. Marks at the end of a part are left out.
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
