/**
 * Splits long texts into pieces. The detector yields to the event loop between two pieces, and the tagger needs memory for
 * the words of one piece only.
 */

/**
 * Length of a piece, in UTF-16 code units. A piece of prose takes a few milliseconds, a list of names takes 20 ms. A
 * concurrent call takes several iterations of the event loop, and waits for one piece in each.
 */
const PIECE = 8192;
/**
 * The minimum context on either side of a piece, in UTF-16 code units. It contains the context words of recognizers, and
 * enough words that text further away does not change the tagger's labels.
 */
const CONTEXT = 512;
/** How far from a cut the end of a line or word is searched, in UTF-16 code units. */
const SEARCH = 1024;

/** The length of the short texts of a group, in UTF-16 code units. */
const GROUP = 32_768;

/** A part of a text. Spans that begin at or after `start` and before `end` are searched in the text from `from` to `to`. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** Whether a text is one piece. */
export const isOnePiece = ({ length }: string, size = PIECE): boolean => length <= 2 * size;

/**
 * Splits a text into pieces. A short text is one piece.
 * @param size of a piece, in UTF-16 code units
 * @param context the least context on either side, in UTF-16 code units
 */
export function* piecesOf(text: string, size = PIECE, context = CONTEXT): Generator<Piece> {
  const { length } = text;
  for (let start = 0; start < length || start === 0;) {
    const end = start + 2 * size >= length ? length : cutBefore(text, start + size, start + (size >> 1));
    const from = start === 0 ? 0 : cutBefore(text, Math.max(0, start - context), 0);
    yield { start, end, from, to: end === length ? length : cutAfter(text, end + context) };
    if (length === 0) return;
    start = end;
  }
}

/**
 * Splits the texts of a call: each long text alone, and groups of short texts, in the order of the texts.
 * @param size of a piece, for tests.
 */
export function* groupsOf(texts: readonly string[], size = PIECE): Generator<readonly string[]> {
  let [from, length] = [0, 0];
  for (const [at, text] of texts.entries()) {
    const isLong = !isOnePiece(text, size);
    if (at > from && (isLong || length + text.length > GROUP)) {
      yield texts.slice(from, at);
      [from, length] = [at, 0];
    }
    length += text.length;
    if (!isLong) continue;
    yield [text];
    [from, length] = [at + 1, 0];
  }
  if (from < texts.length) yield texts.slice(from);
}

/** The piece with twice the context after it, for a span that the end of the context may cut off. */
export function widened(text: string, piece: Piece): Piece {
  return { ...piece, to: cutAfter(text, piece.end + 2 * (piece.to - piece.end)) };
}

/** The end of the last line before an offset, else of the last word, else the offset itself. Never less than `least`. */
function cutBefore(text: string, offset: number, least: number): number {
  const base = Math.max(least, offset - SEARCH);
  const near = text.slice(base, offset);
  const cut = near.lastIndexOf('\n') + 1 || near.lastIndexOf(' ') + 1;
  if (cut > 0) return base + cut;
  return base === 0 ? 0 : wholeCharacter(text, offset);
}

/** The end of the line at an offset, else of the word, else the offset itself. */
function cutAfter(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  const near = text.slice(offset, offset + SEARCH);
  if (offset + near.length === text.length) return text.length;
  const cut = near.indexOf('\n') + 1 || near.indexOf(' ') + 1;
  return cut > 0 ? offset + cut : wholeCharacter(text, offset);
}

function wholeCharacter(text: string, offset: number): number {
  const isLow = (text.charCodeAt(offset) & 0xfc00) === 0xdc00;
  return isLow && (text.charCodeAt(offset - 1) & 0xfc00) === 0xd800 ? offset - 1 : offset;
}
