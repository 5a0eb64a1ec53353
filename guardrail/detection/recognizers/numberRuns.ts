import { isDigit } from './textStats.ts';

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

const isSpace = (code: number): boolean => code === 0x20 || code === 0xa0;

/** Whether a run has more than one part. */
export const isList = (run: string): boolean => run.includes(' ') || run.includes('\u00a0');

interface Word {
  readonly start: number;
  /** Where its last digit ends; marks behind it are excluded. */
  readonly end: number;
  readonly digits: number;
}

/** The words of a run. */
function wordsOf(run: string): Word[] {
  const all: Word[] = [];
  for (let at = 0; at < run.length; at++) {
    if (isSpace(run.charCodeAt(at))) continue;
    const start = at;
    let [end, digits] = [at, 0];
    for (; at < run.length && !isSpace(run.charCodeAt(at)); at++) {
      if (!isDigit(run.charCodeAt(at))) continue;
      end = at + 1;
      digits++;
    }
    all.push({ start, end, digits });
  }
  return all;
}

/**
 * Returns all sequences of words of a run of digits and separators, within the limits. A value can be in a list,
 * between unrelated numbers. Marks at the end of a part are excluded.
 */
export function partsOf(run: string, { least, most, word }: Sizes): Part[] {
  const all = wordsOf(run);
  const counts = all.map(({ digits }) => digits);
  const parts: Part[] = [];
  for (let first = 0; first < all.length; first++) {
    let digits = 0;
    for (let last = first; last < all.length; last++) {
      const next = all[last];
      if (!next || digits + next.digits > most || (last > first && next.digits < word)) break;
      digits += next.digits;
      if (digits < least) continue;
      parts.push({ start: all[first]?.start ?? 0, end: next.end, digits, words: counts.slice(first, last + 1) });
    }
  }
  return parts;
}
