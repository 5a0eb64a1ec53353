import { labelCount } from './labels.ts';

/**
 * Weights of all labels side by side, two in each 32-bit number, so that one addition serves two labels. Label 2n is the
 * low half of number n, label 2n + 1 the high half. Sums are exact as long as no half leaves 16 bits: whoever adds keeps
 * within {@link limits}.
 */
export const laneWords = (labelCount + 1) >> 1;

/** What keeps the sum of a token within 16 bits: five words and eleven pairs, 5 × 4,400 + 11 × 900 < 2^15. */
export const limits = { weight: 900, word: 4400 } as const;

export const lane = (low: number, high: number): number => ((high << 16) + low) | 0;
export const lowOf = (lanes: number): number => (lanes << 16) >> 16;
export const highOf = (lanes: number): number => (lanes - lowOf(lanes)) >> 16;

const within = (value: number): number => Math.max(-limits.word, Math.min(limits.word, value));
/** Both halves brought within the limit of a word's sum. */
export const clamped = (lanes: number): number => lane(within(lowOf(lanes)), within(highOf(lanes)));
