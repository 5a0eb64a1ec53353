import { innermost, isSpace, MAX_OPEN, Place, type AddressReader } from './contract.ts';

const Unit = {
  newline: 0x0a,
  carriageReturn: 0x0d,
  bang: 0x21,
  quote: 0x22,
  dollar: 0x24,
  apostrophe: 0x27,
  open: 0x28,
  close: 0x29,
  colon: 0x3a,
  less: 0x3c,
  greater: 0x3e,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  backtick: 0x60,
} as const;

/** Characters that may precede a reference definition on its line: space, and the markers of quotes and lists. */
const LINE_HEAD = new Set(Array.from(' \t>*+-.)0123456789', (char) => char.charCodeAt(0)));
/** An address without one of these characters is relative and names no host. */
const NAMES_HOST = new Set(Array.from('/\\:&', (char) => char.charCodeAt(0)));

/**
 * Maximum number of open brackets. Beyond it, the outermost are forgotten, and an image among them counts as open until
 * the paragraph ends.
 */
const MAX_BRACKETS = 128;

/** A "[" without its "]" so far. */
interface Opener {
  readonly image: boolean;
  /** The bracket is the first on its line, so it may begin a reference definition. */
  readonly head: boolean;
  /** Number of hiding characters before the bracket. */
  readonly hiding: number;
}

/** The state of a {@link MarkdownReader}. */
export interface SavedMarkdown {
  readonly addresses: readonly object[];
}

/**
 * Finds the addresses of Markdown images: inline addresses, and those of reference definitions, because an image anywhere
 * in the text may refer to one (CommonMark 0.31, 4.7 and 6.4). Addresses of links do not count.
 *
 * Renderers disagree on what hides a bracket (code, HTML, formulas, backslashes), and the end of such a construct is not
 * known in advance. Therefore an image whose text contains such a character stays open until the paragraph ends, and each
 * "](" that may belong to it counts as its address.
 */
export class MarkdownReader implements AddressReader {
  private openers: Opener[] = [];
  private openImages = 0;
  private imageMayBeOpen = false;
  private hiding = 0;
  private escaped = false;
  private previous = 0;
  private atLineHead = true;
  private isLineBlank = true;
  /** What the last "]" may have closed, as long as only white space has followed. */
  private closed = { image: false, definition: false };
  private addresses: Destination[] = [];
  private isFlooded = false;

  /** @param saved the state from which to continue, as JSON */
  static of(saved: SavedMarkdown): MarkdownReader {
    const addresses = saved.addresses.map((address) => Object.assign(new Destination('inline'), address));
    return Object.assign(new MarkdownReader(), saved, { addresses });
  }

  /** @returns the state, which can be written as JSON */
  save(): SavedMarkdown {
    const { addresses } = this;
    return Object.assign<SavedMarkdown, object>({ addresses }, this);
  }

  /** Whether no address is open, and no image or definition that could get one. A "!" can begin an image. */
  get isClean(): boolean {
    const { openImages, imageMayBeOpen, closed, addresses, isFlooded, previous, openers } = this;
    const hasImage = openImages > 0 || imageMayBeOpen || closed.image || previous === Unit.bang;
    return !hasImage && !closed.definition && addresses.length === 0 && !isFlooded && openers.at(-1)?.head !== true;
  }

  /**
   * As {@link save}, but equal for texts that leave the same open, so that few states are distinct: each "](" may be that of an
   * open image, and only the last bracket can be that of a definition.
   */
  saveOpen(): SavedMarkdown {
    const last = this.openers.at(-1);
    const addresses = [...new Map(this.addresses.map((address) => [JSON.stringify(address), address])).values()];
    return Object.assign<SavedMarkdown, object>(this.save(), {
      addresses,
      openers: last?.head === true && !last.image ? [{ image: false, head: true, hiding: 0 }] : [],
      openImages: 0,
      imageMayBeOpen: this.openImages > 0 || this.imageMayBeOpen,
      hiding: 0,
      previous: this.previous === Unit.bang ? Unit.bang : 0,
    });
  }

  get place(): Place {
    return this.isFlooded ? Place.inside : innermost(this.addresses);
  }

  /** Whether this character would begin the address of an image. */
  beginsAddress(unit: number): boolean {
    return unit === Unit.open && this.closed.image;
  }

  feed(unit: number): void {
    if (unit === Unit.newline && this.isLineBlank) this.endParagraph();
    if (this.addresses.length > 0) {
      for (const address of this.addresses) address.feed(unit);
      this.addresses = this.addresses.filter((address) => !address.isDone);
    }
    this.feedBrackets(unit);
    this.previous = unit;
    if (unit === Unit.newline) {
      this.atLineHead = true;
      this.isLineBlank = true;
    } else {
      this.atLineHead = unit === Unit.carriageReturn || (this.atLineHead && LINE_HEAD.has(unit));
      this.isLineBlank &&= isSpace(unit);
    }
  }

