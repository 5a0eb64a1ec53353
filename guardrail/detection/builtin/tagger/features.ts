import { foldedOf } from './characters.ts';
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
 * Features of one word seen from one place: 0 two before, 1 before, 2 the token itself, 3 after, 4 two after.
 * @param out receives the buckets.
 * @returns how many there are.
 */
export function wordFeatures(
  text: string,
  tokens: Tokens,
  index: number,
  gazetteer: number,
  offset: number,
  out: Int32Array,
): number {
  const word = tokens.word[index] ?? 0;
  const shape = tokens.shape[index] ?? 0;
  const look = shape | (gazetteer << 4);
  const base = offset * 16;
  let count = 0;
  out[count++] = bucket(base, word);
  out[count++] = bucket(base + 1, look);
  if (offset === 0 || offset === 4) return count;
  const start = tokens.start[index] ?? 0;
  const end = tokens.end[index] ?? 0;
  const length = end - start;
  const isWord = shape !== shapes.mark && (shape < shapes.digit1 || shape > shapes.digits);
  let suffix = 7;
  let suffix3 = 0;
  if (isWord) {
    for (let back = 1; back <= 4 && back <= length; back++) {
      suffix = Math.imul(suffix ^ (foldedOf[text.charCodeAt(end - back)] ?? 0), 0x01000193);
      if (back === 3) suffix3 = suffix;
      if (offset === 2 && back >= 2) out[count++] = bucket(base + 1 + back, suffix);
    }
    if (suffix3 === 0) suffix3 = suffix;
  }
  out[count++] = bucket(base + 6, gazetteer);
  if (offset !== 2) {
    if (isWord) out[count++] = bucket(base + 7, suffix3);
    return count;
  }
  out[count++] = bucket(base + 7, mix(word, shape));
  out[count++] = bucket(base + 8, shape);
  if (!isWord) {
    out[count++] = bucket(base + 9, mix(shape, length));
    return count;
  }
  out[count++] = bucket(base + 9, mix(suffix3, look));
  let prefix = 3;
  for (let at = 0; at < 4 && at < length; at++) {
    prefix = Math.imul(prefix ^ (foldedOf[text.charCodeAt(start + at)] ?? 0), 0x01000193);
    if (at === 2 || at === 3) out[count++] = bucket(base + 8 + at, prefix);
  }
  out[count++] = bucket(base + 12, mix(Math.min(length, 12), shape));
  // Inside a word: languages spell their names differently.
  const last = Math.min(length, 16) - 2;
  for (let at = -1; at < last; at++) {
    const a = at < 0 ? 1 : (foldedOf[text.charCodeAt(start + at)] ?? 0);
    const b = foldedOf[text.charCodeAt(start + at + 1)] ?? 0;
    const c = foldedOf[text.charCodeAt(start + at + 2)] ?? 0;
    out[count++] = bucket(base + 13, mix(mix(a, b), c));
  }
  return count;
}

/** The most buckets that {@link wordFeatures} and {@link pairFeatures} fill. */
export const mostFeatures = 48;

/**
 * Features of a token that depend on several tokens.
 * @param look shape and gazetteer flags of each token, as {@link lookOf} packs them.
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
export const lookOf = (shape: number, gazetteer: number): number => shape | (gazetteer << 4);
