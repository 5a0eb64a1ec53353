import { innermost, isSpace, MAX_OPEN, Place, type AddressReader } from './contract.ts';

const Unit = {
  quote: 0x22,
  ampersand: 0x26,
  apostrophe: 0x27,
  open: 0x28,
  slash: 0x2f,
  less: 0x3c,
  equals: 0x3d,
  greater: 0x3e,
  question: 0x3f,
  backslash: 0x5c,
} as const;

/** The attributes with an address that a browser loads automatically, by element (HTML, SVG 2 and earlier versions). */
const LOADED: Readonly<Record<string, readonly string[]>> = {
  ...of('img', 'src srcset lowsrc dynsrc'),
  ...of('image', 'src srcset href'),
  ...of('input embed audio track frame bgsound portal amp-img', 'src srcset'),
  ...of('source', 'src srcset'),
  ...of('video', 'src poster'),
  ...of('iframe', 'src srcdoc'),
  ...of('script', 'src href'),
  ...of('object applet', 'data classid codebase archive code'),
  ...of('link', 'href imagesrcset'),
  ...of('base use feimage cursor tref textpath mpath pattern filter', 'href'),
  ...of('lineargradient radialgradient mask marker font-face-uri', 'href'),
  ...of('body table thead tbody tfoot tr td th', 'background'),
  // These set an attribute of their parent element, which may be one of the above.
  ...of('animate set', 'to from by values'),
  ...of('?xml-stylesheet', 'href'),
};

function of(elements: string, attributes: string): Record<string, string[]> {
  return Object.fromEntries(elements.split(' ').map((element) => [element, attributes.split(' ')]));
}

/**
 * How an attribute's value contains an address. `address`: the whole value. `style`: inside a function of the style
 * sheet, whose parenthesis may be a character reference. `refresh`: after a number, as in `<meta
 * http-equiv="refresh">`. `script`: a script, which can compute an address from anything in it. `other`: inside `url(`.
 */
type Value = 'address' | 'style' | 'refresh' | 'script' | 'other';

function valueOf(element: string, attribute: string): Value {
  const name = attribute.replace(/^(?:data-|.*:)/, '');
  if (name === 'style') return 'style';
  if (/^on[a-z]/.test(name)) return 'script';
  if (element === 'meta' && name === 'content') return 'refresh';
  return LOADED[element]?.includes(name) ? 'address' : 'other';
}

/** Longer than any name above. */
const MAX_NAME = 24;
/** Parts of a style sheet that load an address. */
const SHEET_LOADS = ['url(', 'src(', 'image(', 'image-set(', '@import', '\\'];
const MAX_SHEET_WORD = 10;

const Phase = {
  open: 0,
  element: 1,
  between: 2,
  attribute: 3,
  afterAttribute: 4,
  beforeValue: 5,
  escapedValue: 6,
  quoted: 7,
  unquoted: 8,
  sheet: 9,
  done: 10,
} as const;
type Phase = (typeof Phase)[keyof typeof Phase];

/** The state of a {@link HtmlReader}. */
export interface SavedHtml {
  readonly tags: readonly object[];
  readonly hint: object;
}

/**
 * Finds the addresses that a browser loads automatically, in HTML and SVG inside any text. Renderers differ on which
 * text is HTML and which text only looks like it (code, comments, quoted values). Therefore every "<" may begin a tag,
 * also inside another tag, and each tag is read independently, as the HTML tokenizer reads it.
 */
export class HtmlReader implements AddressReader {
  private tags: Tag[] = [];
  private isFlooded = false;
  private hint = new Hint();

  /** @param saved the state from which to continue, as JSON */
  static of(saved: SavedHtml): HtmlReader {
    const tags = saved.tags.map((tag) => Object.assign(new Tag(), tag));
    return Object.assign(new HtmlReader(), saved, { tags, hint: Object.assign(new Hint(), saved.hint) });
  }

  /** @returns the state, which can be written as JSON */
  save(): SavedHtml {
    const { tags, hint } = this;
    return Object.assign<SavedHtml, object>({ tags, hint }, this);
  }

  get isClean(): boolean {
    return this.tags.length === 0 && !this.isFlooded;
  }

  /** As {@link save}. Tags in the same state are one. */
  saveOpen(): SavedHtml {
    return { ...this.save(), tags: [...this.distinct()] };
  }

  get place(): Place {
    if (this.isFlooded) return this.hint.isFound ? Place.inside : Place.outside;
    return innermost(this.tags);
  }

