import { foldedOf, kindOf, kinds } from '../text/characters.ts';

/** The kind of white space between a token and the one before it. */
export const gaps = { none: 0, space: 1, newline: 2, paragraph: 3 } as const;

/** Shapes of a token: its case and its digits. */
export const shapes = {
  mark: 0,
  lower: 1,
  capitalized: 2,
  upper: 3,
  initial: 4,
  camel: 5,
  mixed: 6,
  uncased: 7,
  digit1: 8,
  digit2: 9,
  digit3: 10,
  digit4: 11,
  digit5: 12,
  digits: 13,
  upperDigits: 14,
  lowerDigits: 15,
} as const;

/** The case of a token's line: capitals, lower case, or mixed. */
export const cases = { usual: 0, upper: 1, lower: 2 } as const;

/** As in {@link file://../../automaton/automaton.ts}: it is not looked up for each character. */
// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with a text
const { charCodeAt } = String.prototype;

/**
 * The tokens of one text: words (letters and digits) and single marks. They are in flat arrays without an object per
 * token, which the next text reuses.
 */
export class Tokens {
  count = 0;
  start = new Int32Array(1024);
  end = new Int32Array(1024);
  /** Two hashes of the exact characters, which together identify a word. */
  exact = new Int32Array(1024);
  exact2 = new Int32Array(1024);
  /** Hash of the folded characters: see {@link wordHash}. */
  word = new Int32Array(1024);
  shape = new Uint8Array(1024);
  gap = new Uint8Array(1024);
  lineCase = new Uint8Array(1024);
  /** Flags of each word in the gazetteer. The tagger sets them. */
  known = new Uint8Array(1024);

  private grow(): void {
    const size = this.start.length * 2;
    const longer = <T extends Int32Array | Uint8Array>(array: T, make: new (size: number) => T): T => {
      const copy = new make(size);
      copy.set(array);
      return copy;
    };
    this.start = longer(this.start, Int32Array);
    this.end = longer(this.end, Int32Array);
    this.exact = longer(this.exact, Int32Array);
    this.exact2 = longer(this.exact2, Int32Array);
    this.word = longer(this.word, Int32Array);
    this.shape = longer(this.shape, Uint8Array);
    this.gap = longer(this.gap, Uint8Array);
    this.lineCase = longer(this.lineCase, Uint8Array);
    this.known = longer(this.known, Uint8Array);
  }

  /** Splits a text, or the part of it from `from` to `to`, into tokens. */
  read(text: string, from = 0, to = text.length): void {
    this.count = 0;
    let newlines = 2;
    let spaces = 0;
    let at = from;
    let lineStart = 0;
    let uppers = 0;
    let lowers = 0;
    let capitals = 0;
    while (at < to) {
      const code = charCodeAt.call(text, at);
      const kind = kindOf[code] ?? 0;
      if (kind === kinds.space) {
        spaces++;
        at++;
        continue;
      }
      if (kind === kinds.newline) {
        newlines++;
        at++;
        this.closeLine(lineStart, uppers, lowers, capitals);
        lineStart = this.count;
        uppers = lowers = capitals = 0;
        continue;
      }
      const index = this.count++;
      if (index >= this.start.length) this.grow();
      this.start[index] = at;
      this.gap[index] =
        newlines > 1 ? gaps.paragraph : newlines === 1 ? gaps.newline : spaces > 0 ? gaps.space : gaps.none;
      newlines = spaces = 0;
      if (kind === kinds.mark) {
        this.exact[index] = Math.imul(code + 1, 0x9e3779b1);
        this.exact2[index] = code;
        this.word[index] = Math.imul(code + 1, 0x85ebca6b);
        this.shape[index] = shapes.mark;
        this.end[index] = ++at;
        continue;
      }
      let exact = 0x811c9dc5;
      let exact2 = 0x1234567;
      let word = 0x2f0b4c27;
      let upper = 0;
      let lower = 0;
      let digit = 0;
      const begin = at;
      for (; at < to; at++) {
        const next = charCodeAt.call(text, at);
        const nextKind = kindOf[next] ?? 0;
        if (nextKind === kinds.lower) lower++;
        else if (nextKind === kinds.upper) upper++;
        else if (nextKind === kinds.digit) digit++;
        else if (nextKind !== kinds.letter) break;
        exact = Math.imul(exact ^ next, 0x01000193);
        exact2 = Math.imul(exact2, 31) + next;
        word = Math.imul(word ^ (foldedOf[next] ?? next), 0x5bd1e995);
        word ^= word >>> 15;
      }
      this.end[index] = at;
      this.exact[index] = exact;
      this.exact2[index] = exact2;
      this.word[index] = word;
      const first = kindOf[code] === kinds.upper;
      this.shape[index] = shapeOf(at - begin, upper, lower, digit, first);
      if (digit === 0) {
        if (first && lower > 0) capitals++;
        if (upper > 1 && lower === 0) uppers++;
        if (lower > 0 && upper === 0) lowers++;
      }
    }
    this.closeLine(lineStart, uppers, lowers, capitals);
  }

  /** Sets the case of the line. In a line of capitals (`MEETING WITH JOHN`) the case of a word carries no information. */
  private closeLine(first: number, uppers: number, lowers: number, capitals: number): void {
    const written =
      uppers > 1 && lowers === 0 && capitals === 0
        ? cases.upper
        : lowers > 1 && capitals === 0 && uppers === 0
          ? cases.lower
          : cases.usual;
    // Lines are short: a call of `fill` would take longer than this loop.
    for (let token = first; token < this.count; token++) this.lineCase[token] = written;
  }
}

/** The character of a token that is a mark, as a UTF-16 code unit; 0 for other tokens. */
export const markAt = ({ shape, start }: Tokens, at: number, text: string): number =>
  shape[at] === shapes.mark ? text.charCodeAt(start[at] ?? 0) : 0;

function shapeOf(length: number, upper: number, lower: number, digit: number, first: boolean): number {
  if (digit === length) return length > 5 ? shapes.digits : shapes.digit1 + length - 1;
  if (digit > 0) return upper > 0 ? shapes.upperDigits : shapes.lowerDigits;
  if (upper === 0) return lower === 0 ? shapes.uncased : shapes.lower;
  if (lower === 0) return length === 1 ? shapes.initial : shapes.upper;
  if (upper === 1 && first) return shapes.capitalized;
  return first ? shapes.camel : shapes.mixed;
}

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
