/** The default budget at the real LiteLLM with its database. Needs LITELLM_LAB and PostgreSQL. */
import { expect } from 'chai';
import type { DefaultCustomerBudget, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import { startTestLiteLlm, type TestLiteLlm } from '../customer/testing/litellm.ts';
import { connectionOf } from '../customer/testing/testDependencies.ts';
import { GatewayClients } from '../gateway/gateway.ts';
import { defaultBudgetId, reconcileDefaultBudget } from './defaultBudget.ts';
import { instanceOf } from './testing/instances.ts';

describe('the default budget at the real LiteLLM', function () {
  this.timeout(300_000);
  let litellm: TestLiteLlm;
  let connection: GatewayConnection;
  let clients: GatewayClients;

  before(async () => {
    litellm = await startTestLiteLlm();
    connection = connectionOf(litellm.url, litellm.masterKey);
    clients = new GatewayClients();
  });
  after(async () => {
    await clients.close();
    await litellm.stop();
  });

  async function rowFor(defaultCustomerBudget: DefaultCustomerBudget): Promise<Record<string, unknown>> {
    const dependencies = {
      clients,
      status: { write: (instance: GatewayInstance) => Promise.resolve(instance) },
      finalizer: { beforeExternalWrite: () => undefined },
    } as unknown as Parameters<typeof reconcileDefaultBudget>[0];
    const instance = instanceOf({ defaultCustomerBudget });
    const { settings } = await reconcileDefaultBudget(dependencies, instance, {
      connection,
      configuredRowId: undefined,
    });
    expect(settings?.budgetId).to.equal(defaultBudgetId(instance));
    const [row] = await clients.for(connection).budgetInfo([defaultBudgetId(instance)]);
    return row ?? {};
  }

  it("has the period in the instance's budget row, with the time of its next reset", async () => {
    const created = await rowFor({ maxBudget: 5, budgetDuration: '7d' });
    expect(created).to.include({ max_budget: 5, budget_duration: '7d' });
    expect(Date.parse(String(created.budget_reset_at))).to.be.greaterThan(Date.now());
    const raised = await rowFor({ maxBudget: 6, budgetDuration: '7d' });
    expect(raised).to.include({ max_budget: 6, budget_reset_at: created.budget_reset_at });
    expect(await rowFor({ maxBudget: 6, budgetDuration: '30d' })).to.include({ budget_duration: '30d' });
    expect(await rowFor({ maxBudget: 6 })).to.include({
      max_budget: 6,
      budget_duration: null,
      budget_reset_at: null,
    });
  });
});