  feed(unit: number): void {
    this.hint.feed(unit);
    const { tags } = this;
    if (tags.length > 0) {
      const begun: Tag[] = [];
      for (const tag of tags) {
        const other = tag.feed(unit);
        if (other) begun.push(other);
      }
      tags.push(...begun);
      if (tags.some((tag) => tag.phase === Phase.done)) this.tags = tags.filter((tag) => tag.phase !== Phase.done);
    }
    if (unit === Unit.less && !this.isFlooded) this.tags.push(new Tag());
    if (this.tags.length > MAX_OPEN) this.merge();
  }

  /** Reads tags in the same state as one. Each "<" begins a tag, and a backslash before a value can double the tags. */
  private merge(): void {
    const distinct = [...this.distinct()];
    this.isFlooded = distinct.length > MAX_OPEN;
    this.tags = this.isFlooded ? [] : distinct;
  }

  private distinct(): Iterable<Tag> {
    return new Map(this.tags.map((tag) => [tag.key, tag])).values();
  }
}

/**
 * Whether a text can have an address in HTML: it contains the "=" of an attribute or the name of the element `style`. A
 * text without either is not read at all, so a flood of tags counts only after one of them.
 */
class Hint {
  isFound = false;
  private matched = 0;

  feed(unit: number): void {
    if (this.isFound) return;
    const lower = unit | 0x20;
    if (lower === STYLE.charCodeAt(this.matched)) this.matched++;
    else this.matched = lower === STYLE.charCodeAt(0) ? 1 : 0;
    this.isFound = unit === Unit.equals || this.matched === STYLE.length;
  }
}

const STYLE = 'style';

/** Elements whose content is read to the end tag. */
const WITH_CONTENT = new Set(['style', 'script']);

/** Reads one tag, from its "<" to its ">"; for `style` and `script`, to the end tag. */
class Tag {
  phase: Phase = Phase.open;
  private element = '';
  private name = '';
  private value: Value = 'other';
  /** The value or the style sheet contains an address from this place on. */
  private isAddress = false;
  /** The value is empty so far, or is a quotation mark that backslashes may have escaped. */
  private isEmpty = false;
  private mayBeEscape = false;
  private closer = 0;
  private escaped = false;
  /** The last characters of a value or a style sheet, enough to find the longest word that is searched for. */
  private tail = '';

  get place(): Place {
    if (this.phase === Phase.beforeValue || this.phase === Phase.escapedValue) {
      const value = valueOf(this.element, this.name);
      return value === 'address' ? Place.start : value === 'script' ? Place.inside : Place.outside;
    }
    if (!this.isAddress || this.phase < Phase.quoted) return Place.outside;
    return this.isEmpty && this.value !== 'script' ? Place.start : Place.inside;
  }

  /** Equal for tags in the same state. */
  get key(): string {
    const { phase, element, name, value, isAddress, isEmpty, mayBeEscape, closer, escaped, tail } = this;
    return [phase, element, name, value, isAddress, isEmpty, mayBeEscape, closer, escaped, tail].join('\n');
  }

  /** @returns a second reading of the same tag if it is ambiguous */
  feed(unit: number): Tag | undefined {
    if (this.escaped) {
      this.escaped = false;
      return undefined;
    }
    switch (this.phase) {
      case Phase.open:
        this.phase = isLetter(unit) || unit === Unit.question ? Phase.element : Phase.done;
        this.element = String.fromCharCode(unit).toLowerCase();
        break;
      case Phase.element:
        this.feedElement(unit);
        break;
      case Phase.between:
      case Phase.attribute:
      case Phase.afterAttribute:
        this.feedAttribute(unit);
        break;
      case Phase.beforeValue:
        return this.feedBeforeValue(unit);
      case Phase.escapedValue:
        this.feedEscapedValue(unit);
        break;
      case Phase.quoted:
        if (unit === this.closer) this.phase = Phase.between;
        else this.feedValue(unit);
        break;
      case Phase.unquoted:
        if (isSpace(unit)) this.phase = Phase.between;
        else if (unit === Unit.greater) this.end();
        else this.feedValue(unit);
        break;
      case Phase.sheet:
        this.feedSheet(unit);
        break;
      case Phase.done:
        break;
    }
    return undefined;
  }

