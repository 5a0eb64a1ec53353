/** The desired tier, its hash and its changes, as tables and laws. */
import { expect } from 'chai';
import fc from 'fast-check';
import { desiredOf, fieldsOf, type Tier, type TierField, tierFields } from '../gateway/gateway.ts';
import { changesOf, tierHash } from './record.ts';

const tiers: fc.Arbitrary<Tier> = fc.record(
  {
    maxBudget: fc.constantFrom(0, 1, 2.5),
    softBudget: fc.constantFrom(0, 1),
    budgetDuration: fc.constantFrom('1d', '30d'),
    tpmLimit: fc.constantFrom(0, 10),
    rpmLimit: fc.constantFrom(0, 10),
    maxParallelRequests: fc.constantFrom(1, 2),
    modelMaxBudget: fc.constantFrom({ a: { rpmLimit: 1 } }, { a: { rpmLimit: 2 }, b: { maxBudget: 1 } }),
  },
  { requiredKeys: [] },
);
const fieldSets = fc.subarray([...tierFields]).map((fields) => new Set<TierField>(fields));

describe('the desired tier', () => {
  it('has every limit of the spec, and nothing else', () => {
    const limits = {
      maxBudget: 0,
      softBudget: 1,
      budgetDuration: '30d',
      tpmLimit: 0,
      rpmLimit: 2,
      maxParallelRequests: 3,
    };
    const modelMaxBudget = { a: { rpmLimit: 1 } };
    const spec = { instanceRef: { name: 'main' }, budgetId: 'gold', ...limits, modelMaxBudget } as const;
    expect(desiredOf(tierFields, { ...spec, adoptionPolicy: 'Adopt' })).to.deep.equal({ ...limits, modelMaxBudget });
    expect(desiredOf(tierFields, { instanceRef: { name: 'main' } })).to.deep.equal({});
  });

  it('has a hash that depends on values, and not on the order of models', () => {
    const one = { a: { rpmLimit: 1, tpmLimit: 2 }, b: { maxBudget: 1 } };
    const other = { b: { maxBudget: 1 }, a: { tpmLimit: 2, rpmLimit: 1 } };
    expect(tierHash({ modelMaxBudget: one })).to.equal(tierHash({ modelMaxBudget: other }));
    expect(tierHash({ maxBudget: 0 })).to.not.equal(tierHash({}));
    expect(tierHash({ maxBudget: 1 })).to.not.equal(tierHash({ softBudget: 1 }));
    expect(tierHash({ modelMaxBudget: {} })).to.equal(tierHash({}));
  });
});

describe('the changes of a tier', () => {
  for (const [what, desired, applied, observed, expected] of [
    ['nothing for the same values', { maxBudget: 1 }, ['maxBudget'], { maxBudget: 1 }, {}],
    ['another value', { maxBudget: 1 }, ['maxBudget'], { maxBudget: 2 }, { maxBudget: 1 }],
    ['0 where there is no value', { rpmLimit: 0 }, [], {}, { rpmLimit: 0 }],
    ['null for a removed field', {}, ['maxBudget'], { maxBudget: 2 }, { maxBudget: null }],
    ['nothing for a field of others', {}, [], { maxBudget: 2 }, {}],
    [
      'no duration that is the same',
      { maxBudget: 1, budgetDuration: '1d' },
      [],
      { budgetDuration: '1d' },
      { maxBudget: 1 },
    ],
  ] as const) {
    it(`are ${what}`, () => {
      expect(changesOf(desired, new Set(applied), observed)).to.deep.equal(expected);
    });
  }

  it('lead to a tier without changes, in which fields of others are as they were', () => {
    fc.assert(
      fc.property(tiers, fieldSets, tiers, (desired, applied, observed) => {
        const changes = changesOf(desired, applied, observed);
        const after = Object.fromEntries(
          Object.entries({ ...observed, ...changes }).filter(([, value]) => value !== null),
        ) as Tier;
        expect(fieldsOf(changesOf(desired, applied, after))).to.deep.equal([]);
        for (const field of tierFields) {
          if (desired[field] === undefined && !applied.has(field)) expect(after[field]).to.deep.equal(observed[field]);
          if (desired[field] !== undefined) expect(after[field]).to.deep.equal(desired[field]);
        }
      }),
    );
  });
});
