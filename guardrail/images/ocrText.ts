import type { Word } from './contract.ts';

/** A piece of a text, and the words in the picture that it stands for. */
export interface TextPiece {
  readonly text: string;
  readonly words: readonly Word[];
}

/** A text as pieces; what separates words belongs to none. */
export interface OcrText {
  readonly text: string;
  readonly pieces: readonly TextPiece[];
  /** Where in the text each piece begins. */
  readonly starts: readonly number[];
}

const SPACE: TextPiece = { text: ' ', words: [] };
const TAB: TextPiece = { text: '\t', words: [] };
export const LINE_END: TextPiece = { text: '\n', words: [] };

/** Of a word's height: words that are farther apart belong to different columns. */
const COLUMN_GAP = 1.5;

export function joinPieces(pieces: readonly TextPiece[]): OcrText {
  const starts: number[] = [];
  let length = 0;
  for (const { text } of pieces) {
    starts.push(length);
    length += text.length;
  }
  return { text: pieces.map(({ text }) => text).join(''), pieces, starts };
}

export function gapOf(left: Word, right: Word): number {
  return right.box.left - left.box.left - left.box.width;
}

/** What stands between two words of a line: a tab between columns, so that two numbers are not taken for one. */
export function separatorBetween(left: Word, right: Word): TextPiece {
  return isColumnGap(left, right) ? TAB : SPACE;
}

export function isColumnGap(left: Word, right: Word): boolean {
  return gapOf(left, right) > COLUMN_GAP * Math.max(left.box.height, right.box.height);
}
