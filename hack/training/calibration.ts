import type { Calibration } from '../../guardrail/detection/ner/spanClassifier.ts';

/** A probability that the classifier gave, and whether it was right. */
export interface Judgement {
  readonly probability: number;
  readonly isRight: boolean;
}

const logit = (probability: number): number => {
  const bounded = Math.max(1e-6, Math.min(1 - 1e-6, probability));
  return Math.log(bounded / (1 - bounded));
};

/** Steps of Newton's method. It converges after about eight. */
const STEPS = 20;

/**
 * Fits a logistic curve from probabilities to the share that is right (Platt, 1999), so that a score of 0.9 is right nine times
 * in ten.
 */
export function fitCalibration(judgements: readonly Judgement[]): Calibration {
  let slope = 1;
  let offset = 0;
  for (let step = 0; step < STEPS; step++) {
    let [gradientSlope, gradientOffset, ss, so, oo] = [0, 0, 1e-6, 0, 1e-6];
    for (const { probability, isRight } of judgements) {
      const x = logit(probability);
      const fitted = 1 / (1 + Math.exp(-(slope * x + offset)));
      const error = fitted - (isRight ? 1 : 0);
      const weight = fitted * (1 - fitted);
      gradientSlope += error * x;
      gradientOffset += error;
      ss += weight * x * x;
      so += weight * x;
      oo += weight;
    }
    const determinant = ss * oo - so * so;
    slope -= (oo * gradientSlope - so * gradientOffset) / determinant;
    offset -= (ss * gradientOffset - so * gradientSlope) / determinant;
  }
  return { slope, offset };
}

/** One line of a reliability table: the finds whose scores lie in one tenth. */
export interface ReliabilityRow {
  readonly from: number;
  readonly finds: number;
  readonly meanScore: number;
  /** The share of these finds that is right. */
  readonly right: number;
}

/** The reliability of scores, by tenths of the score; tenths without finds are omitted. */
export function reliabilityOf(judgements: readonly Judgement[]): ReliabilityRow[] {
  const rounded = (value: number): number => Math.round(value * 1000) / 1000;
  return Array.from({ length: 10 }, (_, tenth) => {
    const inside = judgements.filter(({ probability }) => Math.min(9, Math.floor(probability * 10)) === tenth);
    return {
      from: tenth / 10,
      finds: inside.length,
      meanScore: rounded(inside.reduce((sum, { probability }) => sum + probability, 0) / inside.length),
      right: rounded(inside.filter(({ isRight }) => isRight).length / inside.length),
    };
  }).filter(({ finds }) => finds > 0);
}