  private endParagraph(): void {
    this.openers = [];
    this.openImages = 0;
    this.imageMayBeOpen = false;
    this.addresses = [];
    this.isFlooded = false;
  }

  private feedBrackets(unit: number): void {
    const { closed } = this;
    if (unit === Unit.open && closed.image) this.begin(new Destination('inline'));
    if (unit === Unit.colon && closed.definition) this.begin(new Destination('definition'));
    if (closed.image || closed.definition) {
      const image = closed.image && (unit === 0x20 || unit === 0x09);
      this.closed = { image, definition: false };
    }
    const { escaped } = this;
    this.escaped = false;
    if (unit === Unit.closeBracket) this.close(escaped);
    else if (escaped) return;
    else if (unit === Unit.openBracket) this.open();
    else if (unit === Unit.backslash) {
      this.escaped = true;
      this.hiding++;
    } else if (unit === Unit.backtick || unit === Unit.less || unit === Unit.dollar) this.hiding++;
  }

  private open(): void {
    const image = this.previous === Unit.bang;
    if (image) this.openImages++;
    this.openers.push({ image, head: this.atLineHead, hiding: this.hiding });
    if (this.openers.length <= MAX_BRACKETS || !this.openers.shift()?.image) return;
    this.openImages--;
    this.imageMayBeOpen = true;
  }

  /** Not every renderer supports escapes, so after an escaped "]" the bracket may be closed or still open. */
  private close(escaped: boolean): void {
    const opener = escaped ? this.openers.at(-1) : this.openers.pop();
    this.closed = { image: this.openImages > 0 || this.imageMayBeOpen, definition: opener?.head ?? false };
    if (escaped || !opener?.image) return;
    this.openImages--;
    this.imageMayBeOpen ||= this.hiding > opener.hiding;
  }

  private begin(address: Destination): void {
    if (this.addresses.length >= MAX_OPEN) this.isFlooded = true;
    else this.addresses.push(address);
  }
}

const Phase = { start: 0, bare: 1, angled: 2, gap: 3, title: 4, rest: 5, done: 6 } as const;
type Phase = (typeof Phase)[keyof typeof Phase];

/**
 * Reads a link destination and the title after it. A lenient renderer may load a destination that CommonMark rejects.
 * Therefore everything up to the closing parenthesis counts, except the title.
 */
class Destination {
  private phase: Phase = Phase.start;
  private isEmpty = true;
  private depth = 1;
  private escaped = false;
  private closer = 0;
  private mayNameHost: boolean;
  private readonly kind: 'inline' | 'definition';

  constructor(kind: 'inline' | 'definition') {
    this.kind = kind;
    // The beginning of a definition names no host yet. It may be the speaker in "[10:02]: Anna".
    this.mayNameHost = kind === 'inline';
  }

  get isDone(): boolean {
    return this.phase === Phase.done;
  }

  get place(): Place {
    if (!this.mayNameHost || this.phase === Phase.title) return Place.outside;
    return this.isEmpty ? Place.start : Place.inside;
  }

  feed(unit: number): void {
    if (this.escaped) {
      this.escaped = false;
      return;
    }
    if (this.phase === Phase.start && !isSpace(unit)) {
      this.phase = unit === Unit.less ? Phase.angled : Phase.bare;
      if (unit === Unit.less) return;
    }
    this.isEmpty &&= this.phase === Phase.start;
    this.mayNameHost ||= NAMES_HOST.has(unit);
    if (this.phase === Phase.title) {
      if (unit === this.closer) this.phase = Phase.gap;
    } else if (this.phase === Phase.gap) this.feedGap(unit);
    else if (unit === Unit.backslash) this.escaped = true;
    else if (this.phase === Phase.angled) this.feedAngled(unit);
    else if (this.phase === Phase.bare && isSpace(unit)) this.end(this.depth === 1 ? Phase.gap : Phase.rest);
    else this.feedParenthesis(unit);
  }

  private feedAngled(unit: number): void {
    if (unit === Unit.less) this.depth++;
    else if (unit === Unit.greater) {
      if (this.depth > 1) this.depth--;
      else this.end(Phase.gap);
    }
  }

  private feedGap(unit: number): void {
    // The backslash may belong to the quotation mark, in text with JSON escapes.
    if (isSpace(unit) || unit === Unit.backslash) return;
    if (unit === Unit.close) this.phase = Phase.done;
    else if (unit === Unit.quote || unit === Unit.apostrophe || unit === Unit.open) {
      this.phase = Phase.title;
      this.closer = unit === Unit.open ? Unit.close : unit;
    } else this.phase = Phase.rest;
  }

  private feedParenthesis(unit: number): void {
    if (this.kind === 'definition') return;
    if (unit === Unit.open) this.depth++;
    else if (unit === Unit.close && --this.depth === 0) this.phase = Phase.done;
  }

  /** Ends the address. The title of a definition is read as normal text. */
  private end(next: Phase): void {
    this.phase = this.kind === 'definition' ? Phase.done : next;
  }
}
