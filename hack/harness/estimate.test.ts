import { expect } from 'chai';
import fc from 'fast-check';
import { describePace, listed, secondsLeft } from './estimate.ts';

describe('estimates', () => {
  for (const [done, total, seconds, expected] of [
    [0, 2_000, 1, '0 %'],
    [30, 2_000, 60, '1 %'],
    [500, 2_000, 4, '25 %'],
    [500, 2_000, 60, '25 %, about 3 min left'],
    [605, 1_840, 89, '32 %, about 3 min left'],
    [1_000, 2_000, 80, '50 %, about 80 s left'],
    [1_990, 2_000, 200, '99 %, about 10 s left'],
    [2_000, 2_000, 200, '100 %, about 10 s left'],
    [2_010, 2_000, 200, '100 %, about 10 s left'],
    [0, 0, 200, '0 %'],
  ] as const) {
    it(`${done} of ${total} after ${seconds} s: ${expected}`, () => {
      expect(describePace({ done, total, elapsedMs: seconds * 1000 })).to.equal(expected);
    });
  }

  it('are exact at a steady pace, and never negative', () => {
    const pace = fc.record({ total: fc.integer({ min: 50, max: 1e9 }), perSecond: fc.integer({ min: 1, max: 1e6 }) });
    fc.assert(
      fc.property(pace, fc.double({ min: 0.02, max: 1, noNaN: true }), ({ total, perSecond }, share) => {
        const done = Math.max(1, Math.ceil(total * share));
        const elapsedMs = (done / perSecond) * 1000;
        const left = secondsLeft({ done, total, elapsedMs });
        if (elapsedMs < 5_000) expect(left).to.equal(undefined);
        else expect(left).to.be.closeTo((total - done) / perSecond, 1e-6 * (total / perSecond) + 1e-6);
      }),
    );
  });

  it('join names as in a sentence', () => {
    expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listed)).to.deep.equal(['', 'a', 'a and b', 'a, b and c']);
  });
});
