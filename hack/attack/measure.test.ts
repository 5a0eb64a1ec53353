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

  it('allows three times the usual p99, and always the floor', () => {
    expect(slowdown({ usual: samples(10), during: samples(30) }, 5)).to.equal(undefined);
    expect(slowdown({ usual: samples(10), during: samples(31) }, 5)).to.match(
      /p99 of 31 ms; the limit is a p99 of 30 ms/,
    );
    expect(slowdown({ usual: samples(10), during: samples(100) }, 100)).to.equal(undefined);
    expect(slowdown({ usual: samples(10), during: samples(101) }, 100)).to.match(
      /p99 of 101 ms; the limit is a p99 of 100 ms/,
    );
  });

  it('allows one failed call in a hundred', () => {
    const served = samples(10, 199);
    const one = [...served, Number.POSITIVE_INFINITY];
    expect(slowdown({ usual: samples(10), during: one }, 5)).to.equal(undefined);
    const three = [...one, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect(slowdown({ usual: samples(10), during: three }, 5)).to.match(
      /3 of 202 calls of other tenants were not served/,
    );
  });

  it('reports too few samples, and failures before the attack', () => {
    expect(slowdown({ usual: samples(10), during: samples(10, MIN_SAMPLES - 1) }, 5)).to.match(/too few/);
    expect(slowdown({ usual: samples(10, 3), during: samples(10) }, 5)).to.match(/too few/);
    expect(slowdown({ usual: samples(Number.POSITIVE_INFINITY), during: samples(10) }, 5)).to.match(
      /before the attack/,
    );
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
