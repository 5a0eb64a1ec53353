/**
 * Long texts are looked at in pieces, so that the event loop gets its turns between two, and so that what the tagger needs
 * for each word is needed for the words of one piece only.
 */

/**
 * How long a piece is, in UTF-16 code units: some milliseconds for prose, twenty for a list of names. Others' calls take several
 * rounds of the event loop, and wait for a piece in each.
 */
const PIECE = 8192;
/**
 * How much is read on either side of a piece, at least: what recognizers look for around a value, and words enough for the
 * tagger to come to the same labels whatever stands further away.
 */
const CONTEXT = 512;
/** How much further the end of a line, or of a word, is looked for. */
const SEARCH = 1024;

/** What begins from `start` on and before `end` is looked for in the text from `from` to `to`. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** A text in pieces: as a whole, where it is short. @param size for tests */
export function* piecesOf(text: string, size = PIECE): Generator<Piece> {
  const { length } = text;
  for (let start = 0; start < length || start === 0;) {
    const end = start + 2 * size >= length ? length : cutBefore(text, start + size, start + (size >> 1));
    const from = start === 0 ? 0 : cutBefore(text, Math.max(0, start - CONTEXT), 0);
    yield { start, end, from, to: end === length ? length : cutAfter(text, end + CONTEXT) };
    if (length === 0) return;
    start = end;
  }
}

/** The piece with as much again behind it: for a find that reaches to where the reading ended. */
export function widened(text: string, piece: Piece): Piece {
  return { ...piece, to: cutAfter(text, piece.end + 2 * (piece.to - piece.end)) };
}

/** Where the last line ends at or before a place; else the last word; else the place itself. Never before `least`. */
function cutBefore(text: string, place: number, least: number): number {
  const base = Math.max(least, place - SEARCH);
  const near = text.slice(base, place);
  const cut = near.lastIndexOf('\n') + 1 || near.lastIndexOf(' ') + 1;
  if (cut > 0) return base + cut;
  return base === 0 ? 0 : wholeCharacter(text, place);
}

/** Where the line ends that a place is in; else the word; else the place itself. */
function cutAfter(text: string, place: number): number {
  if (place >= text.length) return text.length;
  const near = text.slice(place, place + SEARCH);
  if (place + near.length === text.length) return text.length;
  const cut = near.indexOf('\n') + 1 || near.indexOf(' ') + 1;
  return cut > 0 ? place + cut : wholeCharacter(text, place);
}

function wholeCharacter(text: string, place: number): number {
  const isLow = (text.charCodeAt(place) & 0xfc00) === 0xdc00;
  return isLow && (text.charCodeAt(place - 1) & 0xfc00) === 0xd800 ? place - 1 : place;
}
