import { expect } from 'chai';
import { type EnforcementSettings, unenforced } from './enforcement.ts';
import type { Field, Fields } from './fields.ts';
import { observe } from './observedCustomer.ts';

const nothing: EnforcementSettings = { blockedUserCheck: false, preCallChecks: false };

describe('enforcement', () => {
  const liteLlm = observe({ user_id: 'c', gateway_budget_table: null });
  const other = observe({ user_id: 'c', blocked: true });
  const named = (wanted: Fields, settings = nothing, observed = liteLlm): Field[] =>
    unenforced(wanted, observed, settings).map(({ field }) => field);

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

  it('is claimed of all that LiteLLM enforces, and of nothing else', () => {
    expect(named(every)).to.have.members([
      'defaultModel',
      'allowedModelRegion',
      'blocked',
      'objectPermission.vectorStores',
      'objectPermission.agents',
    ]);
  });

  for (const [what, wanted, settings, fields] of [
    ['a customer that is not blocked', { blocked: false }, {}, []],
    ['empty lists', { 'objectPermission.agents': [], 'objectPermission.vectorStores': [] }, {}, []],
    ['a blocked customer with the callback', { blocked: true }, { blockedUserCheck: true }, []],
    ['a blocked customer with the checks for regions', { blocked: true }, { preCallChecks: true }, ['blocked']],
    ['a blocked customer that may make no request', { blocked: true, rpmLimit: 0 }, {}, []],
    ['a blocked customer that may make one', { blocked: true, rpmLimit: 1 }, {}, ['blocked']],
    ['a region with the checks for it', { allowedModelRegion: 'eu' }, { preCallChecks: true }, []],
  ] as const) {
    it(`${fields.length === 0 ? 'is claimed' : 'is not claimed'} of ${what}`, () => {
      expect(named(wanted, { ...nothing, ...settings })).to.deep.equal(fields);
    });
  }

  it('is claimed of everything at a gateway that is not LiteLLM', () => {
    expect(named(every, nothing, other)).to.deep.equal([]);
  });
});
