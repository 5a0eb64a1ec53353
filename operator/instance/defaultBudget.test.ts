import { expect } from 'chai';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { BudgetSettings } from '../configuration/configuration.ts';
import { GatewayError } from '../gateway/gateway.ts';
import { defaultBudgetId, deleteRow, reconcileDefaultBudget } from './defaultBudget.ts';
import { defaultBudgetCondition } from './defaultBudgetCondition.ts';
import type { Dependencies } from './dependencies.ts';
import { good, instanceOf } from './testing/instances.ts';

/** A gateway with a budget API. It records the updates of its row, or answers each call with an error. */
function gatewayWith(row: object, error?: GatewayError): { updates: object[]; dependencies: Dependencies } {
  const updates: object[] = [];
  const answer = (value: unknown): Promise<unknown> => (error ? Promise.reject(error) : Promise.resolve(value));
  const client = {
    budgetInfo: () => answer([row]),
    budgetDelete: () => answer(undefined),
    budgetUpdate: (changes: object) => answer(updates.push(changes)),
  };
  const dependencies = {
    clients: { hasBudgetApi: () => Promise.resolve(true), for: () => client },
    connections: { forInstanceDeletion: () => Promise.resolve({}) },
    now: () => new Date('2026-01-02T00:06:00Z'),
  };
  return { updates, dependencies: dependencies as unknown as Dependencies };
}

describe('the budget row of an instance', () => {
  const instance = instanceOf({ defaultCustomerBudget: { maxBudget: 5, budgetDuration: '7d' } });
  const id = defaultBudgetId(instance);
  const limited = new GatewayError('retryAfter', 'POST /budget/info', 'Later.', { retryAfterMs: 1000 });
  const reconcile = (dependencies: Dependencies, of: GatewayInstance): ReturnType<typeof reconcileDefaultBudget> =>
    reconcileDefaultBudget(dependencies, of, { connection: {} as never, configuredRowId: id });

  for (const [what, row, expected] of [
    ['nothing', { max_budget: 5, budget_duration: '7d' }, []],
    [
      'an amount, and not the period, which would begin again',
      { max_budget: 4, budget_duration: '7d' },
      [{ max_budget: 5 }],
    ],
    ['a period', { max_budget: 5 }, [{ budget_duration: '7d' }]],
  ] as const) {
    it(`is updated with ${what}`, async () => {
      const { updates, dependencies } = gatewayWith(row);
      await reconcile(dependencies, instance);
      expect(updates).to.deep.equal(expected.map((changes) => ({ budget_id: id, ...changes })));
    });
  }

  for (const [what, status, error, expected] of [
    ['enforced, while the gateway limits the calls', 'True', limited, undefined],
    ['not enforced, if it never was', 'False', limited, 'BudgetRowNotWritten'],
    [
      'not enforced after another error',
      'True',
      new GatewayError('transient', 'POST /budget/info', 'No.'),
      'BudgetRowNotWritten',
    ],
  ] as const) {
    it(`is ${what}`, async () => {
      const condition = { type: 'DefaultBudgetEnforced', status, observedGeneration: instance.metadata.generation };
      const before = { ...instance, status: { conditions: [condition] } } as GatewayInstance;
      const { failure } = await reconcile(gatewayWith({}, error).dependencies, before);
      expect(failure?.reason).to.equal(expected);
    });
  }

  for (const [since, isOver] of [
    ['2026-01-02T00:02:00Z', false],
    ['2026-01-02T00:00:00Z', true],
  ] as const) {
    it(`is ${isOver ? 'given up' : 'tried again'} if its deletion has failed since ${since}`, async () => {
      const { dependencies } = gatewayWith({}, limited);
      const { signal } = new AbortController();
      expect(await deleteRow(dependencies, instance, { since, signal })).to.equal(isOver);
    });
  }
});

describe('the condition of an enforced default budget', () => {
  for (const [budget, expected] of [
    [{ maxBudget: 5, budgetDuration: '7d' }, 'restarts at zero every 7d'],
    [{ maxBudget: 5 }, 'can spend it once'],
    [{ budgetId: 'gold' }, /max_end_user_budget_id: gold\.$/],
  ] as const) {
    it(`says how often ${JSON.stringify(budget)} can be spent`, () => {
      const instance = instanceOf({ defaultCustomerBudget: budget, proxyConfig: { configMapName: 'config' } });
      const facts = { settings: budget as BudgetSettings, failure: undefined };
      const { message } = defaultBudgetCondition(instance, facts, good.ProxyConfigured);
      if (typeof expected === 'string') expect(message).to.include(expected);
      else expect(message).to.match(expected);
    });
  }
});
