import { expect } from 'chai';
import { type EnforcementSettings, unenforced } from './litellmQuirks.ts';
import type { Field, Fields } from './fields.ts';
import { observe } from './customerRecord.ts';

const nothing: EnforcementSettings = { blockedUserCheck: false, preCallChecks: false };

describe('enforcement', () => {
  const liteLlm = observe({ user_id: 'c', gateway_budget_table: null });
  const other = observe({ user_id: 'c', blocked: true });
  const named = (desired: Fields, settings = nothing, observed = liteLlm): Field[] =>
    unenforced(desired, observed, settings).map(({ field }) => field);

  const every: Fields = {
    alias: 'A',
    maxBudget: 5,
    budgetDuration: '30d',
    tpmLimit: 5,
    rpmLimit: 5,
    models: ['m'],
    defaultModel: 'm',
    allowedModelRegion: 'eu',
    blocked: true,
    'objectPermission.mcpServers': ['a'],
    'objectPermission.accessGroups': ['a'],
    'objectPermission.vectorStores': ['a'],
    'objectPermission.agents': ['a'],
    metadata: { a: '1' },
  };

  it('names exactly the fields that LiteLLM does not enforce', () => {
    expect(named(every)).to.have.members([
      'defaultModel',
      'allowedModelRegion',
      'blocked',
      'objectPermission.vectorStores',
      'objectPermission.agents',
    ]);
  });

  for (const [what, desired, settings, fields] of [
    ['a customer that is not blocked', { blocked: false }, {}, []],
    ['empty lists', { 'objectPermission.agents': [], 'objectPermission.vectorStores': [] }, {}, []],
    ['a blocked customer with the enterprise callback', { blocked: true }, { blockedUserCheck: true }, []],
    ['a blocked customer with pre-call checks', { blocked: true }, { preCallChecks: true }, ['blocked']],
    ['a blocked customer with a limit of zero requests', { blocked: true, rpmLimit: 0 }, {}, []],
    ['a blocked customer with a limit of one request', { blocked: true, rpmLimit: 1 }, {}, ['blocked']],
    ['a region with pre-call checks', { allowedModelRegion: 'eu' }, { preCallChecks: true }, []],
  ] as const) {
    it(`${fields.length === 0 ? 'accepts' : 'reports'} ${what}`, () => {
      expect(named(desired, { ...nothing, ...settings })).to.deep.equal(fields);
    });
  }

  it('reports nothing for a gateway that is not LiteLLM', () => {
    expect(named(every, nothing, other)).to.deep.equal([]);
  });
});
