import { labelCount, logStep } from '../kernel/numbers.ts';

/** The value of one step of a stored weight, in units of the training weights. */
export const step = 1 << logStep;

/**
 * The size of a row of weights: one byte per label except O. A byte is the weight in steps plus `zero`. Small rows stay in the
 * processor's cache. The bytes of two kinds alternate.
 */
export const rowBytes = labelCount - 1;
/** 32-bit numbers per row. */
export const rowWords = rowBytes >> 2;
/** The offset of the byte of a label in its row. */
export const byteOf = (label: number): number => {
  const kind = (label - 1) >> 1;
  return (kind >> 1) * 4 + (kind & 1) + (label & 1 ? 0 : 2);
};
