import { expect } from 'chai';
import { differences } from './records.ts';

describe('the differences between records', () => {
  const record = { alias: 'One', blocked: false, maxBudget: 5 };

  it('report missing, superfluous and changed records', () => {
    expect(differences({ a: record }, { a: { ...record } })).to.deep.equal([]);
    expect(
      differences({ a: record, b: record }, { a: { ...record, alias: 'Two', blocked: true }, c: record }),
    ).to.deep.equal([
      'alias of a is Two, not One',
      'blocked of a is true, not false',
      'the gateway does not have b',
      'the gateway still has c',
    ]);
  });
});
