import { expect } from 'chai';
import type { GatewayCustomerSpec, GatewayInstanceSpec } from '../api/v1alpha1/v1alpha1.ts';
import { budgetOf } from '../budget/testing/budgets.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { BudgetAmounts, spendingOf } from './spending.ts';
import { customerOf } from './testing/testDependencies.ts';

/** Budgets of the instance, and one of another instance with the same id. */
const amounts = new BudgetAmounts([
  budgetOf({ instanceRef: { name: 'main' }, maxBudget: 50 }, undefined, { namespace: 'default' }),
  budgetOf({ instanceRef: { name: 'main' }, budgetId: 'tier-2', maxBudget: 9 }, undefined, {
    namespace: 'default',
    name: 'silver',
  }),
  budgetOf({ instanceRef: { name: 'main' }, rpmLimit: 5 }, undefined, { namespace: 'default', name: 'rates' }),
  budgetOf({ instanceRef: { name: 'other' }, maxBudget: 70 }, undefined, {
    namespace: 'default',
    name: 'gold-of-other',
  }),
]);

const instanceWith = (
  defaultCustomerBudget: GatewayInstanceSpec['defaultCustomerBudget'],
  status: 'True' | 'False' = 'True',
): ReturnType<typeof instanceOf> => {
  const instance = instanceOf(defaultCustomerBudget === undefined ? {} : { defaultCustomerBudget });
  const condition = { type: 'DefaultBudgetEnforced', status, reason: 'Enforced', message: '', lastTransitionTime: '' };
  return { ...instance, metadata: { ...instance.metadata, namespace: 'default' }, status: { conditions: [condition] } };
};
const none = instanceWith(undefined);
const withDefault = instanceWith({ maxBudget: 3 });

describe('the budget of a customer', () => {
  const cases: readonly (readonly [
    what: string,
    spec: Partial<GatewayCustomerSpec>,
    linked: string | undefined,
    instance: typeof none | undefined,
    maxBudget: number | undefined,
  ])[] = [
    ['its own', { maxBudget: 20 }, undefined, none, 20],
    ['its own, of zero', { maxBudget: 0 }, undefined, withDefault, 0],
    ['that of the GatewayBudget that it refers to, once linked', { budgetRef: { name: 'gold' } }, 'gold', none, 50],
    [
      'none while the reference does not lead to a budget',
      { budgetRef: { name: 'gone' } },
      undefined,
      withDefault,
      undefined,
    ],
    ['that of a GatewayBudget with the id that it names', { budgetId: 'tier-2' }, undefined, none, 9],
    ['not that of a resource with this name and another id', { budgetId: 'silver' }, undefined, none, undefined],
    ['unknown if an admin made the tier', { budgetId: 'free' }, 'free', withDefault, undefined],
    ['none if the tier has only rates', { budgetRef: { name: 'rates' } }, 'rates', withDefault, undefined],
    ['that of the tier at the gateway, if it only observes', { managementPolicy: 'Observe' }, 'gold', withDefault, 50],
    ['the default of the instance', {}, undefined, withDefault, 3],
    ['the default of the instance, by a resource', {}, undefined, instanceWith({ budgetRef: { name: 'gold' } }), 50],
    ['the default of the instance, by an id', {}, undefined, instanceWith({ budgetId: 'tier-2' }), 9],
    ['none if the default is not enforced', {}, undefined, instanceWith({ maxBudget: 3 }, 'False'), undefined],
    ['not the default if it has rates of its own', { rpmLimit: 5 }, undefined, withDefault, undefined],
    ['none without an instance', {}, undefined, undefined, undefined],
  ];
  for (const [what, spec, linked, instance, maxBudget] of cases) {
    it(`is ${what}`, () => {
      const customer = { ...customerOf(spec), status: { currentSpend: 1, ...(linked && { budgetId: linked }) } };
      expect(spendingOf(customer, instance, amounts)).to.deep.equal({
        spend: 1,
        maxBudget,
        usedRatio: maxBudget === undefined || maxBudget === 0 ? undefined : 1 / maxBudget,
      });
    });
  }

  it('has no used share while the spend is unknown', () => {
    const expected = { spend: undefined, maxBudget: 20, usedRatio: undefined };
    expect(spendingOf(customerOf({ maxBudget: 20 }), none, amounts)).to.deep.equal(expected);
  });
});
