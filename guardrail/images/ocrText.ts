/** The words of an image, and texts that consist of them. Pure. */
import type { OcrResult, TextLine } from './contract.ts';
import { boxAround, partOf, type Box, type Rectangle } from './geometry.ts';

/** A word of an image. */
export interface Word {
  readonly text: string;
  /** Its position after the page is turned upright. */
  readonly box: Box;
  /** Its line, and where it stands in the line, as shares of the width. */
  readonly line: TextLine;
  readonly from: number;
  readonly to: number;
}

/** Words from left to right. */
export type Line = readonly Word[];

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

/** The gap between two columns, as a multiple of the height of a word's area. */
const COLUMN_GAP = 0.75;
/**
 * The share of the height of a line above and below its letters. A mask is smaller by it, so that it does not cover parts of
 * the next lines.
 */
const INSET = 0.1;

/** The lines of an image that have words. */
export function linesOf({ lines, angle }: OcrResult): Line[] {
  return lines
    .map((line) =>
      line.words.map(({ text, from, to }): Word => {
        return { text, box: boxAround(partOf(line.box, from, to, INSET), angle), line, from, to };
      }),
    )
    .filter((words) => words.length > 0);
}

/** Returns the area of a part of a line that a mask has to cover. */
export function areaOf({ box }: TextLine, from = 0, to = 1): Rectangle {
  return partOf(box, from, to, INSET);
}

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
