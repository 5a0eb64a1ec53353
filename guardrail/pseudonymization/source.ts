import { unitAt } from '../unitAt.ts';

/**
 * A text in which forms are searched. It records whether a search read beyond the end of the text. Only then can more text change
 * the result, so the same code reads a stream and a whole text.
 */
export class Source {
  readonly text: string;
  private wasAtEnd = false;

  constructor(text: string) {
    this.text = text;
  }

  /** The code unit at a place; NaN outside of the text. */
  unit(at: number): number {
    if (at >= this.text.length) this.wasAtEnd = true;
    return unitAt(this.text, at);
  }

  /** Begins a reading. */
  begin(): void {
    this.wasAtEnd = false;
  }

  /** Whether the reading depends on what follows the text. */
  get isUndecided(): boolean {
    return this.wasAtEnd;
  }

  /** Reads a word. @param word in lower case @returns its end; NOWHERE if it is not there */
  wordEnd(at: number, word: string): number {
    for (let of = 0; of < word.length; of++) {
      if (lower(this.unit(at + of)) !== word.charCodeAt(of)) return NOWHERE;
    }
    return at + word.length;
  }

  /** Passes at most `max` times over a unit. @returns the end */
  repeatedEnd(at: number, unit: number, max: number): number {
    let end = at;
    while (end < at + max && this.unit(end) === unit) end++;
    return end;
  }

  /** Reads ws. @returns its end */
  spaceEnd(at: number): number {
    let end = at;
    while (end < at + MAX_SPACE && isSpace(this.unit(end))) end++;
    return end;
  }
}

/** The place that functions return if a part is not there. */
export const NOWHERE = -1;
const MAX_SPACE = 2;

function isSpace(unit: number): boolean {
  return unit < 0x80 ? unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) : /\s/.test(String.fromCharCode(unit));
}

function lower(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
}
