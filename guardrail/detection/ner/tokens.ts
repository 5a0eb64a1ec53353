import { foldedOf, kindOf } from '../text/characters.ts';
import {
  caseLower,
  caseUpper,
  caseUsual,
  gapNewline,
  gapNone,
  gapParagraph,
  gapSpace,
  shapeCamel,
  shapeCapitalized,
  shapeDigit1,
  shapeDigits,
  shapeInitial,
  shapeLower,
  shapeLowerDigits,
  shapeMark,
  shapeMixed,
  shapeUncased,
  shapeUpper,
  shapeUpperDigits,
} from '../kernel/numbers.ts';
import { rowBytes } from './weightRows.ts';
import { bytesAt, createKernel, halvesAt, KernelText, numbersAt, type Kernel } from '../kernelInstance.ts';

/** The kind of white space between a token and the one before it. */
export const gaps = { none: gapNone, space: gapSpace, newline: gapNewline, paragraph: gapParagraph } as const;

/** Shapes of a token: its case and its digits. */
export const shapes = {
  mark: shapeMark,
  lower: shapeLower,
  capitalized: shapeCapitalized,
  upper: shapeUpper,
  initial: shapeInitial,
  camel: shapeCamel,
  mixed: shapeMixed,
  uncased: shapeUncased,
  digit1: shapeDigit1,
  digits: shapeDigits,
  upperDigits: shapeUpperDigits,
  lowerDigits: shapeLowerDigits,
} as const;

/** The case of a token's line: capitals, lower case, or mixed. */
export const cases = { usual: caseUsual, upper: caseUpper, lower: caseLower } as const;

/** As in {@link file://../../automaton/automaton.ts}: it is not looked up for each character. */
// oxlint-disable-next-line typescript/unbound-method -- it is called with a text
const { charCodeAt } = String.prototype;

/**
 * The tokens of one text: words (letters and digits) and single marks. They are in flat arrays without an object per
 * token, in the memory of a kernel. The next text reuses them.
 */
export class Tokens extends KernelText {
  count = 0;
  /** Hash of the folded characters: see {@link wordHash}. */
  word = new Int32Array();
  shape = new Uint8Array();
  gap = new Uint8Array();
  lineCase = new Uint8Array();
  /** Flags of each word in the gazetteer. The tagger sets them. */
  known = new Uint8Array();
  /** The label of each token. The tagger sets them. */
  label = new Uint8Array();
  /** The scores of each token for all labels but O, in the order of the bytes of a row. The tagger sets them. */
  scores = new Int16Array();

  /** @param kernel one whose tables have their places. */
  constructor(kernel: Kernel = createKernel()) {
    super(kernel);
    bytesAt(kernel, kernel.kindsAt, kindOf.length).set(kindOf);
    new Uint16Array(kernel.memory.buffer, kernel.foldedAt.value, foldedOf.length).set(foldedOf);
  }

  /** Splits a text into tokens. */
  read(text: string): void {
    this.write(text);
    this.count = this.kernel.readTokens(text.length);
  }

  protected override view(capacity: number): void {
    super.view(capacity);
    const { kernel } = this;
    this.word = numbersAt(kernel, kernel.wordAt, capacity);
    this.shape = bytesAt(kernel, kernel.shapeAt, capacity);
    this.gap = bytesAt(kernel, kernel.gapAt, capacity);
    this.lineCase = bytesAt(kernel, kernel.lineCaseAt, capacity);
    this.known = bytesAt(kernel, kernel.knownAt, capacity);
    this.label = bytesAt(kernel, kernel.labelAt, capacity);
    this.scores = halvesAt(kernel, kernel.scoresAt, rowBytes * capacity);
  }
}

/** The character of a token that is a mark, as a UTF-16 code unit; 0 for other tokens. */
export const markAt = ({ shape, start }: Tokens, at: number, text: string): number =>
  shape[at] === shapes.mark ? text.charCodeAt(start[at] ?? 0) : 0;

/** Hashes the folded characters of a word, as the key of the gazetteer. */
export const wordHash = (word: string): number => wordHashIn(word, 0, word.length);

/** The {@link wordHash} of the part of a text from `start` to `end`. */
export function wordHashIn(text: string, start: number, end: number): number {
  let hash = 0x2f0b4c27;
  for (let at = start; at < end; at++) {
    const code = charCodeAt.call(text, at);
    hash = Math.imul(hash ^ (foldedOf[code] ?? code), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash;
}
