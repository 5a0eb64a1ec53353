import { expect } from 'chai';
import { Recent } from './recent.ts';

describe('Recent', () => {
  it('keeps the last results and forgets the oldest ones', () => {
    const recent = new Recent<number>(2);
    expect(recent.get('a')).to.equal(undefined);
    recent.set('a', 1);
    recent.set('b', 2);
    expect([recent.get('a'), recent.get('b')]).to.deep.equal([1, 2]);
    recent.set('c', 3);
    expect(['a', 'b', 'c'].map((name) => recent.get(name))).to.deep.equal([undefined, 2, 3]);
  });
});
