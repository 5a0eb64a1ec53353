import type { Recall } from '../contract.ts';

/**
 * How much each recall setting subtracts from the score of O ("no name"), in units of the stored weights. On the
 * development sets (see hack/eval), `precise` masks about half as much harmless text as `balanced`, and `thorough` about
 * one and a half times as much.
 */
export const biases: Readonly<Record<Recall, number>> = {
  precise: -200,
  balanced: 60,
  thorough: 200,
};
