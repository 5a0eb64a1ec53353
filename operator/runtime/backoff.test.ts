import { expect } from 'chai';
import fc from 'fast-check';
import { Backoff } from './backoff.ts';
import { TestClock } from './testing/testClock.ts';

describe('the backoff', () => {
  it('stays between the shortest and the longest delay, and resets after a success', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 }), (dice) => {
        const clock = new TestClock();
        const backoff = new Backoff(clock, 800, 30_000);
        for (const one of dice) {
          clock.randomSource = () => one;
          expect(backoff.next()).to.be.within(800, 30_000);
        }
        backoff.reset();
        expect(backoff.next()).to.be.within(800, 1_600);
      }),
    );
  });

  it('doubles with each failure, and keeps its jitter at the maximum', () => {
    const clock = new TestClock();
    const backoff = new Backoff(clock, 800, 30_000);
    clock.randomSource = () => 0;
    expect(Array.from({ length: 7 }, () => backoff.next())).to.deep.equal([
      800, 1600, 3200, 6400, 12_800, 15_000, 15_000,
    ]);
    clock.randomSource = () => 0.9;
    expect(backoff.next()).to.equal(28_500);
  });
});
