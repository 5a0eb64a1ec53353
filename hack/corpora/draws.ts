/**
 * Records which texts of the packages a corpus contains, in which order. The program that drew them is lost. The record of a
 * text is the digests of its pieces, so that the corpus can be rebuilt from the packages alone.
 */
import { createHash } from 'node:crypto';

/** The first 32 bits of a piece's SHA-256. They suffice to distinguish the pieces of one language. */
export const digestOf = (piece: string): string => createHash('sha256').update(piece).digest('hex').slice(0, 8);

/** Separators of pieces in a record, and their text. */
const joints = new Map([
  ['+', ' '],
  ['|', '\n'],
]);

/** Pieces by digest. */
export type Pieces = ReadonlyMap<string, string>;

export const piecesOf = (texts: Iterable<string>): Pieces =>
  new Map(Array.from(texts, (text) => [digestOf(text), text]));

/**
 * Returns the text of a record. `abc+def|ghi` are three pieces.
 * @returns undefined if a piece is missing.
 */
export function textOf(record: string, pieces: Pieces): string | undefined {
  let text = '';
  for (const [, digest = '', joint = ''] of record.matchAll(/([\da-f]+)([+|]?)/g)) {
    const piece = pieces.get(digest);
    if (piece === undefined) return undefined;
    text += piece + (joints.get(joint) ?? '');
  }
  return text;
}

/**
 * Writes a text as a record with as few pieces as possible.
 * @returns undefined if the text does not consist of pieces.
 */
export function recordOf(text: string, texts: ReadonlySet<string>): string | undefined {
  const ends = [...text.matchAll(/[ \n]|$/g)].map(({ index }) => index);
  const best = new Map<number, { count: number; record: string }>([[text.length + 1, { count: 0, record: '' }]]);
  for (const start of [0, ...ends.map((end) => end + 1)].reverse()) {
    if (start > text.length) continue;
    for (const end of ends) {
      if (end <= start || !texts.has(text.slice(start, end))) continue;
      const rest = best.get(end + 1);
      if (!rest) continue;
      const known = best.get(start);
      if ((known?.count ?? Infinity) <= rest.count + 1) continue;
      const joint = end === text.length ? '' : text.charAt(end) === '\n' ? '|' : '+';
      best.set(start, { count: rest.count + 1, record: digestOf(text.slice(start, end)) + joint + rest.record });
    }
  }
  return best.get(0)?.record;
}

/**
 * Returns lines of a file by their zero-based numbers: `3-7,9`.
 * @returns undefined if the file has fewer lines.
 */
export function linesAt(record: string, lines: readonly string[]): string | undefined {
  const taken = record.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return lines.slice(first, last + 1).length === last + 1 - first ? lines.slice(first, last + 1) : [undefined];
  });
  return taken.includes(undefined) ? undefined : taken.join('\n');
}

/** Writes ascending numbers as ranges. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}

/** Finds the lines of an excerpt in a file. The excerpt may omit lines: those that name authors, licences or addresses. */
export function linesWith(stretch: string, lines: readonly string[], mostLeftOut = 60): number[] | undefined {
  const excerpt = stretch.split('\n').map((line) => line.trimEnd());
  for (let start = lines.indexOf(excerpt[0] ?? ''); start >= 0; start = lines.indexOf(excerpt[0] ?? '', start + 1)) {
    const found = [start];
    for (const line of excerpt.slice(1)) {
      const from = (found.at(-1) ?? start) + 1;
      const at = lines.slice(from, from + mostLeftOut).indexOf(line);
      if (at < 0) break;
      found.push(from + at);
    }
    if (found.length === excerpt.length) return found;
  }
  return undefined;
}
