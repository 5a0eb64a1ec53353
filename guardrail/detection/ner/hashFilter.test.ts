import { expect } from 'chai';
import fc from 'fast-check';
import { HashFilter } from './hashFilter.ts';

describe('hash filter', () => {
  it('has every hash that was added', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (hashes) => {
        const filter = new HashFilter();
        hashes.forEach((hash) => {
          filter.add(hash);
        });
        for (const hash of hashes) expect(filter.mayHave(hash)).to.equal(true);
      }),
    );
  });

  it('has none of most others', () => {
    const filter = new HashFilter();
    filter.add(1);
    expect(filter.mayHave(-1)).to.equal(false);
  });
});
