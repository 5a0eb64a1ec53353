import { isSpace, Place, type AddressReader } from './contract.ts';

const Unit = { bang: 0x21, ampersand: 0x26, slash: 0x2f, colon: 0x3a, backslash: 0x5c, closeBracket: 0x5d } as const;

/** The state of a {@link TextileReader}. */
export type SavedTextile = object;

/** Finds the addresses of images in Textile: `!https://…!`, also with an alignment or a style. */
export class TextileReader implements AddressReader {
  private isOpen = false;
  private namesHost = false;
  private isWordBefore = false;
  private previous = 0;

  /** @param saved the state from which to continue, as JSON */
  static of(saved: SavedTextile): TextileReader {
    return Object.assign(new TextileReader(), saved);
  }

  save(): SavedTextile {
    return Object.assign({}, this);
  }

  get isClean(): boolean {
    return !this.isOpen;
  }

  get place(): Place {
    return this.isOpen && this.namesHost ? Place.inside : Place.outside;
  }

  feed(unit: number): void {
    if (unit === Unit.bang) {
      // Behind a word, it ends a sentence.
      this.isOpen = !this.isOpen && !this.isWordBefore;
      this.namesHost = false;
    } else if (isSpace(unit) || unit === Unit.closeBracket) this.isOpen = false;
    else if (this.isOpen) this.namesHost ||= this.beginsHost(unit);
    this.isWordBefore = isWord(unit);
    this.previous = unit;
  }

  /** A path alone is relative and names no host: `!path/file.png!`. */
  private beginsHost(unit: number): boolean {
    if (unit === Unit.slash) return this.previous === Unit.slash || this.previous === Unit.bang;
    return unit === Unit.colon || unit === Unit.backslash || unit === Unit.ampersand;
  }
}

function isWord(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || unit > 0x7f
  );
}
