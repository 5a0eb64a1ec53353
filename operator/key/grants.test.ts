import { expect } from 'chai';
import { API_VERSION, type GatewayKey, type GatewayKeySpec, type KeyGrant } from '../api/v1alpha1/v1alpha1.ts';
import { budgetOf } from '../budget/testing/budgets.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { grantProblem } from './grants.ts';
import { isRotationDue, staleOf } from './record.ts';

const keyIn = (namespace: string, spec: Partial<GatewayKeySpec> = {}, marks = {}): GatewayKey => ({
  apiVersion: API_VERSION,
  kind: 'GatewayKey',
  metadata: { ...budgetOf().metadata, namespace, name: 'app', annotations: marks },
  spec: { instanceRef: { name: 'main', namespace: 'ai' }, secretRef: { name: 'app', key: 'api-key' }, ...spec },
});

describe('the keys that an instance allows', () => {
  const rows: readonly (readonly [grants: readonly Partial<KeyGrant>[], spec: Partial<GatewayKeySpec>, why: string])[] =
    [
      [[], {}, 'does not let namespace shop have keys'],
      [[{ namespaces: ['other'] }], {}, 'does not let namespace shop have keys'],
      [[{}], { models: ['any'], maxBudget: 1e9, budgetDuration: '1s' }, ''],
      [[{ namespaces: ['*'] }], {}, ''],
      [[{ models: ['a', 'b'] }], { models: ['b'] }, ''],
      [[{ models: ['a'] }], {}, 'spec.models must name models of the grant'],
      [[{ models: ['a'] }], { models: [] }, 'spec.models must name models of the grant'],
      [[{ models: ['a'] }], { models: ['a', 'b'] }, 'does not contain model b'],
      [[{}], { teamId: 'sales' }, 'does not contain team sales'],
      [[{ teamIds: ['sales'] }], { teamId: 'sales' }, ''],
      [[{ teamIds: ['sales'] }], {}, ''],
      [[{ maxBudget: 5 }], {}, 'spec.maxBudget must be at most 5'],
      [[{ maxBudget: 5 }], { maxBudget: 5.01 }, 'spec.maxBudget must be at most 5'],
      [[{ maxBudget: 5 }], { maxBudget: 5 }, ''],
      [[{ maxBudget: 0 }], { maxBudget: 0 }, ''],
      // Five dollars each second are no limit.
      [[{ maxBudget: 5 }], { maxBudget: 5, budgetDuration: '1s' }, 'spec.budgetDuration must not be set'],
      [[{ maxBudget: 5, budgetDuration: '7d' }], { maxBudget: 5, budgetDuration: '6d' }, 'must be at least 7d'],
      [[{ maxBudget: 5, budgetDuration: '7d' }], { maxBudget: 5, budgetDuration: '1w' }, ''],
      [[{ maxBudget: 5, budgetDuration: '30d' }], { maxBudget: 5, budgetDuration: '1mo' }, 'must be at least 30d'],
      [[{ maxBudget: 5, budgetDuration: '7d' }], { maxBudget: 5 }, ''],
      // One grant must allow all of a key.
      [
        [
          { models: ['a'], maxBudget: 1 },
          { models: ['b'], maxBudget: 9 },
        ],
        { models: ['a'], maxBudget: 9 },
        'at most 1',
      ],
      [
        [
          { models: ['a'], maxBudget: 1 },
          { models: ['b'], maxBudget: 9 },
        ],
        { models: ['b'], maxBudget: 9 },
        '',
      ],
    ];
  for (const [grants, spec, why] of rows) {
    it(`${JSON.stringify(grants)} for ${JSON.stringify(spec)}: ${why || 'allowed'}`, () => {
      const keyGrants = grants.map((grant) => ({ namespaces: ['shop'], ...grant }));
      const problem = grantProblem(instanceOf({ keyGrants }), keyIn('shop', spec));
      if (why === '') expect(problem).to.equal(undefined);
      else expect(problem).to.include(why);
      expect(grantProblem(instanceOf({ keyGrants }), keyIn(instanceOf().metadata.namespace, spec))).to.equal(undefined);
    });
  }
});

describe('the generations of a key', () => {
  const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const row = (token: string, minute: number): { token: string; created_at: string } => ({
    token,
    created_at: at(minute),
  });
  const secret = {
    uid: 'u',
    resourceVersion: '1',
    hash: 'b',
    rotatedAt: Date.parse(at(10)),
    request: 'one',
    isOwned: true,
  };
  const rows = [row('c', 20), row('b', 10), row('a', 0)];
  const stale = (found: Parameters<typeof staleOf>[0], published: boolean, minute: number): string[] =>
    staleOf(found, published, 60_000 * 60, new Date(at(minute))).map(({ token }) => token);

  it('that are newer than the one in the Secret are deleted at once, older ones after the grace period', () => {
    expect(stale({ rows, secret }, true, 30)).to.deep.equal(['c']);
    expect(stale({ rows, secret }, true, 69)).to.deep.equal(['c']);
    expect(stale({ rows, secret }, true, 70)).to.deep.equal(['c', 'a']);
    expect(stale({ rows, secret: { ...secret, rotatedAt: Number.NaN } }, true, 30)).to.deep.equal(['c', 'a']);
  });

  it('stay while none of them is in a Secret, unless none ever was', () => {
    expect(stale({ rows, secret: { ...secret, hash: 'lost' } }, true, 500)).to.deep.equal([]);
    expect(stale({ rows, secret: undefined }, true, 500)).to.deep.equal([]);
    expect(stale({ rows, secret: undefined }, false, 0)).to.deep.equal(['c', 'b', 'a']);
  });

  it('are followed by another one when the interval is over, or on request', () => {
    const isDue = (minute: number, spec: Partial<GatewayKeySpec>, marks = {}): boolean =>
      isRotationDue({ rows, secret }, keyIn('ai', spec, marks), new Date(at(minute)));
    expect(isDue(10_000, {})).to.equal(false);
    expect(isDue(69, { rotationInterval: '1h' })).to.equal(false);
    expect(isDue(70, { rotationInterval: '1h' })).to.equal(true);
    expect(isDue(11, {}, { 'gateway.guardrail.dev/rotate-key': 'one' })).to.equal(false);
    expect(isDue(11, {}, { 'gateway.guardrail.dev/rotate-key': 'two' })).to.equal(true);
  });
});
