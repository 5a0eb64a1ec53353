import { expect } from 'chai';
import { difference } from './ablate.ts';

describe('the table of what each part is worth', () => {
  const all = new Map([['a set: leak', 20], ['a set: altered', 3], ['ms', 1000]]); // prettier-ignore

  it('shows what changes without a part', () => {
    expect(difference(new Map([...all, ['a set: leak', 22], ['a set: altered', 2]]), all)).to.equal(
      'a set: leak +2; a set: altered -1',
    );
  });

  it('shows no time within the noise, and a large difference', () => {
    expect(difference(new Map([...all, ['ms', 950]]), all)).to.equal('');
    expect(difference(new Map([...all, ['ms', 600]]), all)).to.equal('ms -400');
  });
});
