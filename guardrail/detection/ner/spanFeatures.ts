import { flags } from './gazetteer.ts';
import { featureHash, hashCharacter, mix } from './hashing.ts';
import { kindNames, type TagKind } from './labels.ts';
import { flagBits, knownFlags, type KnownNames } from './knownNames.ts';
import { nameParticles } from './nameParticles.ts';
import type { TextContext } from './textContext.ts';
import { gaps, markAt, shapes, type Tokens } from './tokens.ts';

/** Number of rows in the hashed table of the classifier's weights. */
export const classifierBuckets = 1 << 18;
/** The maximum number of features of a candidate. */
export const mostSpanFeatures = 160;

/** Tokens on each side of a candidate whose words are features without their position. */
const WINDOW = 12;
const NEAR = 6;
/** Words of a candidate that are features. */
const MOST_OWN_WORDS = 8;

/** A span that the tagger found. */
export interface Candidate {
  readonly kind: TagKind;
  /** First token. */
  readonly first: number;
  /** Last token, inclusive. */
  readonly last: number;
  /** The mean lead of the tagger's labels over O, in units of training margin. */
  readonly margin: number;
}

const bucket = (template: number, value: number): number => featureHash(template, value) & (classifierBuckets - 1);

const isDigits = (shape: number): boolean => shape >= shapes.digit1 && shape <= shapes.digits;
/** A number in a feature stands for all numbers of its length. */
const wordOrShape = (tokens: Tokens, at: number): number => {
  const shape = tokens.shape[at] ?? 0;
  return isDigits(shape) ? 0x10000 + shape : (tokens.word[at] ?? 0);
};

const colon = ':'.charCodeAt(0);
const enders = new Set(Array.from('.!?…。！？', (character) => character.charCodeAt(0)));
const isEnd = (tokens: Tokens, at: number, text: string): boolean => {
  const mark = markAt(tokens, at, text);
  // Most tokens are words.
  return mark !== 0 && enders.has(mark);
};

const ordinaryOrName = flags.ordinary | flags.given | flags.family;

/** Neighbours at a larger distance in tokens are not in one list. */
const FAR = 4;

/**
 * Computes the features of candidates: the words of the candidate and around it, its place in its line and sentence, and
 * properties of the whole text. An instance processes one text at a time and reuses its memory.
 */
export class SpanFeatures {
  /** The buckets of the last candidate. */
  readonly out = new Int32Array(mostSpanFeatures);
  private readonly knownNames: KnownNames;
  private text = '';
  private candidates: readonly Candidate[] = [];
  /** What is known of each candidate. */
  private known: readonly number[] = [];
  private context: TextContext = { size: 0, marks: 0, firstWords: [] };
  private count = 0;

  constructor(knownNames: KnownNames) {
    this.knownNames = knownNames;
  }

  /**
   * Sets the text, its candidates, and the properties of the whole text of which it may be a piece.
   * @param tokens as the tagger left them.
   * @param candidates in the order of the text
   */
  readText(text: string, tokens: Tokens, candidates: readonly Candidate[], context: TextContext): void {
    this.text = text;
    this.context = context;
    this.candidates = candidates;
    this.known = candidates.map(({ first, last }) => this.knownNames.lookup(tokens, first, last));
  }

  /** Whether a candidate as a whole is a known name, has an ordinary word that is no name, or has a digit within a word. */
  isCommon(tokens: Tokens, index: number): boolean {
    const known = this.known[index] ?? 0;
    const candidate = this.candidates[index];
    if (candidate === undefined || known > 0) return known > 0 && known < 1 << flagBits;
    let words = 0;
    for (let at = candidate.first; at <= candidate.last; at++) {
      const shape = tokens.shape[at];
      if (shape === shapes.mark || shape === shapes.initial) continue;
      words++;
      if (shape === shapes.upperDigits || shape === shapes.lowerDigits) return true;
      const isOrdinary = ((tokens.known[at] ?? 0) & ordinaryOrName) === flags.ordinary;
      if (isOrdinary && !nameParticles.has(tokens.word[at] ?? 0)) return true;
    }
    return words === 0;
  }

  /** Whether a candidate is the name of a thing of one word that is no name of people. */
  isProduct(tokens: Tokens, index: number): boolean {
    const { first, last } = this.candidates[index] ?? { first: 0, last: -1 };
    const isName = ((tokens.known[first] ?? 0) & (flags.given | flags.family)) !== 0;
    return first === last && !isName && this.known[index] === knownFlags.thing;
  }

  /** Whether a candidate contains a number. */
  hasNumber(tokens: Tokens, index: number): boolean {
    const { first, last } = this.candidates[index] ?? { first: 0, last: -1 };
    for (let at = first; at <= last; at++) if ((tokens.shape[at] ?? 0) >= shapes.digit1) return true;
    return false;
  }

