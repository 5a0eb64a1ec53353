/** Converts OCR results into texts, and findings in these texts into areas of the image. Pure. */
import type { Span } from '../detection/detection.ts';
import type { OcrResult } from './contract.ts';
import type { Rectangle } from './geometry.ts';
import {
  areaOf,
  isColumnGap,
  joinPieces,
  LINE_END,
  linesOf,
  separatorBetween,
  type Line,
  type OcrText,
  type TextPiece,
  type Word,
} from './ocrText.ts';

/** The maximum distance of two lines of a block, as a multiple of the height of the letters. */
const LINE_DISTANCE = 1.5;
/** A row with at least this number of cells belongs to a table. */
const TABLE_CELLS = 3;
/** The maximum number of words of a label. */
const LABEL_WORDS = 5;

/**
 * Returns several texts of the same image, since no single word order fits an article, a form and a table. The orders are:
 * rows over the whole width, blocks of lines below each other, and labels with the values below them. A finding in any
 * text counts.
 */
export function readingOrdersOf(result: OcrResult): OcrText[] {
  const lines = linesOf(result);
  const rows = rowsOf(lines.flat());
  const below = linesBelow(lines);
  const texts = [asRead(rows), asRead(blocksOf(lines, below)), labelsWithValues(rows, below)];
  return [...new Map(texts.map((text) => [text.text, text])).values()].filter(({ text }) => /\S/.test(text));
}

function asRead(lines: readonly Line[]): OcrText {
  return joinPieces(lines.flatMap((line) => [...piecesOf(line), LINE_END]));
}

function piecesOf(line: Line): TextPiece[] {
  return line.flatMap((word, at) => {
    const before = line[at - 1];
    return [...(before ? [separatorBetween(before, word)] : []), { text: word.text, words: [word] }];
  });
}

/** Words whose heights overlap by half form a row, in any column. */
function rowsOf(words: readonly Word[]): Line[] {
  const rows: { top: number; bottom: number; words: Word[] }[] = [];
  for (const word of [...words].sort((a, b) => a.box.top - b.box.top)) {
    const { top, height } = word.box;
    const bottom = top + height;
    const row = rows.findLast(
      (one) => Math.min(one.bottom, bottom) - Math.max(one.top, top) > Math.min(one.bottom - one.top, height) / 2,
    );
    if (row) row.words.push(word);
    else rows.push({ top, bottom, words: [word] });
  }
  return rows.map((row) => row.words.sort((a, b) => a.box.left - b.box.left));
}

interface Extent {
  readonly line: Line;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function extentOf(line: Line): Extent {
  const boxes = line.map(({ box }) => box);
  return {
    line,
    left: Math.min(...boxes.map(({ left }) => left)),
    right: Math.max(...boxes.map(({ left, width }) => left + width)),
    top: Math.min(...boxes.map(({ top }) => top)),
    bottom: Math.max(...boxes.map(({ top, height }) => top + height)),
  };
}

/** The line directly below each line: near it, and below half of the shorter of the two. Each line is below at most one. */
function linesBelow(lines: readonly Line[]): ReadonlyMap<Line, Line> {
  const sorted = lines.map(extentOf).sort((a, b) => a.top - b.top);
  const below = new Map<Line, Line>();
  const taken = new Set<Line>();
  for (const [at, upper] of sorted.entries()) {
    const height = upper.bottom - upper.top;
    for (const lower of sorted.slice(at + 1)) {
      if (lower.top > upper.bottom + LINE_DISTANCE * height) break;
      const overlap = Math.min(upper.right, lower.right) - Math.max(upper.left, lower.left);
      const isBelow = lower.top > upper.bottom - height / 2;
      const isAligned = overlap > Math.min(upper.right - upper.left, lower.right - lower.left) / 2;
      if (!isBelow || !isAligned || taken.has(lower.line)) continue;
      below.set(upper.line, lower.line);
      taken.add(lower.line);
      break;
    }
  }
  return below;
}

/** The lines of a block follow each other, so that a sentence in a column is whole. */
function blocksOf(lines: readonly Line[], below: ReadonlyMap<Line, Line>): Line[] {
  const continued = new Set(below.values());
  return lines
    .filter((line) => !continued.has(line))
    .flatMap((first) => {
      const block: Line[] = [];
      for (let line: Line | undefined = first; line; line = below.get(line)) block.push(line);
      return block;
    });
}

/** In a form, a label can stand above its value. In a table, what stands above a value is another value. */
function labelsWithValues(rows: readonly Line[], below: ReadonlyMap<Line, Line>): OcrText {
  const inTables = new Set(rows.filter((row) => cellsIn(row) >= TABLE_CELLS).flat());
  return joinPieces(
    [...below].flatMap(([label, value]) => {
      const isLabel = label.length <= LABEL_WORDS && !label.some(({ text }) => /\d/.test(text));
      if (!isLabel || label.some((word) => inTables.has(word))) return [];
      const colon: TextPiece = { text: label.at(-1)?.text.endsWith(':') ? ' ' : ': ', words: [] };
      return [...piecesOf(label), colon, ...piecesOf(value), LINE_END];
    }),
  );
}

function cellsIn(row: Line): number {
  return 1 + row.filter((word, at) => at > 0 && isColumnGap(row[at - 1] ?? word, word)).length;
}

/** Returns the areas to paint over: whole words that a finding touches, and the gaps between them in a line. */
export function areasOf({ pieces, starts }: OcrText, { start, end }: Pick<Span, 'start' | 'end'>): Rectangle[] {
  const touched: Word[] = [];
  for (let at = lastUpTo(starts, start); at < pieces.length && (starts[at] ?? end) < end; at += 1) {
    const { text, words } = pieces[at] ?? LINE_END;
    if ((starts[at] ?? 0) + text.length > start) touched.push(...words);
  }
  return mergedAreas(touched);
}

/** Returns the index of the last number that is at most the limit, or 0. The numbers ascend. */
function lastUpTo(rising: readonly number[], limit: number): number {
  let from = 0;
  let to = rising.length;
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if ((rising[middle] ?? limit) <= limit) from = middle;
    else to = middle;
  }
  return from;
}

/** Merges adjacent words of a line into one area, so that the length of each word is hidden. */
function mergedAreas(words: readonly Word[]): Rectangle[] {
  const parts: { first: Word; last: Word }[] = [];
  for (const word of words) {
    const part = parts.at(-1);
    const isBeside = part?.last.line === word.line && part.last.to <= word.from && !isColumnGap(part.last, word);
    if (part && isBeside) part.last = word;
    else parts.push({ first: word, last: word });
  }
  return parts.map(({ first, last }) => areaOf(first.line, first.from, last.to));
}
