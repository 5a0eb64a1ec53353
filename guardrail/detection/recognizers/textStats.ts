import { unitAt } from '../../unitAt.ts';
import { withoutEscapedSpace } from '../text/escapes.ts';
import { TOKEN, tokenEnd, tokenStart } from '../text/token.ts';
import { Keywords } from './keywords.ts';

/** The digits of a text, or of a part of it. */
export interface DigitStats {
  /** The maximum number of digits in one run of digits and the usual separators of numbers. */
  readonly digits: number;
  /** The maximum number of digits in one run without separators. */
  readonly solid: number;
  /** Length of the longest run of letters A to Z, digits, `_` and `-` that contains a digit. */
  readonly token: number;
  /** Whether a single dot separates two digits. */
  readonly hasDot: boolean;
  /** Whether a capital letter A to Z follows a digit, directly or behind a space. */
  readonly hasCapital: boolean;
}

/** A part of a text that contains digits. */
export interface DigitWindow extends DigitStats {
  /** Offset of the window in the text. */
  readonly start: number;
  readonly text: string;
}

/** Properties of a text, collected in one cheap pass. They decide which recognizers run, and on which parts. */
export interface TextStats extends DigitStats {
  /** The text as recognizers read it: see {@link withoutEscapedSpace}. */
  readonly text: string;
  /** The text as it was received. */
  readonly original: string;
  readonly hasAt: boolean;
  /** Whether the text contains `://`, `www.`, `.com/`, `/in/` or `/profile/`. */
  readonly hasUrl: boolean;
  /** Whether the text contains Han characters, kana or Hangul. */
  readonly hasEastAsian: boolean;
  /** The parts that contain digits, with {@link margin} on both sides. */
  readonly windows: readonly DigitWindow[];
  readonly keywords: Keywords;
}

/**
 * How far a value may extend beyond its first and its last digit, and half of the longest distance between two of its
 * digits, in UTF-16 code units. The longest cases are a document number that ends in 19 letters, and the name of a
 * month with the words around it.
 */
export const margin = 24;

/** Whether a code unit is an ASCII digit. */
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isCapital = (code: number): boolean => code >= 65 && code <= 90;

const SPACE = 0x20;
const DOT = 0x2e;

const eastAsian = /[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]/;

/** Collects the properties of a text. */
export function textStatsOf(original: string): TextStats {
  const text = withoutEscapedSpace(original);
  const windows = digitWindows(text);
  return {
    text,
    original,
    hasAt: text.includes('@'),
    hasUrl: mayHaveUrl(text),
    hasEastAsian: eastAsian.test(text),
    digits: most(windows, ({ digits }) => digits),
    solid: most(windows, ({ solid }) => solid),
    token: most(windows, ({ token }) => token),
    hasDot: windows.some(({ hasDot }) => hasDot),
    hasCapital: windows.some(({ hasCapital }) => hasCapital),
    windows,
    keywords: new Keywords(text),
  };
}

/** A search for one character is several times as fast as one for several. */
function mayHaveUrl(text: string): boolean {
  const hasPath =
    text.includes('/') &&
    (text.includes('://') || text.includes('.com/') || text.includes('/in/') || text.includes('/profile/'));
  return hasPath || text.includes('www.');
}

function digitWindows(text: string): DigitWindow[] {
  const windows: DigitWindow[] = [];
  let [digits, solid, token] = [0, 0, 0];
  let [hasDot, hasCapital] = [false, false];
  let from = -1;
  let last = -1;
  let [ofRun, inRow] = [0, 0];
  let endOfToken = 0;
  const close = (): void => {
    const start = Math.max(0, from - margin);
    windows.push({ start, text: text.slice(start, last + 1 + margin), digits, solid, token, hasDot, hasCapital });
  };
  const { length } = text;
  for (let at = nextDigit(text, 0); at < length; at++) {
    const unit = unitAt(text, at);
    if (!isDigit(unit)) {
      if (at - last === 1 && isCapital(unit === SPACE ? unitAt(text, at + 1) : unit)) hasCapital = true;
      if (at - last > 2 * margin) at = nextDigit(text, at) - 1;
      continue;
    }
    if (from < 0 || at - last > 2 * margin) {
      if (from >= 0) close();
      from = at;
      digits = solid = token = 0;
      hasDot = hasCapital = false;
    }
    // At most three characters separate two digits of one number: `) `, ` - `, ` (0`.
    ofRun = at - last > 4 ? 1 : ofRun + 1;
    inRow = at - last > 1 ? 1 : inRow + 1;
    if (at - last === 2 && unitAt(text, at - 1) === DOT) hasDot = true;
    last = at;
    if (ofRun > digits) digits = ofRun;
    if (inRow > solid) solid = inRow;
    if (at < endOfToken) continue;
    const start = tokenStart(text, at, TOKEN.word, endOfToken);
    endOfToken = tokenEnd(text, at, TOKEN.word);
    if (endOfToken - start > token) token = endOfToken - start;
  }
  if (from >= 0) close();
  return windows;
}

const most = (windows: readonly DigitWindow[], of: (stats: DigitStats) => number): number =>
  windows.reduce((greatest, window) => Math.max(greatest, of(window)), 0);

const digit = /\d/g;
/**
 * The offset of the next digit, or the length of the text. A pattern is much faster here than a loop over characters.
 */
function nextDigit(text: string, from: number): number {
  digit.lastIndex = from;
  return digit.test(text) ? digit.lastIndex - 1 : text.length;
}
