import { kindNames } from './labels.ts';

/**
 * Weights of all labels side by side, as their lead over O, which so needs no place of its own: a 32-bit number a kind,
 * that of its beginning in the low half and that of its inside in the high one, so that one addition serves two labels.
 * Sums are exact as long as no half leaves 16 bits: whoever adds keeps within {@link limits}.
 */
export const packedWords = kindNames.length;

/** What keeps the sum of a token within 16 bits: five words and eleven pairs, 5 × 4,300 + 11 × 8 × 127 < 2^15. */
export const limits = { weight: 127, word: 4300 } as const;

/** What one step of a stored weight is worth, in the units of the weights that training gives. */
export const unit = 8;

export const packed = (low: number, high: number): number => ((high << 16) + low) | 0;
export const lowOf = (lanes: number): number => (lanes << 16) >> 16;
export const highOf = (lanes: number): number => (lanes - lowOf(lanes)) >> 16;

const within = (value: number): number => Math.max(-limits.word, Math.min(limits.word, value));
/** Both halves brought within the limit of a word's sum. */
export const clamped = (lanes: number): number => packed(within(lowOf(lanes)), within(highOf(lanes)));

/**
 * A row of weights as it is stored and used: a byte a label but O, {@link zero} above its steps, so that what is in use
 * stays in a processor's own memory. Of two kinds, the bytes of the one lie between those of the other.
 */
export const rowBytes = 2 * packedWords;
/** Numbers of 32 bits a row. */
export const rowWords = rowBytes >> 2;
/** The byte of no weight at all: without signs, bytes add up in their lanes. */
export const zero = 128;
/** Where in a row the byte of a label is. */
export const byteOf = (label: number): number => {
  const kind = (label - 1) >> 1;
  return (kind >> 1) * 4 + (kind & 1) + (label & 1 ? 0 : 2);
};
/** Of a number of a row, the bytes of its first kind and of its other one, as lanes to be added up. */
export const firstOf = (word: number): number => word & 0xff00ff;
export const otherOf = (word: number): number => (word >>> 8) & 0xff00ff;
/** What a sum of the bytes of so many rows stands for; 256 at most. */
export const unbiased = (sum: number, count: number): number =>
  Math.imul((sum - Math.imul(count, packed(zero, zero))) | 0, unit);
