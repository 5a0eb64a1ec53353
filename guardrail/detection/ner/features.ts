import { foldedOf } from '../text/characters.ts';
import { featureHash, hashCharacter, mix } from './hashing.ts';
import { shapes, type Tokens } from './tokens.ts';

/** Number of token positions that have features of a word: two before it, the word itself, and two after it. */
export const offsets = 5;
/** Number of rows in the hashed table of weights. */
export const buckets = 1 << 19;
const mask = buckets - 1;

/** The row of the table for a template's number and a value. */
const bucket = (template: number, value: number): number => featureHash(template, value) & mask;

/**
 * Computes the features of one word for each position relative to a token: 0 two before, 1 before, 2 the token itself,
 * 3 after, 4 two after. One call computes all of them, so that the processor loads their weights concurrently.
 * @param out receives the buckets, position by position.
 * @param ends receives the end of each position's buckets in `out`.
 * @returns the number of buckets.
 */
export function wordFeatures(
  text: string,
  tokens: Tokens,
  index: number,
  gazetteer: number,
  out: Int32Array,
  ends: Int32Array,
): number {
  const word = tokens.word[index] ?? 0;
  const shape = tokens.shape[index] ?? 0;
  const signature = wordSignature(shape, gazetteer);
  const start = tokens.start[index] ?? 0;
  const end = tokens.end[index] ?? 0;
  const isWord = shape !== shapes.mark && (shape < shapes.digit1 || shape > shapes.digits);
  let suffix3 = 7;
  for (let at = end - 1; isWord && at >= start && at >= end - 3; at--) suffix3 = hashCharacter(suffix3, text, at);
  let count = 0;
  for (let offset = 0; offset < offsets; offset++) {
    const base = offset * 16;
    out[count++] = bucket(base, word);
    out[count++] = bucket(base + 1, signature);
    if (offset === 2) count = ownFeatures(text, start, end, isWord, word, shape, gazetteer, suffix3, out, count);
    else if (offset === 1 || offset === 3) {
      out[count++] = bucket(base + 6, gazetteer);
      if (isWord) out[count++] = bucket(base + 7, suffix3);
    }
    ends[offset] = count;
  }
  return count;
}

/** Features of the token itself: prefixes, suffixes, trigrams, shape and length. */
function ownFeatures(
  text: string,
  start: number,
  end: number,
  isWord: boolean,
  word: number,
  shape: number,
  gazetteer: number,
  suffix3: number,
  out: Int32Array,
  from: number,
): number {
  let count = from;
  const length = end - start;
  out[count++] = bucket(38, gazetteer);
  out[count++] = bucket(39, mix(word, shape));
  out[count++] = bucket(40, shape);
  if (!isWord) {
    out[count++] = bucket(41, mix(shape, length));
    return count;
  }
  out[count++] = bucket(41, mix(suffix3, wordSignature(shape, gazetteer)));
  out[count++] = bucket(44, mix(Math.min(length, 12), shape));
  let suffix = 7;
  for (let back = 1; back <= 4 && back <= length; back++) {
    suffix = hashCharacter(suffix, text, end - back);
    if (back >= 2) out[count++] = bucket(33 + back, suffix);
  }
  let prefix = 3;
  for (let at = 0; at < 4 && at < length; at++) {
    prefix = hashCharacter(prefix, text, start + at);
    if (at >= 2) out[count++] = bucket(40 + at, prefix);
  }
  // Trigrams inside the word: names are spelled differently in each language.
  let a = 1;
  let b = foldedOf[text.charCodeAt(start)] ?? 0;
  for (let at = 1; at < length && at < 16; at++) {
    const c = foldedOf[text.charCodeAt(start + at)] ?? 0;
    out[count++] = bucket(45, mix(mix(a, b), c));
    a = b;
    b = c;
  }
  return count;
}

/** The maximum number of buckets that one call of {@link wordFeatures} or {@link pairFeatures} writes. */
export const mostFeatures = 48;
/** The number of buckets that {@link pairFeatures} writes. */
export const pairCount = 11;

/**
 * Computes the features of a token that depend on several tokens.
 * @param signatures the {@link wordSignature} of each token.
 * @param out receives {@link pairCount} buckets, from `to` on.
 */
export function pairFeatures(tokens: Tokens, signatures: Int32Array, index: number, out: Int32Array, to = 0): void {
  const { word, count: total } = tokens;
  const own = signatures[index] ?? 0;
  const has1 = index > 0;
  const has2 = index > 1;
  const next1 = index + 1 < total;
  const next2 = index + 2 < total;
  const wordBefore = has1 ? (word[index - 1] ?? 0) : 1;
  const wordBefore2 = has2 ? (word[index - 2] ?? 0) : 2;
  const wordAfter = next1 ? (word[index + 1] ?? 0) : 3;
  const wordAfter2 = next2 ? (word[index + 2] ?? 0) : 4;
  const signatureBefore = has1 ? (signatures[index - 1] ?? 0) : -1;
  const signatureBefore2 = has2 ? (signatures[index - 2] ?? 0) : -2;
  const signatureAfter = next1 ? (signatures[index + 1] ?? 0) : -3;
  const self = word[index] ?? 0;
  const gap = tokens.gap[index] ?? 0;
  const gapAfter = next1 ? (tokens.gap[index + 1] ?? 0) : 4;
  const lineCase = tokens.lineCase[index] ?? 0;
  out[to] = bucket(100, mix(wordBefore, own));
  out[to + 1] = bucket(101, mix(wordAfter, own));
  out[to + 2] = bucket(102, mix(wordBefore, self));
  out[to + 3] = bucket(103, mix(self, wordAfter));
  out[to + 4] = bucket(104, mix(signatureBefore, own));
  out[to + 5] = bucket(106, mix(mix(signatureBefore, own), signatureAfter));
  out[to + 6] = bucket(107, mix(mix(wordBefore2, wordBefore), own & 15));
  out[to + 7] = bucket(108, mix(mix(wordAfter, wordAfter2), own & 15));
  out[to + 8] = bucket(109, mix(own, gap * 8 + gapAfter));
  out[to + 9] = bucket(111, mix(mix(signatureBefore2, signatureBefore), own));
  out[to + 10] = bucket(113, mix(mix(own, signatureAfter), mix(gapAfter, lineCase)));
}

/** Packs shape and gazetteer flags of a word into one number. */
export const wordSignature = (shape: number, gazetteer: number): number => shape | (gazetteer << 4);
