/**
 * The tokens of a text for the network, and their features: words and numbers, single marks, and single characters of scripts
 * without spaces. Each feature is a row of the table of the network.
 */
import { foldedOf, kindOf, kinds } from '../text/characters.ts';
import { flags as listFlags, type Gazetteer } from './gazetteer.ts';
import { nameHash } from './knownNames.ts';
import { wordHashIn } from './tokens.ts';

/** The number of rows of the table. */
export const tokenBuckets = 1 << 16;

/** White space before a token. A tab or several spaces stand between columns. */
export const tokenGaps = { none: 0, space: 1, column: 2, newline: 3, paragraph: 4 } as const;

/** From here on, scripts have no spaces between words: each character is a token. */
const FIRST_UNSPACED = 0x2e80;
const FIRST_KATAKANA = 0x30a1;
const LAST_KATAKANA = 0x30fe;
/** The most trigrams of a word, and the most characters of the form of a number that count. */
const MOST_TRIGRAMS = 8;
const MOST_FORM = 14;
/** The longest listed word of a script without spaces, in characters. */
const MOST_CHARACTERS = 4;

/** Sorts of features. Each has hashes of its own. */
const sorts = {
  word: 0x3c6ef372,
  prefix: 0x1b873593,
  suffix: 0x165667b1,
  trigram: 0x27d4eb2f,
  form: 0x5bd1e995,
  begin: 0x2545f491,
  letters: 0x7feb352d,
  mark: 0x68e31da4,
  character: 0x45d9f3b,
  pair: 0x119de1f3,
  place: 0x344b5409,
  list: 0x71e2c1d3,
  lists: 0x5a3d90b7,
  known: 0x2c1b3c6d,
  begins: 0x3f84d5b5,
} as const;

/** Shapes of tokens, for the feature of their place. */
const shapes = { mark: 0, unspaced: 1, lower: 2, capitalized: 3, upper: 4, mixed: 5, digits: 6, both: 7 } as const;

const tokenKinds = { mark: 0, unspaced: 1, word: 2 } as const;

const letterA = 65;
const lowerA = 97;
const digitNine = 57;

/** What is known of words and of names. */
export interface NameLists {
  readonly gazetteer: Pick<Gazetteer, 'lookup'>;
  readonly knownNames: Pick<Gazetteer, 'lookup'>;
}

/** The most words of a known name, and the most tokens: marks may stand between them. */
const MOST_WORDS = 6;
const MOST_TOKENS = 18;

/** Reads one text at a time. The next text overwrites the arrays. */
export class NetworkTokens {
  count = 0;
  start = new Int32Array(256);
  end = new Int32Array(256);
  gap = new Uint8Array(256);
  /** Whether a token has a digit. */
  hasDigit = new Uint8Array(256);
  /** Whether a token is a word in small letters that no list has as a name, or that is an ordinary word, too. */
  isPlain = new Uint8Array(256);
  /** The features of a token are {@link features} from `first[at]` to `first[at + 1]`. */
  first = new Int32Array(257);
  features = new Int32Array(4096);
  /** What each token is: see {@link tokenKinds}. */
  private kind = new Uint8Array(256);
  private word = new Int32Array(256);
  private katakana = new Uint8Array(256);
  /** The known name that a token is part of: its flags, and whether the token begins it or follows. */
  private known = new Int32Array(256);
  private knownLength = new Uint8Array(256);
  /** The lists that have the words which begin at a character, a byte for each length. */
  private begins = new Int32Array(256);
  private size = 0;
  private readonly lists: NameLists;

  constructor(lists: NameLists) {
    this.lists = lists;
  }

  /** Whether a token is a single mark. */
  isMark(at: number): boolean {
    return this.kind[at] === tokenKinds.mark;
  }

  /** Whether a token is a word or a number, in a script with spaces. */
  isWord(at: number): boolean {
    return this.kind[at] === tokenKinds.word;
  }

  /** Whether a token is a character of a script without spaces. */
  isUnspaced(at: number): boolean {
    return at >= 0 && at < this.count && this.kind[at] === tokenKinds.unspaced;
  }

  /** Whether a token is a Katakana. Neighbours are one word. */
  isKatakana(at: number): boolean {
    return this.isUnspaced(at) && this.katakana[at] === 1;
  }

  read(text: string): void {
    this.count = 0;
    this.size = 0;
    let newlines = 2;
    let spaces = 0;
    for (let at = 0; at < text.length;) {
      const code = text.charCodeAt(at);
      const kind = kindOf[code];
      if (kind === kinds.space) {
        spaces += code === 9 ? 2 : 1;
        at++;
      } else if (kind === kinds.newline) {
        newlines++;
        at++;
      } else {
        const gap =
          newlines > 1
            ? tokenGaps.paragraph
            : newlines > 0
              ? tokenGaps.newline
              : spaces > 1
                ? tokenGaps.column
                : spaces > 0
                  ? tokenGaps.space
                  : tokenGaps.none;
        newlines = spaces = 0;
        at = this.add(text, at, gap);
      }
    }
    this.findKnown();
    this.findUnspacedWords(text);
    for (let token = 0; token < this.count; token++) this.addFeatures(text, token);
    this.first[this.count] = this.size;
  }