  private feedElement(unit: number): void {
    if (unit !== Unit.greater && unit !== Unit.slash && unit !== Unit.backslash && !isSpace(unit)) {
      if (this.element.length <= MAX_NAME) this.element += String.fromCharCode(unit).toLowerCase();
      return;
    }
    this.element = this.element.replace(/^.*:/, '');
    // Elements that load nothing need no name.
    const isNamed = Object.hasOwn(LOADED, this.element) || this.element === 'meta' || WITH_CONTENT.has(this.element);
    if (!isNamed) this.element = '';
    this.feedBetween(unit);
  }

  /** Reads between attributes and in their names. A backslash counts as white space: `\n` in text with JSON escapes. */
  private feedAttribute(unit: number): void {
    if (unit === Unit.equals && this.name !== '' && this.phase !== Phase.between) this.phase = Phase.beforeValue;
    else if (this.phase === Phase.attribute) {
      if (isSpace(unit) || unit === Unit.backslash) {
        this.phase = Phase.afterAttribute;
        this.escaped = unit === Unit.backslash;
      } else if (unit === Unit.greater || unit === Unit.slash) this.feedBetween(unit);
      else if (this.name.length <= MAX_NAME) this.name += String.fromCharCode(unit).toLowerCase();
    } else if (this.phase === Phase.afterAttribute && (isSpace(unit) || unit === Unit.backslash)) {
      this.escaped = unit === Unit.backslash;
    } else this.feedBetween(unit);
  }

  private feedBetween(unit: number): void {
    if (unit === Unit.greater) this.end();
    else if (isSpace(unit) || unit === Unit.slash || unit === Unit.backslash) {
      this.phase = Phase.between;
      this.escaped = unit === Unit.backslash;
    } else {
      this.phase = Phase.attribute;
      this.name = String.fromCharCode(unit).toLowerCase();
    }
  }

  private feedBeforeValue(unit: number): Tag | undefined {
    if (isSpace(unit)) return undefined;
    if (unit === Unit.greater) {
      this.end();
      return undefined;
    }
    this.value = valueOf(this.element, this.name);
    this.isAddress = this.value === 'address' || this.value === 'script';
    this.isEmpty = true;
    this.mayBeEscape = false;
    this.tail = '';
    if (unit === Unit.quote || unit === Unit.apostrophe) {
      this.phase = Phase.quoted;
      this.closer = unit;
      return undefined;
    }
    // The backslash belongs to the value or, in text with JSON escapes, to the quotation mark.
    const other = unit === Unit.backslash ? this.copy(Phase.escapedValue) : undefined;
    this.phase = Phase.unquoted;
    this.feedValue(unit);
    return other;
  }

  private feedEscapedValue(unit: number): void {
    if (unit === Unit.quote || unit === Unit.apostrophe) {
      this.phase = Phase.quoted;
      this.closer = unit;
    } else if (unit !== Unit.backslash) this.phase = Phase.done;
  }

  private feedValue(unit: number): void {
    const isQuote = unit === Unit.quote || unit === Unit.apostrophe;
    const wasEmpty = this.isEmpty;
    this.isEmpty = isQuote && this.mayBeEscape;
    this.mayBeEscape = unit === Unit.backslash && (wasEmpty || this.mayBeEscape);
    if (this.isAddress) return;
    if (this.value === 'style') this.isAddress = unit === Unit.open || unit === Unit.ampersand;
    else if (this.value === 'refresh' && this.tail === '') {
      this.isAddress = (unit >= 0x30 && unit <= 0x39) || unit === 0x2e || unit === Unit.ampersand;
      if (!isSpace(unit)) this.tail = '.';
    } else if (this.value === 'other') {
      this.tail = (this.tail + String.fromCharCode(unit).toLowerCase()).slice(-4);
      this.isAddress = this.tail === 'url(';
    }
  }

  private feedSheet(unit: number): void {
    this.tail = (this.tail + String.fromCharCode(unit).toLowerCase()).slice(-MAX_SHEET_WORD);
    if (this.tail.endsWith(`</${this.element}`)) this.phase = Phase.done;
    else this.isAddress ||= SHEET_LOADS.some((word) => this.tail.endsWith(word));
  }

  private end(): void {
    this.phase = WITH_CONTENT.has(this.element) ? Phase.sheet : Phase.done;
    this.isAddress = this.element === 'script';
    this.isEmpty = false;
    this.tail = '';
  }

  private copy(phase: Phase): Tag {
    const tag = new Tag();
    return Object.assign(tag, this, { phase });
  }
}

function isLetter(unit: number): boolean {
  return (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}
