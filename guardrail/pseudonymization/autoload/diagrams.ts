import { isSpace, Place, type AddressReader } from './contract.ts';

const Unit = {
  newline: 0x0a,
  ampersand: 0x26,
  slash: 0x2f,
  backslash: 0x5c,
  backtick: 0x60,
  tilde: 0x7e,
} as const;

/** Languages of code blocks that renderers draw, and that can load addresses. */
const DRAWN = /^(?:mermaid|vega(?:-?lite)?)$/;
const LONGEST_LANGUAGE = 'vega-lite'.length;
const FENCE_LENGTH = 3;

const Phase = { lineHead: 0, line: 1, language: 2, info: 3 } as const;
type Phase = (typeof Phase)[keyof typeof Phase];

/** The state of a {@link DiagramReader}. */
export type SavedDiagrams = object;

/**
 * Finds addresses in the code blocks that renderers draw as diagrams. Mermaid loads addresses of images and styles: a line of
 * Mermaid counts from its address on. Vega-Lite computes addresses from its data: a value in such a block counts wherever it is.
 */
export class DiagramReader implements AddressReader {
  private phase: Phase = Phase.lineHead;
  /** The character of a fence at the head of this line, and how many there are. */
  private fence = 0;
  private count = 0;
  private language = '';
  /** The language of the block that contains the next character; empty outside of such blocks. */
  private block = '';
  private blockFence = 0;
  private blockCount = 0;
  private hasAddress = false;
  private previous = 0;

  /** @param saved the state from which to continue, as JSON */
  static of(saved: SavedDiagrams): DiagramReader {
    return Object.assign(new DiagramReader(), saved);
  }

  save(): SavedDiagrams {
    return Object.assign({}, this);
  }

  get isClean(): boolean {
    return this.block === '' && this.count === 0;
  }

  get place(): Place {
    if (this.block === '') return Place.outside;
    return this.block !== 'mermaid' || this.hasAddress ? Place.inside : Place.outside;
  }

  feed(unit: number): void {
    if (unit === Unit.newline) this.endLine();
    else if (this.phase === Phase.lineHead) this.feedHead(unit);
    else if (this.phase === Phase.language) this.feedLanguage(unit);
    if (this.block !== '') {
      const isSlashes = unit === Unit.slash && this.previous === Unit.slash;
      this.hasAddress ||= isSlashes || unit === Unit.backslash || unit === Unit.ampersand;
    }
    this.previous = unit;
  }

  private feedHead(unit: number): void {
    const isFence = unit === Unit.backtick || unit === Unit.tilde;
    if (isFence && (this.count === 0 || unit === this.fence)) {
      this.fence = unit;
      this.count++;
    } else if (this.count >= FENCE_LENGTH) {
      this.phase = Phase.language;
      this.feedLanguage(unit);
    } else if (this.count > 0 || !isLineHead(unit)) {
      this.count = 0;
      this.phase = Phase.line;
    }
  }

  private feedLanguage(unit: number): void {
    if (isSpace(unit) || unit === 0x2c || unit === 0x7b) {
      if (this.language !== '') this.phase = Phase.info;
    } else if (this.language.length <= LONGEST_LANGUAGE) this.language += String.fromCharCode(unit).toLowerCase();
  }

  private endLine(): void {
    const isFence = this.count >= FENCE_LENGTH;
    if (this.block === '') {
      if (isFence && DRAWN.test(this.language)) {
        this.block = this.language;
        this.blockFence = this.fence;
        this.blockCount = this.count;
      }
    } else if (isFence && this.language === '' && this.fence === this.blockFence && this.count >= this.blockCount)
      this.block = '';
    this.phase = Phase.lineHead;
    this.count = 0;
    this.language = '';
    this.hasAddress = false;
  }
}

/** Spaces, and the markers of quotes and lists. */
const LINE_HEAD = new Set(Array.from(' \t\r>*+-.)0123456789', (char) => char.charCodeAt(0)));
const isLineHead = (unit: number): boolean => LINE_HEAD.has(unit);
