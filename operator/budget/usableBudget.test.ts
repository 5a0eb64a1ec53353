/** References to budgets, and the resources that use a budget, as tables. */
import { expect } from 'chai';
import type { GatewayBudget, GatewayBudgetStatus, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { keyText } from '../runtime/runtime.ts';
import { budgetOf, customerIn, readyCondition } from './testing/budgets.ts';
import { BudgetNotUsableError, inUseMessage, usableBudget } from './users.ts';

const ready: GatewayBudgetStatus = {
  ownership: 'Owned',
  budgetId: 'gold',
  conditions: [readyCondition('True', 'Created')],
};
const paused: GatewayBudgetStatus = { ...ready, conditions: [readyCondition('False', 'Paused')] };
const deleted = { deletionTimestamp: '2026-11-21T00:00:00Z' };

describe('a reference to a budget', () => {
  const find = (
    budget: GatewayBudget | undefined,
    given: { namespace?: string; inUse?: string; ref?: object } = {},
  ): string => {
    const budgets = {
      get: (key: { namespace: string; name: string }) =>
        budget !== undefined && keyText(key) === keyText(budget.metadata) ? budget : undefined,
    };
    try {
      return usableBudget(budgets, {
        ref: { name: 'gold', ...given.ref },
        namespace: given.namespace ?? 'ai',
        instance: { namespace: 'ai', name: 'main' },
        inUse: given.inUse,
      }).budgetId;
    } catch (error) {
      if (error instanceof BudgetNotUsableError) return error.reason;
      throw error;
    }
  };

  for (const [what, budget, given, expected] of [
    ['a budget that is Ready', budgetOf({}, ready), {}, 'gold'],
    ['no budget', undefined, {}, 'BudgetNotFound'],
    ['a budget without a status', budgetOf(), {}, 'BudgetNotReady'],
    ['a paused budget', budgetOf({}, paused), {}, 'BudgetNotReady'],
    ['a paused budget that is in use', budgetOf({}, paused), { inUse: 'gold' }, 'gold'],
    ['a budget that is being deleted', budgetOf({}, ready, deleted), {}, 'BudgetNotReady'],
    ['a budget in use that is being deleted', budgetOf({}, ready, deleted), { inUse: 'gold' }, 'gold'],
    ['a budget that another resource owns', budgetOf({}, { ...ready, ownership: 'Waiting' }), {}, 'BudgetNotReady'],
    ['a budget of another instance', budgetOf({ instanceRef: { name: 'other' } }, ready), {}, 'BudgetNotAllowed'],
    [
      'a budget in the namespace of the instance',
      budgetOf({}, ready),
      { namespace: 'shop', ref: { namespace: 'ai' } },
      'gold',
    ],
    [
      'a budget in a third namespace',
      budgetOf({}, ready, { namespace: 'third' }),
      { namespace: 'shop', ref: { namespace: 'third' } },
      'BudgetNotAllowed',
    ],
  ] as const) {
    it(`leads to ${expected} with ${what}`, () => {
      expect(find(budget, given)).to.equal(expected);
    });
  }
});

describe('the message of a budget in use', () => {
  const one = customerIn('ai', 'one');
  const other = customerIn('shop', 'hidden');
  const instance = { metadata: { namespace: 'ai', name: 'main' } } as unknown as GatewayInstance;
  const ownedOutside = budgetOf({}, ready, { namespace: 'shop' });
  const elsewhere = customerIn('third', 'hidden');

  for (const [what, budget, customers, instances, expected] of [
    ['nothing', budgetOf(), [], [], undefined],
    ['a customer', budgetOf(), [one], [], 'by 1 GatewayCustomer (ai/one). Change or delete it first.'],
    [
      'customers of two namespaces',
      budgetOf(),
      [other, one],
      [],
      'by 2 GatewayCustomers (ai/one, shop/hidden). Change or delete them first.',
    ],
    ['an instance', budgetOf(), [], [instance], 'by GatewayInstance ai/main. Change or delete it first.'],
    [
      'a customer and an instance',
      budgetOf(),
      [one],
      [instance],
      'by 1 GatewayCustomer (ai/one) and by GatewayInstance ai/main. Change or delete them first.',
    ],
    [
      'customers, seen from another namespace than that of the instance',
      ownedOutside,
      [other, elsewhere],
      [],
      'by 2 GatewayCustomers (shop/hidden and 1 more). Change or delete them first.',
    ],
    [
      'a customer that may not be named',
      ownedOutside,
      [elsewhere],
      [],
      'by 1 GatewayCustomer in other namespaces. Change or delete it first.',
    ],
  ] as const) {
    it(`names ${what}`, () => {
      const message = inUseMessage(budget, { customers, instances });
      expect(message).to.equal(expected === undefined ? undefined : `The budget is in use ${expected}`);
    });
  }
});
