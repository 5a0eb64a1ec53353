/** The ownership of a budget, as tables and a law. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { GatewayBudgetSpec, GatewayBudgetStatus } from '../api/v1alpha1/v1alpha1.ts';
import { tierHash } from './desired.ts';
import { isOwn, ownerBefore } from './ownership.ts';
import { budgetOf } from './testing/budgets.ts';

const announced = { ownership: 'Creating', specHash: tierHash({ maxBudget: 1 }) } as const;
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
      expect(isOwn(budgetOf(spec, status), { maxBudget: 1 })).to.equal(expected);
    });
  }
});

describe('the owner among several resources', () => {
  const gateway = 'this';
  const owned: GatewayBudgetStatus = { ownership: 'Owned', gateway };
  const named = (uid: string, second: number, status?: GatewayBudgetStatus): ReturnType<typeof budgetOf> =>
    budgetOf({}, status, { uid, creationTimestamp: `2026-11-21T00:00:0${second}Z` });
  const claims = (...all: ReturnType<typeof budgetOf>[]): Parameters<typeof ownerBefore>[1] =>
    all.map((budget) => ({ budget, sameInstance: true }));

  it('is the older one', () => {
    const [old, young] = [named('b', 1), named('a', 2)];
    expect(ownerBefore(young, claims(old, young), gateway)).to.equal(old);
    expect(ownerBefore(old, claims(old, young), gateway)).to.equal(undefined);
  });

  it('is a younger one that has the budget', () => {
    const [old, young] = [named('b', 1), named('a', 2, owned)];
    expect(ownerBefore(old, claims(old, young), gateway)).to.equal(young);
    expect(ownerBefore(young, claims(old, young), gateway)).to.equal(undefined);
  });

  it('is one of another instance only if this gateway has its budget', () => {
    const young = named('a', 2);
    for (const [status, counts] of [
      [undefined, false],
      [{ ownership: 'Owned', gateway: 'another' }, false],
      [owned, true],
    ] as const) {
      const old = named('b', 1, status);
      const owner = ownerBefore(young, [{ budget: old, sameInstance: false }, ...claims(young)], gateway);
      expect(owner).to.equal(counts ? old : undefined);
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
        const owners = resources.filter((budget) => ownerBefore(budget, claims(...resources), gateway) === undefined);
        expect(owners).to.have.length(1);
      }),
    );
  });
});
