import type { Word } from './contract.ts';

/** A part of a text, and its words in the image. */
export interface TextPiece {
  readonly text: string;
  readonly words: readonly Word[];
}

/** A text as a list of pieces. Separators belong to no word. */
export interface OcrText {
  readonly text: string;
  readonly pieces: readonly TextPiece[];
  /** The offset of each piece in the text. */
  readonly starts: readonly number[];
}

const SPACE: TextPiece = { text: ' ', words: [] };
const TAB: TextPiece = { text: '\t', words: [] };
export const LINE_END: TextPiece = { text: '\n', words: [] };

/** The gap between two columns, as a multiple of the word height. */
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

/** Returns the separator of two words in a line. A tab between columns prevents two numbers from being joined. */
export function separatorBetween(left: Word, right: Word): TextPiece {
  return isColumnGap(left, right) ? TAB : SPACE;
}

export function isColumnGap(left: Word, right: Word): boolean {
  return gapOf(left, right) > COLUMN_GAP * Math.max(left.box.height, right.box.height);
}
