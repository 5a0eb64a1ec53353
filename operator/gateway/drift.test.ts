import { expect } from 'chai';
import { appliedAfter, driftOf, type Field, type Fields } from './fields.ts';

const noDrift = { differs: [], unreported: [], uncleared: [] };

describe('drift', () => {
  const reported = new Set<Field>(['alias', 'models', 'maxBudget', 'blocked']);
  const seen = (fields: Fields): { effective: Fields; present: Fields } => ({ effective: fields, present: fields });

  const cases: readonly {
    name: string;
    desired: Fields;
    applied: Field[];
    is: Fields;
    drift: object;
    after: Field[];
  }[] = [
    { name: 'a field neither desired nor applied', desired: {}, applied: [], is: { alias: 'x' }, drift: {}, after: [] },
    {
      name: 'a field as desired',
      desired: { alias: 'a' },
      applied: ['alias'],
      is: { alias: 'a' },
      drift: {},
      after: ['alias'],
    },
    {
      name: 'another value',
      desired: { alias: 'a' },
      applied: [],
      is: { alias: 'b' },
      drift: { differs: ['alias'] },
      after: ['alias'],
    },
    {
      name: 'a zero budget',
      desired: { maxBudget: 0 },
      applied: [],
      is: {},
      drift: { differs: ['maxBudget'] },
      after: ['maxBudget'],
    },
    {
      name: 'false and no value',
      desired: { blocked: false },
      applied: [],
      is: {},
      drift: {},
      after: ['blocked'],
    },
    {
      name: 'lists in another order',
      desired: { models: ['a', 'b'] },
      applied: [],
      is: { models: ['b', 'a'] },
      drift: {},
      after: ['models'],
    },
    {
      name: 'a field that the gateway does not report',
      desired: { metadata: { a: '1' } },
      applied: [],
      is: {},
      drift: { unreported: ['metadata'] },
      after: [],
    },
    {
      name: 'an applied field that was removed',
      desired: {},
      applied: ['alias'],
      is: { alias: 'a' },
      drift: { uncleared: ['alias'] },
      after: ['alias'],
    },
    {
      name: 'an applied field that was removed and cleared',
      desired: {},
      applied: ['alias'],
      is: {},
      drift: {},
      after: [],
    },
  ];
  for (const { name, desired, applied, is, drift, after } of cases) {
    it(`of ${name}`, () => {
      const found = driftOf(desired, new Set(applied), seen(is), reported);
      expect(found).to.deep.equal({ ...noDrift, ...drift });
      expect(appliedAfter(desired, found)).to.deep.equal(after);
    });
  }
});
