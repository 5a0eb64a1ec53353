import { expect } from 'chai';
import fc from 'fast-check';
import { Batches } from './writtenLists.ts';

const MINUTE = 60_000;

/** The times at which a list is written that changes at some times. */
function writesOf(changes: readonly number[], shards: number): number[] {
  let now = 0;
  const batches = new Batches(() => now);
  const writes: number[] = [];
  for (const change of changes.toSorted((a, b) => a - b)) {
    // A write that waits takes all changes until then with it.
    if (writes.length > 0 && (writes.at(-1) ?? 0) >= change) continue;
    now = change;
    now += batches.waitMs('main');
    batches.wrote('main', shards);
    writes.push(now);
  }
  return writes;
}

describe('the batches of a list', () => {
  it('have at most 60 writes in every minute, and each change is in one', () => {
    const shards = fc.constantFrom(1, 2, 4, 8, 16);
    const changes = fc.array(fc.integer({ min: 0, max: 3 * MINUTE }), { minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(changes, shards, (times, count) => {
        const writes = writesOf(times, count);
        for (const from of writes) {
          const inMinute = writes.filter((at) => at >= from && at < from + MINUTE).length * count;
          expect(inMinute).to.be.at.most(60);
        }
        for (const change of times) expect(writes.some((at) => at >= change && at <= change + MINUTE)).to.equal(true);
      }),
    );
  });

  it('write the first change at once, and the next one as soon as it may be', () => {
    expect(writesOf([0, 1, 2, 3], 1)).to.deep.equal([0, 2000]);
    expect(writesOf([0, 90_000], 16)).to.deep.equal([0, 90_000]);
  });

  it('of one instance do not delay those of another', () => {
    const batches = new Batches(() => 0);
    batches.wrote('one', 16);
    expect(batches.waitMs('other')).to.equal(0);
    batches.forget('one');
    expect(batches.waitMs('one')).to.equal(0);
  });
});