  /** Adds the token that begins at an offset. @returns its end */
  private add(text: string, from: number, gap: number): number {
    if (this.count + 1 >= this.start.length) this.grow();
    const token = this.count++;
    this.start[token] = from;
    this.gap[token] = gap;
    this.hasDigit[token] = 0;
    this.isPlain[token] = 0;
    this.known[token] = 0;
    this.knownLength[token] = 0;
    this.word[token] = 0;
    const code = text.charCodeAt(from);
    const isUnspaced = code >= FIRST_UNSPACED && kindOf[code] === kinds.letter;
    const isMark = kindOf[code] === kinds.mark;
    this.kind[token] = isMark ? tokenKinds.mark : isUnspaced ? tokenKinds.unspaced : tokenKinds.word;
    let to = from + 1;
    if (!isMark && !isUnspaced) {
      while (to < text.length && isInWord(text.charCodeAt(to))) to++;
      this.word[token] = wordHashIn(text, from, to);
    }
    this.katakana[token] = code >= FIRST_KATAKANA && code <= LAST_KATAKANA ? 1 : 0;
    this.end[token] = to;
    return to;
  }

  /** Marks the tokens of the longest known names. */
  private findKnown(): void {
    const { count, kind, word, gap } = this;
    for (let from = 0; from < count; from++) {
      if (kind[from] !== tokenKinds.word) continue;
      const words: number[] = [];
      for (let to = from; to < count && words.length < MOST_WORDS && to - from < MOST_TOKENS; to++) {
        if (to > from && (gap[to] ?? 0) > tokenGaps.space) break;
        if (kind[to] === tokenKinds.mark) continue;
        if (kind[to] !== tokenKinds.word) break;
        words.push(word[to] ?? 0);
        const flags = this.lists.knownNames.lookup(nameHash(words));
        if (flags !== 0) this.markKnown(from, to, words.length, flags);
      }
    }
  }

  private markKnown(from: number, to: number, words: number, flags: number): void {
    for (let at = from; at <= to; at++) {
      if ((this.knownLength[at] ?? 0) >= words) continue;
      this.knownLength[at] = words;
      this.known[at] = (flags << 2) | (words === 1 ? 0 : at === from ? 1 : 2);
    }
  }

  /** Marks the characters of the longest listed words of a script without spaces. */
  private findUnspacedWords(text: string): void {
    const { count, kind, gap, start, known, knownLength, begins } = this;
    for (let from = 0; from < count; from++) {
      if (kind[from] !== tokenKinds.unspaced) continue;
      begins[from] = 0;
      for (let length = 1; length <= MOST_CHARACTERS; length++) {
        const last = from + length - 1;
        if (kind[last] !== tokenKinds.unspaced || last >= count || (length > 1 && gap[last] !== tokenGaps.none)) break;
        const flags = this.lists.gazetteer.lookup(wordHashIn(text, start[from] ?? 0, (start[last] ?? 0) + 1));
        if (flags === 0) continue;
        begins[from] = (begins[from] ?? 0) | (flags << (8 * (length - 1)));
        for (let at = from; at <= last; at++) {
          if ((knownLength[at] ?? 0) >= length) continue;
          knownLength[at] = length;
          known[at] = (flags << 4) | (length << 2) | (at === from ? 0 : at === last ? 2 : 1);
        }
      }
    }
  }

  private addFeatures(text: string, token: number): void {
    this.first[token] = this.size;
    if (this.size + 48 > this.features.length) this.features = doubled(this.features);
    const from = this.start[token] ?? 0;
    const gap = this.gap[token] ?? 0;
    const kind = this.kind[token];
    if (kind === tokenKinds.unspaced) this.addCharacter(text, token, from, gap);
    else if (kind === tokenKinds.mark) {
      this.feature(sorts.mark, text.charCodeAt(from));
      this.feature(sorts.place, gap * 8 + shapes.mark);
    } else this.addWord(text, token, gap);
    if ((this.known[token] ?? 0) !== 0) this.feature(sorts.known, this.known[token] ?? 0);
  }

  private addCharacter(text: string, token: number, at: number, gap: number): void {
    const code = text.charCodeAt(at);
    this.feature(sorts.character, code);
    this.feature(sorts.pair, code * 65_536 + (text.charCodeAt(at + 1) || 0));
    this.feature(sorts.pair, (at > 0 ? text.charCodeAt(at - 1) : 0) * 65_536 + code);
    this.feature(sorts.place, gap * 8 + shapes.unspaced);
    const begins = this.begins[token] ?? 0;
    for (let length = 1; length <= MOST_CHARACTERS; length++) {
      const flags = (begins >>> (8 * (length - 1))) & 0xff;
      if (flags !== 0) this.feature(sorts.begins, length * 256 + flags);
    }
  }

