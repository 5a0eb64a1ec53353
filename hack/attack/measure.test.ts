import { expect } from 'chai';
import { type AttackResult, confirm, growth, MIN_SAMPLES, percentile, slowdown } from './measure.ts';

const samples = (ms: number, count = MIN_SAMPLES): number[] => Array.from({ length: count }, () => ms);

describe('measures of an attack', () => {
  it('computes percentiles by nearest rank from unsorted values', () => {
    const values = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect(percentile(values, 0.99)).to.equal(99);
    expect(percentile(values, 1)).to.equal(100);
    expect(percentile(values, 0.5)).to.equal(50);
    expect(percentile([7], 0.99)).to.equal(7);
    expect(percentile([], 0.99)).to.be.NaN;
  });

  it('limits the p99', () => {
    expect(slowdown([...samples(10), 100], 100)).to.equal(undefined);
    expect(slowdown([...samples(10, 99), 101], 100)).to.equal(undefined);
    expect(slowdown([...samples(10, 98), 101, 102], 100)).to.equal(
      'calls of other tenants had a p99 of 101 ms; the limit is 100 ms',
    );
  });

  it('limits each of a few calls', () => {
    expect(slowdown([100], 100)).to.equal(undefined);
    expect(slowdown([...samples(10, 98), 101], 100)).to.match(/maximum of 101 ms; the limit is 100 ms/);
    expect(slowdown([], 100)).to.match(/no other tenant/);
  });

  it('allows one failed call in a hundred', () => {
    const one = [...samples(10, 199), Number.POSITIVE_INFINITY];
    expect(slowdown(one, 50)).to.equal(undefined);
    const three = [...one, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect(slowdown(three, 50)).to.match(/3 of 202 calls of other tenants were not served/);
  });

  it('allows memory to grow by a fifth', () => {
    expect(growth(300 * 2 ** 20, 360 * 2 ** 20)).to.equal(undefined);
    expect(growth(300 * 2 ** 20, 363 * 2 ** 20)).to.equal(
      'memory remains 21 % above its initial value: 363 MiB, initially 300 MiB',
    );
    expect(growth(100 * 2 ** 20, 148 * 2 ** 20)).to.equal(undefined);
    expect(growth(100 * 2 ** 20, 149 * 2 ** 20)).to.equal(
      'memory remains 49 % above its initial value: 149 MiB, initially 100 MiB',
    );
  });

  describe('confirm', () => {
    const cases = [
      { name: 'one run without a slowdown', runs: [{ faults: ['a'], slowdown: undefined }], faults: ['a'] },
      {
        name: 'a slowdown in one of two runs',
        runs: [
          { faults: ['a'], slowdown: 'slow' },
          { faults: ['a', 'b'], slowdown: undefined },
        ],
        faults: ['a', 'b'],
      },
      {
        name: 'a slowdown in both runs',
        runs: [
          { faults: [], slowdown: 'slow' },
          { faults: ['b'], slowdown: 'slower' },
        ],
        faults: ['b', 'slower'],
      },
      {
        name: 'memory that the second run uses again',
        runs: [
          { faults: [], slowdown: undefined, growth: 'grown' },
          { faults: ['b'], slowdown: 'slow' },
        ],
        faults: ['b'],
      },
      {
        name: 'memory that grows in both runs',
        runs: [
          { faults: ['a'], slowdown: undefined, growth: 'grown' },
          { faults: [], slowdown: undefined, growth: 'grown again' },
        ],
        faults: ['a', 'grown again'],
      },
    ];
    for (const { name, runs, faults } of cases) {
      it(`evaluates ${name}`, async () => {
        const left = runs.values();
        const run = (): Promise<AttackResult> => {
          const { value } = left.next();
          return value === undefined
            ? Promise.reject(new Error('There was one run too many.'))
            : Promise.resolve(value);
        };
        expect(await confirm(run)).to.deep.equal(faults);
        expect([...left]).to.deep.equal([]);
      });
    }
  });
});
