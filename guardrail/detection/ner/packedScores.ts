import { kindNames } from './labels.ts';

/**
 * The number of 32-bit numbers for the scores of all labels. Scores are differences from O, so O needs no number. Each
 * kind has one number: B in the low half, I in the high half. One addition adds two scores. Sums are exact if each half
 * fits into 16 bits, so callers must stay within {@link limits}.
 */
export const packedWords = kindNames.length;

/** Limits that keep the sum of a token within 16 bits: five words and eleven pairs, 5 × 4,300 + 11 × 8 × 127 < 2^15. */
export const limits = { weight: 127, word: 4300 } as const;

/** The value of one step of a stored weight, in units of the training weights. */
export const unit = 8;

export const packed = (low: number, high: number): number => ((high << 16) + low) | 0;
export const lowOf = (pair: number): number => (pair << 16) >> 16;
export const highOf = (pair: number): number => (pair - lowOf(pair)) >> 16;

const within = (value: number): number => Math.max(-limits.word, Math.min(limits.word, value));
/** Limits both halves to the limit of a word's sum. */
export const clamped = (pair: number): number => packed(within(lowOf(pair)), within(highOf(pair)));

/**
 * The size of a row of weights: one byte per label except O. A byte is the weight in steps plus {@link zero}. Small rows
 * stay in the processor's cache. The bytes of two kinds alternate.
 */
export const rowBytes = 2 * packedWords;
/** 32-bit numbers per row. */
export const rowWords = rowBytes >> 2;
/** The byte of the weight 0. Bytes without a sign add up within their halves. */
export const zero = 128;
/** A number of a row of zeros. */
export const packedZero = Math.imul(zero, 0x01010101);
/** The offset of the byte of a label in its row. */
export const byteOf = (label: number): number => {
  const kind = (label - 1) >> 1;
  return (kind >> 1) * 4 + (kind & 1) + (label & 1 ? 0 : 2);
};
/** The bytes of the first and of the second kind in a number of a row, as two halves that can be added. */
export const firstOf = (word: number): number => word & 0xff00ff;
export const otherOf = (word: number): number => (word >>> 8) & 0xff00ff;
/** Converts a sum of the bytes of `count` rows, 256 at most, to a score. */
export const scoreOfSum = (sum: number, count: number): number =>
  Math.imul((sum - Math.imul(count, packed(zero, zero))) | 0, unit);