  private addWord(text: string, token: number, gap: number): void {
    const from = this.start[token] ?? 0;
    const to = this.end[token] ?? 0;
    const word = this.word[token] ?? 0;
    let [upper, digits] = [0, 0];
    let form = 0;
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      const kind = kindOf[code];
      const isDigit = kind === kinds.digit;
      if (isDigit) digits++;
      else if (kind === kinds.upper) upper++;
      if (at - from < MOST_FORM) form = mixed(form, isDigit ? digitNine : kind === kinds.upper ? letterA : lowerA);
    }
    const length = to - from;
    const isCapitalized = upper === 1 && kindOf[text.charCodeAt(from)] === kinds.upper;
    if (digits > 0) {
      this.hasDigit[token] = 1;
      this.feature(sorts.form, form);
      this.addBegin(text, from, to);
      if (length <= 2) this.feature(sorts.word, word);
      if (digits < length) this.addLetters(text, from, to);
      this.feature(sorts.place, gap * 8 + (digits === length ? shapes.digits : shapes.both));
      return;
    }
    const shape =
      upper === 0 ? shapes.lower : upper === length ? shapes.upper : isCapitalized ? shapes.capitalized : shapes.mixed;
    this.feature(sorts.word, word);
    this.feature(sorts.place, gap * 8 + shape);
    this.feature(sorts.form, (shape << 4) | Math.min(15, length));
    this.addTrigrams(text, from, to);
    const flags = this.addLists(word);
    const isName = (flags & listFlags.ordinary) === 0 && (flags & (listFlags.given | listFlags.family)) !== 0;
    if (shape === shapes.lower && !isName) this.isPlain[token] = 1;
  }

  /** The lists that have a word: each, and all of them together. */
  private addLists(word: number): number {
    const flags = this.lists.gazetteer.lookup(word);
    this.feature(sorts.lists, flags);
    for (let bit = 1; bit < 256; bit <<= 1) if ((flags & bit) !== 0) this.feature(sorts.list, bit);
    return flags;
  }

  /** The first two characters of a number, and their count: years begin with 19 or 20. */
  private addBegin(text: string, from: number, to: number): void {
    const one = foldedOf[text.charCodeAt(from)] ?? 0;
    const two = from + 1 < to ? (foldedOf[text.charCodeAt(from + 1)] ?? 0) : 0;
    this.feature(sorts.begin, ((Math.min(15, to - from) * 65_536 + one) * 64 + two) | 0);
  }

  /** The letters of a number: "KN4711" has "kn". */
  private addLetters(text: string, from: number, to: number): void {
    let hash = 0;
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      if (kindOf[code] !== kinds.digit) hash = mixed(hash, foldedOf[code] ?? code);
    }
    this.feature(sorts.letters, hash);
  }

  private addTrigrams(text: string, from: number, to: number): void {
    const at = (index: number): number =>
      index < from || index >= to ? 0 : (foldedOf[text.charCodeAt(index)] ?? text.charCodeAt(index));
    const length = to - from;
    if (length < 3) return;
    this.feature(sorts.prefix, (at(from) * 65_536 + at(from + 1) * 256 + at(from + 2)) | 0);
    this.feature(sorts.suffix, (at(to - 1) * 65_536 + at(to - 2) * 256 + at(to - 3)) | 0);
    const most = Math.min(length - 2, MOST_TRIGRAMS);
    for (let index = from; index < from + most; index++)
      this.feature(sorts.trigram, (at(index) * 65_536 + at(index + 1) * 256 + at(index + 2)) | 0);
  }

  private feature(sort: number, value: number): void {
    let hash = Math.imul(value ^ sort, 0x9e3779b1);
    hash ^= hash >>> 15;
    hash = Math.imul(hash ^ (sort >>> 7), 0x85ebca6b);
    this.features[this.size++] = (hash ^ (hash >>> 13)) & (tokenBuckets - 1);
  }

  private grow(): void {
    this.start = doubled(this.start);
    this.end = doubled(this.end);
    this.word = doubled(this.word);
    this.known = doubled(this.known);
    this.begins = doubled(this.begins);
    const { gap, hasDigit, isPlain, kind, first, katakana, knownLength } = this;
    this.isPlain = new Uint8Array(2 * isPlain.length);
    this.isPlain.set(isPlain);
    this.katakana = new Uint8Array(2 * katakana.length);
    this.katakana.set(katakana);
    this.knownLength = new Uint8Array(2 * knownLength.length);
    this.knownLength.set(knownLength);
    this.kind = new Uint8Array(2 * kind.length);
    this.kind.set(kind);
    this.gap = new Uint8Array(2 * gap.length);
    this.gap.set(gap);
    this.hasDigit = new Uint8Array(2 * hasDigit.length);
    this.hasDigit.set(hasDigit);
    this.first = new Int32Array(2 * first.length);
    this.first.set(first);
  }
}

const mixed = (hash: number, value: number): number => {
  const next = Math.imul(hash ^ value, 0x5bd1e995);
  return next ^ (next >>> 15);
};

const isInWord = (code: number): boolean => {
  const kind = kindOf[code] ?? 0;
  return (
    kind === kinds.lower ||
    kind === kinds.upper ||
    kind === kinds.digit ||
    (kind === kinds.letter && code < FIRST_UNSPACED)
  );
};

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const next = new Int32Array(2 * array.length);
  next.set(array);
  return next;
}
