import type { Recall } from '../contract.ts';

/**
 * What is taken off the score of "no name" at each recall setting, in units of the stored weights. Chosen so that
 * `precise` masks about half, and `thorough` one and a half times, of the innocent text that `balanced` does on the
 * development sets (see hack/eval).
 */
export const biases: Readonly<Record<Recall, number>> = {
  precise: -200,
  balanced: 60,
  thorough: 200,
};
