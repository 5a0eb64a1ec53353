import { expect } from 'chai';
import { calibrated } from '../../guardrail/detection/ner/spanClassifier.ts';
import { fitCalibration, reliabilityOf, type Judgement } from './calibration.ts';
import { Random } from './random.ts';

/** Judgements of a classifier that is too sure: a probability p is right with probability `truth(p)`. */
function judgements(truth: (probability: number) => number): Judgement[] {
  const random = new Random(1);
  return Array.from({ length: 40_000 }, () => {
    const probability = random.next();
    return { probability, isRight: random.chance(truth(probability)) };
  });
}

describe('calibration', () => {
  it('makes the scores of a classifier that is too sure reliable', () => {
    const overconfident = judgements((probability) => probability ** 2 / (probability ** 2 + (1 - probability) * 2));
    const calibration = fitCalibration(overconfident);
    const rows = reliabilityOf(
      overconfident.map(({ probability, isRight }) => ({ probability: calibrated(probability, calibration), isRight })),
    );
    expect(rows.length).to.be.at.least(9);
    for (const { meanScore, right, from } of rows) expect(right, `from ${from}`).to.be.closeTo(meanScore, 0.05);
  });

  it('leaves reliable scores as they are', () => {
    const { slope, offset } = fitCalibration(judgements((probability) => probability));
    expect(slope).to.be.closeTo(1, 0.05);
    expect(offset).to.be.closeTo(0, 0.05);
  });
});

describe('reliability', () => {
  it('has one row for each tenth with finds, and counts a score of 1', () => {
    const rows = reliabilityOf([
      { probability: 0.92, isRight: true },
      { probability: 1, isRight: false },
      { probability: 0.31, isRight: false },
    ]);
    expect(rows).to.deep.equal([
      { from: 0.3, finds: 1, meanScore: 0.31, right: 0 },
      { from: 0.9, finds: 2, meanScore: 0.96, right: 0.5 },
    ]);
  });
});
