/** The ownership of a budget, as tables and a law. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { GatewayBudgetSpec, GatewayBudgetStatus } from '../api/v1alpha1/v1alpha1.ts';
import { tierHash } from './desired.ts';
import { adoptionPolicyOf, budgetIdOf } from './budgetResource.ts';
import { type Claimant, isOwn, mayOwn, ownerBefore } from './ownership.ts';
import { budgetOf } from './testing/budgets.ts';

const announced = { ownership: 'Creating', specHash: tierHash({ maxBudget: 1 }) } as const;
const nothingProved = { isHere: false, isElsewhere: false, mark: undefined };
const mark = { gateway: '', uid: 'before', fields: [], signedAt: '2026-11-20T00:00:00Z' };
const outside: GatewayBudgetSpec['instanceRef'] = { name: 'main', namespace: 'elsewhere' };

describe('a budget at the gateway', () => {
  for (const [what, spec, status, expected] of [
    ['a new resource', {}, undefined, false],
    ['its owner', {}, { ownership: 'Owned' }, true],
    ['a resource that waits', {}, { ownership: 'Waiting' }, false],
    ['a resource that refused it', {}, { ownership: 'Refused' }, false],
    ['a resource that was creating it', {}, announced, true],
    ['one that was creating it and refuses others', { adoptionPolicy: 'Refuse' }, announced, true],
    ['one outside of the namespace of the instance', { instanceRef: outside }, announced, true],
    [
      'one that was creating another value and refuses others',
      { adoptionPolicy: 'Refuse' },
      { ownership: 'Creating', specHash: tierHash({ maxBudget: 2 }) },
      false,
    ],
    [
      'one outside of the namespace of the instance that was creating another value, even with Adopt',
      { instanceRef: outside, adoptionPolicy: 'Adopt' },
      { ownership: 'Creating', specHash: tierHash({ maxBudget: 2 }) },
      false,
    ],
  ] as const) {
    it(`${expected ? 'belongs' : 'does not belong'} to ${what}`, () => {
      const budget = budgetOf(spec, status);
      const policy = adoptionPolicyOf(budget, undefined);
      expect(isOwn(budget, { maxBudget: 1 }, { proof: nothingProved, policy })).to.equal(expected);
    });
  }
});

describe('a budget at the gateway, by the mark of its resource', () => {
  for (const [what, status, proof, own] of [
    ['restored without a status', undefined, { mark }, true],
    ['restored after it had refused the budget', { ownership: 'Refused' }, { mark }, false],
    ['that owned a budget at another gateway', { ownership: 'Owned' }, { isElsewhere: true }, false],
    ['whose instance is back at its gateway', { ownership: 'Refused' }, { isElsewhere: true, mark }, true],
  ] as const) {
    it(`${own ? 'belongs' : 'does not belong'} to one ${what}`, () => {
      const budget = budgetOf({}, status);
      const proved = { ...nothingProved, ...proof };
      expect(isOwn(budget, {}, { proof: proved, policy: 'Refuse' })).to.equal(own);
      expect(mayOwn(budget, proved)).to.equal(own);
    });
  }
});

describe('the id of a budget', () => {
  for (const [spec, namespace, expected] of [
    [{}, 'ai', 'gold'],
    [{ budgetId: 'tier-1' }, 'ai', 'tier-1'],
    [{}, 'shop', 'shop.gold'],
    [{ budgetId: 'tier-1' }, 'shop', 'shop.tier-1'],
  ] as const) {
    it(`is ${expected} in namespace ${namespace}`, () => {
      expect(budgetIdOf(budgetOf(spec, undefined, { namespace }))).to.equal(expected);
    });
  }
});

describe('the owner among several resources', () => {
  const owned: GatewayBudgetStatus = { ownership: 'Owned', gateway: 'this' };
  const claim = (budget: ReturnType<typeof budgetOf>, more: Partial<Claimant> = {}): Claimant => ({
    budget,
    proof: { ...nothingProved, isHere: budget.status?.gateway === 'this' },
    sameInstance: true,
    keyRefused: false,
    ...more,
  });
  const named = (uid: string, second: number, status?: GatewayBudgetStatus): ReturnType<typeof budgetOf> =>
    budgetOf({}, status, { uid, creationTimestamp: `2026-11-21T00:00:0${second}Z` });
  const claims = (...all: ReturnType<typeof budgetOf>[]): Claimant[] => all.map((budget) => claim(budget));

  it('is the older one', () => {
    const [old, young] = [named('b', 1), named('a', 2)];
    expect(ownerBefore(claim(young), claims(old, young))).to.equal(old);
    expect(ownerBefore(claim(old), claims(old, young))).to.equal(undefined);
  });

  it('is a younger one that has the budget', () => {
    const [old, young] = [named('b', 1), named('a', 2, owned)];
    expect(ownerBefore(claim(old), claims(old, young))).to.equal(young);
    expect(ownerBefore(claim(young), claims(old, young))).to.equal(undefined);
  });

  it('is a restored one with its mark before a new one', () => {
    const [older, restored] = [named('a', 1), named('b', 2)];
    const proved = claim(restored, { proof: { ...nothingProved, mark } });
    expect(ownerBefore(claim(older), [claim(older), proved])).to.equal(restored);
    expect(ownerBefore(proved, [claim(older), proved])).to.equal(undefined);
  });

  it('is one of another instance only if this gateway has its budget', () => {
    const young = named('a', 2);
    for (const [status, counts] of [
      [undefined, false],
      [{ ownership: 'Owned', gateway: 'another' }, false],
      [owned, true],
    ] as const) {
      const old = named('b', 1, status);
      const owner = ownerBefore(claim(young), [claim(old, { sameInstance: false }), ...claims(young)]);
      expect(owner).to.equal(counts ? old : undefined);
      const refused = claim(old, { sameInstance: false, keyRefused: true });
      expect(ownerBefore(claim(young), [refused, claim(young)])).to.equal(undefined);
    }
  });

  it('is exactly one, whatever their age and ownership', () => {
    const sketches = fc.uniqueArray(
      fc.record({ uid: fc.constantFrom('a', 'b', 'c', 'd'), second: fc.nat(9), owns: fc.boolean() }),
      { selector: ({ uid }) => uid, minLength: 1 },
    );
    fc.assert(
      fc.property(sketches, (all) => {
        const resources = all.map(({ uid, second, owns }) => named(uid, second, owns ? owned : undefined));
        const owners = resources.filter((budget) => ownerBefore(claim(budget), claims(...resources)) === undefined);
        expect(owners).to.have.length(1);
      }),
    );
  });
});