  private add(template: number, value: number): void {
    if (this.count < mostSpanFeatures) this.out[this.count++] = bucket(template, value);
  }

  /** @returns the number of features, whose buckets are in {@link out}. */
  of(tokens: Tokens, index: number): number {
    this.count = 0;
    const candidate = this.candidates[index];
    if (candidate === undefined) return 0;
    const { first, last, margin } = candidate;
    const kind = kindNames.indexOf(candidate.kind);
    const known = this.known[index] ?? 0;
    const length = Math.min(last - first + 1, 6);
    const form = this.ownFeatures(tokens, candidate, kind, known);
    this.add(0, kind);
    this.add(1, kind * 8 + length);
    const step = Math.max(-4, Math.min(12, Math.floor(margin)));
    this.add(2, kind * 32 + step + 4);
    this.add(3, mix(kind * 32 + step + 4, form));
    this.add(4, mix(kind, known));
    this.add(5, mix(mix(kind, known), form));
    for (let flag = 0; known >> flag > 0; flag++) if ((known >> flag) & 1) this.add(9, kind * 16 + flag);
    this.add(6, mix(kind, this.context.size));
    this.add(7, mix(kind, this.context.marks));
    this.add(8, mix(form, this.context.marks));
    const { firstWords } = this.context;
    const [firstWord = 0] = firstWords;
    this.add(71, mix(kind, firstWord));
    this.add(72, mix(known, firstWord));
    for (const word of firstWords) this.add(73, mix(kind, word));
    this.contextFeatures(tokens, candidate, kind, form, known);
    this.lineFeatures(tokens, candidate, kind, form);
    this.windowFeatures(tokens, candidate, kind);
    this.neighbourFeatures(tokens, index, kind, known);
    return this.count;
  }

  /** Features of the candidate's own words. Returns its form: shapes and gazetteer flags of its first and last word. */
  private ownFeatures(tokens: Tokens, { first, last }: Candidate, kind: number, known: number): number {
    let whole = 7;
    let union = 0;
    let common = 255;
    let words = 0;
    for (let at = first; at <= last; at++) {
      const shape = tokens.shape[at] ?? 0;
      const word = wordOrShape(tokens, at);
      whole = mix(whole, word);
      if (shape === shapes.mark) continue;
      const own = tokens.known[at] ?? 0;
      union |= own;
      common &= own;
      if (words++ >= MOST_OWN_WORDS) continue;
      this.add(20, word);
      this.spellingFeatures(tokens.start[at] ?? 0, tokens.end[at] ?? 0, shape);
      this.add(21, mix(own, shape));
      this.add(22, mix(at === first ? 1 : at === last ? 2 : 3, mix(own, shape)));
    }
    const shapeFirst = tokens.shape[first] ?? 0;
    const shapeLast = tokens.shape[last] ?? 0;
    const form = mix(mix(union, common), mix(shapeFirst * 16 + shapeLast, Math.min(words, 4)));
    this.add(23, whole);
    this.add(24, mix(kind, form));
    this.add(25, mix(kind, mix(union, Math.min(words, 4))));
    this.add(26, mix(kind, mix(common, Math.min(words, 4))));
    this.add(29, mix(kind, shapeFirst * 16 + shapeLast));
    this.add(30, mix(known, Math.min(words, 3)));
    return mix(union, Math.min(words, 3) * 16 + shapeFirst);
  }

  /** Beginning and ending of a word: names and words of a language are spelled differently. */
  private spellingFeatures(start: number, end: number, shape: number): void {
    let suffix = 7;
    for (let back = 1; back <= 4 && back <= end - start; back++) {
      suffix = hashCharacter(suffix, this.text, end - back);
      if (back >= 2) this.add(29 + back, mix(suffix, shape));
    }
    let prefix = 3;
    for (let at = 0; at < 4 && at < end - start; at++) {
      prefix = hashCharacter(prefix, this.text, start + at);
      if (at >= 2) this.add(32 + at, mix(prefix, shape));
    }
  }

