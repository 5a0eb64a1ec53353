import { expect } from 'chai';
import { allFields, desiredOf, type Fields } from '../gateway/gateway.ts';
import { specHash } from './comparison.ts';
import { customerOf } from './testing/testDependencies.ts';

describe('desired fields', () => {
  it('are the fields that the spec names, also empty ones', () => {
    const { spec } = customerOf({ maxBudget: 0, blocked: false, models: [], objectPermission: { agents: ['a'] } });
    expect(desiredOf(allFields, spec)).to.deep.equal({
      maxBudget: 0,
      blocked: false,
      models: [],
      'objectPermission.agents': ['a'],
    });
  });

  it('have the same hash for lists and maps in any order, and another one for any other change', () => {
    const hash = (fields: Fields): string => specHash(fields);
    expect(hash({ models: ['a', 'b'], metadata: { x: '1', y: '2' } })).to.equal(
      hash({ metadata: { y: '2', x: '1' }, models: ['b', 'a'] }),
    );
    const different: Fields[] = [
      {},
      { alias: 'a' },
      { defaultModel: 'a' },
      { models: ['a'] },
      { models: [] },
      { maxBudget: 0 },
    ];
    expect(new Set(different.map(hash)).size).to.equal(different.length);
  });
});
