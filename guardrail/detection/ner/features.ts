import { foldedOf } from '../text/characters.ts';
import { shapes, type Tokens } from './tokens.ts';

/** Features a word has by itself, for each place around the token that it is looked at from. */
export const offsets = 5;
/** Width of the table of weights. */
export const buckets = 1 << 19;
const mask = buckets - 1;

/** Spreads a template's number and a value over the table. */
function bucket(template: number, value: number): number {
  let hash = Math.imul(value ^ Math.imul(template + 1, 0x9e3779b1), 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & mask;
}

const mix = (a: number, b: number): number => Math.imul(a ^ Math.imul(b, 0x27d4eb2f), 0x165667b1) ^ (b >>> 7);

/**
 * Features of one word seen from each place around it: 0 two before, 1 before, 2 the token itself, 3 after, 4 two after.
 * All at once, so that the memory has their weights on the way together.
 * @param out receives the buckets, those of one place after those of the other.
 * @param ends receives where the buckets of each place end.
 * @returns how many there are.
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
  const look = wordSignature(shape, gazetteer);
  const start = tokens.start[index] ?? 0;
  const end = tokens.end[index] ?? 0;
  const isWord = shape !== shapes.mark && (shape < shapes.digit1 || shape > shapes.digits);
  let suffix3 = 7;
  for (let at = end - 1; isWord && at >= start && at >= end - 3; at--) suffix3 = spelt(suffix3, text, at);
  let count = 0;
  for (let place = 0; place < offsets; place++) {
    const base = place * 16;
    out[count++] = bucket(base, word);
    out[count++] = bucket(base + 1, look);
    if (place === 2) count = ownFeatures(text, start, end, isWord, word, shape, gazetteer, suffix3, out, count);
    else if (place === 1 || place === 3) {
      out[count++] = bucket(base + 6, gazetteer);
      if (isWord) out[count++] = bucket(base + 7, suffix3);
    }
    ends[place] = count;
  }
  return count;
}

const spelt = (hash: number, text: string, at: number): number =>
  Math.imul(hash ^ (foldedOf[text.charCodeAt(at)] ?? 0), 0x01000193);

/** What only the word itself has: beginning, end and what is between, form and length. */
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
    suffix = spelt(suffix, text, end - back);
    if (back >= 2) out[count++] = bucket(33 + back, suffix);
  }
  let prefix = 3;
  for (let at = 0; at < 4 && at < length; at++) {
    prefix = spelt(prefix, text, start + at);
    if (at >= 2) out[count++] = bucket(40 + at, prefix);
  }
  // Inside a word: languages spell their names differently.
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

/** The most buckets that {@link wordFeatures} and {@link pairFeatures} fill. */
export const mostFeatures = 48;

/**
 * Features of a token that depend on several tokens.
 * @param look shape and gazetteer flags of each token, as {@link wordSignature} packs them.
 */
export function pairFeatures(tokens: Tokens, look: Int32Array, index: number, out: Int32Array): number {
  const { word, count: total } = tokens;
  const own = look[index] ?? 0;
  const has1 = index > 0;
  const has2 = index > 1;
  const next1 = index + 1 < total;
  const next2 = index + 2 < total;
  const wordBefore = has1 ? (word[index - 1] ?? 0) : 1;
  const wordBefore2 = has2 ? (word[index - 2] ?? 0) : 2;
  const wordAfter = next1 ? (word[index + 1] ?? 0) : 3;
  const wordAfter2 = next2 ? (word[index + 2] ?? 0) : 4;
  const lookBefore = has1 ? (look[index - 1] ?? 0) : -1;
  const lookBefore2 = has2 ? (look[index - 2] ?? 0) : -2;
  const lookAfter = next1 ? (look[index + 1] ?? 0) : -3;
  const self = word[index] ?? 0;
  const gap = tokens.gap[index] ?? 0;
  const gapAfter = next1 ? (tokens.gap[index + 1] ?? 0) : 4;
  const lineCase = tokens.lineCase[index] ?? 0;
  out[0] = bucket(100, mix(wordBefore, own));
  out[1] = bucket(101, mix(wordAfter, own));
  out[2] = bucket(102, mix(wordBefore, self));
  out[3] = bucket(103, mix(self, wordAfter));
  out[4] = bucket(104, mix(lookBefore, own));
  out[5] = bucket(106, mix(mix(lookBefore, own), lookAfter));
  out[6] = bucket(107, mix(mix(wordBefore2, wordBefore), own & 15));
  out[7] = bucket(108, mix(mix(wordAfter, wordAfter2), own & 15));
  out[8] = bucket(109, mix(own, gap * 8 + gapAfter));
  out[9] = bucket(111, mix(mix(lookBefore2, lookBefore), own));
  out[10] = bucket(113, mix(mix(own, lookAfter), mix(gapAfter, lineCase)));
  return 11;
}

/** Shape and gazetteer flags as one number. */
export const wordSignature = (shape: number, gazetteer: number): number => shape | (gazetteer << 4);
