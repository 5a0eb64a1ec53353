/** Converts OCR results into texts for detection, and findings in these texts into areas of the image. Pure. */
import type { Span } from '../detection/detection.ts';
import type { Box, Line, OcrResult, Word } from './contract.ts';
import { correctConfusions } from './ocrConfusions.ts';
import { separatorBetween, gapOf, isColumnGap, LINE_END, joinPieces, type TextPiece, type OcrText } from './ocrText.ts';

/**
 * Returns several texts of the same image, since no single word order fits an article, a form and a table. The orders are: each
 * OCR pass, and rows over the whole width. For each order there is also the corrected form of the lines with OCR errors. A
 * finding in any text counts.
 */
export function readingOrdersOf({ passes }: OcrResult): OcrText[] {
  const rows = rowsOf(passes.flat(2));
  const texts = [...passes, rows].flatMap((lines) => [asRead(lines), correctConfusions(lines)]);
  return [...new Map(texts.map((text) => [text.text, text])).values()].filter(({ text }) => /\S/.test(text));
}

function asRead(lines: readonly Line[]): OcrText {
  return joinPieces(
    lines.flatMap((line) => [
      ...line.flatMap((word, at) => [...separator(line[at - 1], word), { text: word.text, words: [word] }]),
      LINE_END,
    ]),
  );
}

function separator(before: Word | undefined, word: Word): TextPiece[] {
  return before ? [separatorBetween(before, word)] : [];
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

/** Returns the areas to paint over: whole words that a finding touches, and the gaps between them. */
export function boxesOf({ pieces, starts }: OcrText, { start, end }: Pick<Span, 'start' | 'end'>): Box[] {
  const touched: Word[] = [];
  for (let at = lastUpTo(starts, start); at < pieces.length && (starts[at] ?? end) < end; at += 1) {
    const { text, words } = pieces[at] ?? LINE_END;
    if ((starts[at] ?? 0) + text.length > start) touched.push(...words);
  }
  return mergedBoxes(touched);
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

/** Merges adjacent words into one box, so that the length of each word is hidden. */
function mergedBoxes(words: readonly Word[]): Box[] {
  const boxes: Box[] = [];
  let last: Word | undefined;
  for (const word of words) {
    const before = boxes.at(-1);
    if (last && before && isBeside(last, word)) boxes[boxes.length - 1] = around(before, word.box);
    else boxes.push(word.box);
    last = word;
  }
  return boxes;
}

function isBeside(left: Word, right: Word): boolean {
  const a = left.box;
  const b = right.box;
  const overlap = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return overlap > Math.min(a.height, b.height) / 2 && gapOf(left, right) > 0 && !isColumnGap(left, right);
}

function around(a: Box, b: Box): Box {
  const left = Math.min(a.left, b.left);
  const top = Math.min(a.top, b.top);
  return {
    left,
    top,
    width: Math.max(a.left + a.width, b.left + b.width) - left,
    height: Math.max(a.top + a.height, b.top + b.height) - top,
  };
}