  /** The words before and after the candidate. */
  private contextFeatures(tokens: Tokens, { first, last }: Candidate, kind: number, form: number, known: number): void {
    const wordAt = (at: number): number => (at < 0 ? 1 : at >= tokens.count ? 2 : wordOrShape(tokens, at));
    const before = wordAt(first - 1);
    const before2 = wordAt(first - 2);
    const after = wordAt(last + 1);
    const after2 = wordAt(last + 2);
    const shapeBefore = first > 0 ? (tokens.shape[first - 1] ?? 0) : 16;
    const shapeAfter = last + 1 < tokens.count ? (tokens.shape[last + 1] ?? 0) : 16;
    const flagsBefore = first > 0 ? (tokens.known[first - 1] ?? 0) : 0;
    const flagsAfter = last + 1 < tokens.count ? (tokens.known[last + 1] ?? 0) : 0;
    const gapBefore = tokens.gap[first] ?? 0;
    const gapAfter = last + 1 < tokens.count ? (tokens.gap[last + 1] ?? 0) : 4;
    this.add(40, mix(kind, before));
    this.add(41, mix(kind, after));
    this.add(42, mix(kind, mix(before2, before)));
    this.add(43, mix(kind, mix(after, after2)));
    this.add(49, mix(form, before));
    this.add(50, mix(form, after));
    this.add(51, mix(kind, mix(shapeBefore * 8 + gapBefore, flagsBefore)));
    this.add(52, mix(kind, mix(shapeAfter * 8 + gapAfter, flagsAfter)));
    this.add(53, mix(form, mix(shapeBefore * 8 + gapBefore, shapeAfter * 8 + gapAfter)));
    this.add(54, mix(known, before));
    this.add(55, mix(known, after));
  }

  /** Where the candidate stands in its line and sentence, and how they begin. */
  private lineFeatures(tokens: Tokens, { first, last }: Candidate, kind: number, form: number): void {
    let lineStart = first;
    while (lineStart > 0 && (tokens.gap[lineStart] ?? 0) < gaps.newline && first - lineStart < WINDOW) lineStart--;
    const endsLine = last + 1 >= tokens.count || (tokens.gap[last + 1] ?? 0) >= gaps.newline ? 1 : 0;
    const startsLine = lineStart === first ? 1 : 0;
    const lineCase = tokens.lineCase[first] ?? 0;
    const place = startsLine * 2 + endsLine;
    this.add(60, mix(kind, place * 4 + lineCase));
    this.add(61, mix(form, place * 4 + lineCase));
    if (!startsLine) {
      const label = wordOrShape(tokens, lineStart);
      this.add(62, mix(kind, label));
      this.add(64, mix(kind, Math.min(first - lineStart, 4) * 2 + endsLine));
      // The label of a field: the word before a colon.
      for (let at = first - 1; at > lineStart && first - at < 6; at--) {
        if (this.text.charCodeAt(tokens.start[at] ?? 0) !== colon) continue;
        this.add(65, mix(kind, wordOrShape(tokens, at - 1)));
        break;
      }
    }
    let sentence = first;
    while (sentence > 0 && first - sentence < WINDOW && !isEnd(tokens, sentence - 1, this.text)) sentence--;
    this.add(66, mix(kind, Math.min(first - sentence, 3)));
    this.add(67, mix(form, Math.min(first - sentence, 3)));
    this.add(68, mix(kind, wordOrShape(tokens, sentence)));
    let end = last + 1;
    while (end < tokens.count && end - last < WINDOW && !isEnd(tokens, end, this.text)) end++;
    const mark = end < tokens.count ? this.text.charCodeAt(tokens.start[end] ?? 0) : 0;
    this.add(70, mix(kind, mark));
  }

  /** The candidates before and after this one. The entries of a list are mostly of one class. */
  private neighbourFeatures(tokens: Tokens, index: number, kind: number, known: number): void {
    const { candidates } = this;
    const own = candidates[index];
    for (const side of [-1, 1]) {
      const other = candidates[index + side];
      if (!own || !other) continue;
      const [before, after] = side < 0 ? [other, own] : [own, other];
      const distance = after.first - before.last;
      if (distance > FAR) continue;
      const otherKnown = this.known[index + side] ?? 0;
      this.add(93, mix(mix(kind, otherKnown), distance));
      this.add(94, mix(mix(kind, kindNames.indexOf(other.kind)), mix(wordOrShape(tokens, before.last + 1), distance)));
      this.add(95, mix(mix(known, otherKnown), distance));
    }
  }

  /** The words around the candidate, without their positions. */
  private windowFeatures(tokens: Tokens, { first, last }: Candidate, kind: number): void {
    const to = Math.min(tokens.count - 1, last + WINDOW);
    for (let at = Math.max(0, first - WINDOW); at <= to; at++) {
      if (at === first) {
        at = last;
        continue;
      }
      const shape = tokens.shape[at] ?? 0;
      if (shape === shapes.mark) continue;
      const word = wordOrShape(tokens, at);
      const isNear = at >= first - NEAR && at <= last + NEAR;
      if (isNear) this.add(at < first ? 80 : 81, mix(kind, word));
      this.add(82, mix(kind === 0 ? 0 : 1, word));
    }
  }
}
