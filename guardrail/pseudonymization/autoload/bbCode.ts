import { isSpace, Place, type AddressReader } from './contract.ts';

const OPEN = '[img';
const CLOSE = '[/img';
const Unit = { equals: 0x3d, closeBracket: 0x5d } as const;

const Phase = { text: 0, tag: 1, value: 2, content: 3 } as const;
type Phase = (typeof Phase)[keyof typeof Phase];

/** The state of a {@link BbCodeReader}. */
export type SavedBbCode = object;

/** Finds the addresses of images in BBCode: `[img]…[/img]`, `[img=…]`, and with attributes. */
export class BbCodeReader implements AddressReader {
  private phase: Phase = Phase.text;
  /** The number of characters that match the beginning, or the end, of an image. */
  private matched = 0;
  private isEmpty = true;

  /** @param saved the state from which to continue, as JSON */
  static of(saved: SavedBbCode): BbCodeReader {
    return Object.assign(new BbCodeReader(), saved);
  }

  save(): SavedBbCode {
    return Object.assign({}, this);
  }

  get isClean(): boolean {
    return this.phase === Phase.text && this.matched === 0;
  }

  get place(): Place {
    if (this.phase !== Phase.value && this.phase !== Phase.content) return Place.outside;
    return this.isEmpty ? Place.start : Place.inside;
  }

  feed(unit: number): void {
    switch (this.phase) {
      case Phase.text:
        this.feedText(unit);
        break;
      case Phase.tag:
      case Phase.value:
        this.feedTag(unit);
        break;
      case Phase.content:
        if (this.match(unit, CLOSE)) this.begin(Phase.text);
        else this.isEmpty &&= isSpace(unit);
        break;
    }
  }

  private feedText(unit: number): void {
    if (this.matched === OPEN.length) {
      const isImage = isSpace(unit) || unit === Unit.closeBracket || unit === Unit.equals;
      this.begin(isImage ? Phase.tag : Phase.text);
      if (isImage) this.feedTag(unit);
    } else this.match(unit, OPEN);
  }

  private feedTag(unit: number): void {
    if (unit === Unit.closeBracket) this.begin(Phase.content);
    else if (unit === Unit.equals && this.phase === Phase.tag) this.begin(Phase.value);
    else this.isEmpty = false;
  }

  private begin(phase: Phase): void {
    this.phase = phase;
    this.matched = 0;
    this.isEmpty = true;
  }

  /** Whether this character completes a word, in any case. */
  private match(unit: number, word: string): boolean {
    const lower = unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
    if (lower === word.charCodeAt(this.matched)) this.matched++;
    else this.matched = lower === word.charCodeAt(0) ? 1 : 0;
    return this.matched === word.length;
  }
}
