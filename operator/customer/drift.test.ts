import { expect } from 'chai';
import type { Field, Fields } from '../gateway/gateway.ts';
import { appliedAfter, driftOf } from './drift.ts';

const noDrift = { differs: [], unheld: [], uncleared: [] };

describe('drift', () => {
  const reported = new Set<Field>(['alias', 'models', 'maxBudget', 'blocked']);
  const seen = (fields: Fields): { effective: Fields; present: Fields } => ({ effective: fields, present: fields });

  const cases: readonly {
    name: string;
    wanted: Fields;
    applied: Field[];
    is: Fields;
    drift: object;
    after: Field[];
  }[] = [
    { name: 'a field neither desired nor applied', wanted: {}, applied: [], is: { alias: 'x' }, drift: {}, after: [] },
    {
      name: 'a field as desired',
      wanted: { alias: 'a' },
      applied: ['alias'],
      is: { alias: 'a' },
      drift: {},
      after: ['alias'],
    },
    {
      name: 'another value',
      wanted: { alias: 'a' },
      applied: [],
      is: { alias: 'b' },
      drift: { differs: ['alias'] },
      after: ['alias'],
    },
    {
      name: 'a zero budget',
      wanted: { maxBudget: 0 },
      applied: [],
      is: {},
      drift: { differs: ['maxBudget'] },
      after: ['maxBudget'],
    },
    {
      name: 'false and no value',
      wanted: { blocked: false },
      applied: [],
      is: {},
      drift: {},
      after: ['blocked'],
    },
    {
      name: 'lists in another order',
      wanted: { models: ['a', 'b'] },
      applied: [],
      is: { models: ['b', 'a'] },
      drift: {},
      after: ['models'],
    },
    {
      name: 'a field that the gateway does not report',
      wanted: { metadata: { a: '1' } },
      applied: [],
      is: {},
      drift: { unheld: ['metadata'] },
      after: [],
    },
    {
      name: 'an applied field that was removed',
      wanted: {},
      applied: ['alias'],
      is: { alias: 'a' },
      drift: { uncleared: ['alias'] },
      after: ['alias'],
    },
    {
      name: 'an applied field that was removed and cleared',
      wanted: {},
      applied: ['alias'],
      is: {},
      drift: {},
      after: [],
    },
  ];
  for (const { name, wanted, applied, is, drift, after } of cases) {
    it(`of ${name}`, () => {
      const found = driftOf(wanted, new Set(applied), seen(is), reported);
      expect(found).to.deep.equal({ ...noDrift, ...drift });
      expect(appliedAfter(wanted, found)).to.deep.equal(after);
    });
  }
});
