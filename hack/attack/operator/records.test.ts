import { expect } from 'chai';
import { differences } from './records.ts';

describe('the differences between records', () => {
  const record = { alias: 'One', blocked: false, maxBudget: 5 };

  it('report missing, additional and changed records', () => {
    expect(differences({ a: record }, { a: { ...record } })).to.deep.equal([]);
    expect(
      differences({ a: record, b: record }, { a: { ...record, alias: 'Two', blocked: true }, c: record }),
    ).to.deep.equal([
      'alias of customer a is Two, expected One',
      'blocked of customer a is true, expected false',
      'the gateway has no customer b',
      'the gateway still has customer c',
    ]);
  });
});
