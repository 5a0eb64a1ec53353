/**
 * Which texts of the packages a corpus has, in which order. The draw itself is lost; this is its record. A text is written as
 * the digests of the pieces that it was made of, so that the corpus can be made again from the packages alone.
 */
import { createHash } from 'node:crypto';

/** The first 32 bits of a piece's SHA-256: enough for the pieces of one language. */
export const digestOf = (piece: string): string => createHash('sha256').update(piece).digest('hex').slice(0, 8);

/** What stands between two pieces. */
const joints = new Map([
  ['+', ' '],
  ['|', '\n'],
]);

/** Pieces by their digests. */
export type Pieces = ReadonlyMap<string, string>;

export const piecesOf = (texts: Iterable<string>): Pieces =>
  new Map(Array.from(texts, (text) => [digestOf(text), text]));

/** Reads a record: `abc+def|ghi` are three pieces. @returns undefined where a piece is missing. */
export function textOf(record: string, pieces: Pieces): string | undefined {
  let text = '';
  for (const [, digest = '', joint = ''] of record.matchAll(/([\da-f]+)([+|]?)/g)) {
    const piece = pieces.get(digest);
    if (piece === undefined) return undefined;
    text += piece + (joints.get(joint) ?? '');
  }
  return text;
}

/** Writes a text as a record, with as few pieces as can be. @returns undefined where it is not made of pieces. */
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

/** Lines of a file by their numbers, from 0: `3-7,9`. @returns undefined where the file has fewer. */
export function linesAt(record: string, lines: readonly string[]): string | undefined {
  const taken = record.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return lines.slice(first, last + 1).length === last + 1 - first ? lines.slice(first, last + 1) : [undefined];
  });
  return taken.includes(undefined) ? undefined : taken.join('\n');
}

/** Numbers in rising order as ranges. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}

/**
 * Where a stretch stands among the lines of a file. Lines between its own may be missing in it: those that name authors,
 * licences and addresses were left out.
 */
export function linesWith(stretch: string, lines: readonly string[], mostLeftOut = 60): number[] | undefined {
  const wanted = stretch.split('\n').map((line) => line.trimEnd());
  for (let start = lines.indexOf(wanted[0] ?? ''); start >= 0; start = lines.indexOf(wanted[0] ?? '', start + 1)) {
    const found = [start];
    for (const line of wanted.slice(1)) {
      const from = (found.at(-1) ?? start) + 1;
      const at = lines.slice(from, from + mostLeftOut).indexOf(line);
      if (at < 0) break;
      found.push(from + at);
    }
    if (found.length === wanted.length) return found;
  }
  return undefined;
}
