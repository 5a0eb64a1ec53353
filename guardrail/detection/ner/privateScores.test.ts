import { expect } from 'chai';
import fc from 'fast-check';
import { privateScores, type Opinions } from './privateScores.ts';

const person = (classifier: number, network: number): Opinions => ({ classifier, network, isPerson: true });
const scoreOf = (...candidates: Opinions[]): number => privateScores(candidates)[0] ?? 0;

describe('the score of a candidate', () => {
  it('is between the opinions of the two models', () => {
    const probability = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(probability, probability, (classifier, network) => {
        const score = scoreOf({ classifier, network, isPerson: false });
        expect(score).to.be.within(Math.min(classifier, network) - 1e-9, Math.max(classifier, network) + 1e-9);
      }),
    );
  });

  it('is higher beside private names, and lower beside public ones', () => {
    const doubtful = person(0.5, 0.5);
    const alone = scoreOf(doubtful);
    expect(scoreOf(doubtful, person(0.99, 0.99))).to.be.above(alone);
    expect(scoreOf(doubtful, person(0.01, 0.01))).to.be.below(alone);
    const place = { classifier: 0.01, network: 0.01, isPerson: false };
    expect(scoreOf(doubtful, place)).to.equal(alone);
    expect(scoreOf(place, doubtful)).to.equal(scoreOf(place));
  });

  it('rises with each opinion, also those about others', () => {
    const opinion = fc.record({
      classifier: fc.double({ min: 0, max: 1, noNaN: true }),
      network: fc.double({ min: 0, max: 1, noNaN: true }),
      isPerson: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(opinion, { minLength: 1, maxLength: 8 }), fc.nat(7), (candidates, index) => {
        const at = index % candidates.length;
        const raised = candidates.map((one, each) => (each === at ? { ...one, network: 1 } : one));
        const [before, after] = [privateScores(candidates), privateScores(raised)];
        for (const [each, score] of before.entries()) expect(after[each]).to.be.at.least(score - 1e-12);
      }),
    );
  });

  it('is never quite sure, and no number is lost', () => {
    for (const one of [person(0, 0), person(1, 1), person(0, 1)]) expect(scoreOf(one)).to.be.within(1e-4, 1 - 1e-4);
    expect(privateScores([])).to.deep.equal([]);
  });
});
