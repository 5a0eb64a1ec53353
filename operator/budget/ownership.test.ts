/** The ownership of a budget, as tables and a law. */
import { expect } from 'chai';
import fc from 'fast-check';
import {
  annotations,
  type GatewayBudget,
  type GatewayBudgetSpec,
  type GatewayBudgetStatus,
} from '../api/v1alpha1/v1alpha1.ts';
import { testIdentity } from '../connection/testing/testIdentity.ts';
import {
  adoptionPolicyOf,
  type Claimant,
  markSubject,
  ownerBefore,
  type Ownership,
  ownershipAt,
} from '../external/claims.ts';
import { isOwn, tierHash } from './record.ts';
import { budgetClaims, budgetIdOf } from './status.ts';
import { budgetOf } from './testing/budgets.ts';

const announced = { ownership: 'Creating', specHash: tierHash({ maxBudget: 1 }) } as const;
const address = 'gateway.ai.svc:4000';
const here = testIdentity.digest(address);
const elsewhere = testIdentity.digest('other.ai.svc:4000');
const ownershipOf = (budget: GatewayBudget): Ownership => ownershipAt(budgetClaims, testIdentity, budget, address);
/** The mark that a budget had before it was restored from a backup, as metadata. */
const restored = (budget = budgetOf()): Partial<GatewayBudget['metadata']> => {
  const mark = { uid: 'before', fields: [], signedAt: '2026-11-20T00:00:00Z' };
  const text = testIdentity.sign(markSubject(budgetClaims, budget), address, mark);
  return { annotations: { [annotations.ownerMark]: text } };
};
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
      const policy = adoptionPolicyOf(budgetClaims, budget, undefined);
      expect(isOwn(budget, { maxBudget: 1 }, { ownership: ownershipOf(budget), policy })).to.equal(expected);
    });
  }
});

describe('a budget at the gateway, by the mark of its resource', () => {
  for (const [what, status, metadata, own] of [
    ['restored without a status', undefined, restored(), true],
    ['restored after it had refused the budget', { ownership: 'Refused' }, restored(), false],
    ['that owned a budget at another gateway', { ownership: 'Owned', gateway: elsewhere }, {}, false],
    ['whose instance is back at its gateway', { ownership: 'Refused', gateway: elsewhere }, restored(), true],
  ] as const) {
    it(`${own ? 'belongs' : 'does not belong'} to one ${what}`, () => {
      const budget = budgetOf({}, status, metadata);
      const ownership = ownershipOf(budget);
      expect(isOwn(budget, {}, { ownership, policy: 'Refuse' })).to.equal(own);
      expect(ownership.state === 'none').to.equal(!own);
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
  const owned: GatewayBudgetStatus = { ownership: 'Owned', gateway: here };
  const claim = (resource: GatewayBudget, more: object = {}): Claimant<GatewayBudget> => ({
    resource,
    ownership: ownershipOf(resource),
    sameInstance: true,
    keyRefused: false,
    ...more,
  });
  const named = (uid: string, second: number, status?: GatewayBudgetStatus, metadata: object = {}): GatewayBudget =>
    budgetOf({}, status, { uid, creationTimestamp: `2026-11-21T00:00:0${second}Z`, ...metadata });
  const claims = (...all: GatewayBudget[]): Claimant<GatewayBudget>[] => all.map((budget) => claim(budget));

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

  it('is a younger one that is creating the budget', () => {
    const [old, young] = [named('b', 1), named('a', 2, { ownership: 'Creating', gateway: here })];
    expect(ownerBefore(claim(old), claims(old, young))).to.equal(young);
    expect(ownerBefore(claim(young), claims(old, young))).to.equal(undefined);
  });

  it('is a restored one with its mark before a new one', () => {
    const [older, marked] = [named('a', 1), named('b', 2, undefined, restored())];
    expect(ownerBefore(claim(older), claims(older, marked))).to.equal(marked);
    expect(ownerBefore(claim(marked), claims(older, marked))).to.equal(undefined);
  });

  it('is one of another instance only if this gateway has its budget', () => {
    const young = named('a', 2);
    for (const [status, counts] of [
      [undefined, false],
      [{ ownership: 'Owned', gateway: elsewhere }, false],
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
