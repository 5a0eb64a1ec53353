import { kindNames } from './labels.ts';

/**
 * Weights of all labels side by side, as their lead over O, which so needs no place of its own: a 32-bit number a kind,
 * that of its beginning in the low half and that of its inside in the high one, so that one addition serves two labels.
 * Sums are exact as long as no half leaves 16 bits: whoever adds keeps within {@link limits}.
 */
export const laneWords = kindNames.length;

/** What keeps the sum of a token within 16 bits: five words and eleven pairs, 5 × 3,900 + 11 × 1,200 < 2^15. */
export const limits = { weight: 1200, word: 3900 } as const;

export const lane = (low: number, high: number): number => ((high << 16) + low) | 0;
export const lowOf = (lanes: number): number => (lanes << 16) >> 16;
export const highOf = (lanes: number): number => (lanes - lowOf(lanes)) >> 16;

const within = (value: number): number => Math.max(-limits.word, Math.min(limits.word, value));
/** Both halves brought within the limit of a word's sum. */
export const clamped = (lanes: number): number => lane(within(lowOf(lanes)), within(highOf(lanes)));
