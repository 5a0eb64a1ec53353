/** Budgets and their customers at a real LiteLLM with its database. Needs LITELLM_LAB and PostgreSQL. */
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { budgets } from '../api/kinds.ts';
import type { GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import { callCost, type TestLiteLlm } from '../customer/testing/litellm.ts';
import { type LitellmOperator, startLitellmOperator } from '../customer/testing/litellmOperator.ts';
import { eventually, type KubectlUser } from '../customer/testing/testOperator.ts';
import type { GatewayClient } from '../gateway/gateway.ts';
import { conditionOf } from './status.ts';

describe('budgets at a real LiteLLM', function () {
  this.timeout(180_000);
  const cluster = withControlPlane();
  const { plural } = budgets;
  let litellm: TestLiteLlm;
  let admin: GatewayClient;
  let user: KubectlUser;
  let started: LitellmOperator;

  before(async function () {
    this.timeout(300_000);
    started = await startLitellmOperator(cluster());
    ({ litellm, admin, user } = started);
  });
  after(() => started.stop());

  const rowOf = async (id: string): Promise<Record<string, unknown> | undefined> => (await admin.budgetInfo([id]))[0];
  /** The limits of a customer, as LiteLLM reports them with the customer. */
  const limitsOf = async (name: string): Promise<unknown> =>
    (await admin.customerInfo(`${user.namespace}.${name}`))?.litellm_budget_table;
  let requests = 0;
  const syncNow = async (name: string): Promise<GatewayBudget> => {
    const token = String(++requests);
    await user.annotate(name, 'syncRequested', token, plural);
    return await user.untilBudget(name, ({ status }) => status?.lastHandledSyncRequest === token);
  };

  it('have every field of the spec after creation, after a change of every field, and after its removal', async () => {
    const first = { maxBudget: 10.5, softBudget: 9, budgetDuration: '30d', tpmLimit: 1000, rpmLimit: 60 };
    await user.budget('all', { ...first, maxParallelRequests: 4 });
    await user.untilBudgetReason('all', 'Created');
    const created = { max_budget: 10.5, soft_budget: 9, budget_duration: '30d', tpm_limit: 1000, rpm_limit: 60 };
    expect(await rowOf('all')).to.include({ ...created, max_parallel_requests: 4 });
    const next = { maxBudget: 0, softBudget: 0.5, budgetDuration: '7d', tpmLimit: 0, rpmLimit: 2 ** 53 - 1 };
    await user.patch('all', { spec: { ...next, maxParallelRequests: 2 ** 31 - 1 } }, plural);
    await user.untilBudgetReason('all', 'Updated');
    const changed = { max_budget: 0, soft_budget: 0.5, budget_duration: '7d', tpm_limit: 0, rpm_limit: 2 ** 53 - 1 };
    expect(await rowOf('all')).to.include({ ...changed, max_parallel_requests: 2 ** 31 - 1 });
    const none = Object.fromEntries([...Object.keys(next), 'maxParallelRequests'].map((field) => [field, null]));
    await user.patch('all', { spec: none }, plural);
    await eventually(async () => {
      const cleared = { max_budget: null, soft_budget: null, budget_duration: null, budget_reset_at: null };
      expect(await rowOf('all')).to.include({ ...cleared, tpm_limit: null, rpm_limit: null });
    });
    expect(conditionOf(await syncNow('all'), 'Ready')?.status).to.equal('True');
  });

  it('are not reset by a change of another field', async () => {
    await user.budget('period', { maxBudget: 1, budgetDuration: '7d' });
    await user.untilBudgetReason('period', 'Created');
    const { budget_reset_at: reset } = (await rowOf('period')) ?? {};
    expect(Date.parse(String(reset))).to.be.greaterThan(Date.now());
    await user.patch('period', { spec: { maxBudget: 2 } }, plural);
    await user.untilBudgetReason('period', 'Updated');
    expect(await rowOf('period')).to.include({ max_budget: 2, budget_reset_at: reset });
  });

  it('with limits for models require a licence, and say so', async () => {
    await user.budget('models', { modelMaxBudget: { fast: { maxBudget: 1, budgetDuration: '1d' } } });
    const budget = await user.untilBudgetReason('models', 'GatewayRejected');
    expect(conditionOf(budget, 'Ready')?.message).to.contain('spec.modelMaxBudget only with an enterprise licence');
    await user.patch('models', { spec: { modelMaxBudget: null, maxBudget: 1 } }, plural);
    await user.untilBudgetReason('models', 'Created');
  });

  /**
   * Changes the tier, and waits until the operator has written its customer again: otherwise LiteLLM would use the limits
   * in its cache for a minute or more. A call that ends during this write could put them back, so none is made.
   */
  const changeTier = async (spec: Record<string, number>): Promise<void> => {
    const before = await user.until('acme', ({ status }) => status?.synced === true);
    await user.patch('tier', { spec }, plural);
    await user.until('acme', ({ status }) => status?.specHash !== before.status?.specHash && status?.synced === true);
  };

  it('decide what their customers may spend, also after a change', async () => {
    await user.customer('acme', { budgetRef: { name: 'tier' } });
    await user.untilReason('acme', 'BudgetNotFound');
    await user.budget('tier', { maxBudget: callCost / 2 });
    const customer = await user.untilReason('acme', 'Created');
    expect(customer.status).to.include({ synced: true, budgetId: 'tier' });
    expect(await limitsOf('acme')).to.include({ budget_id: 'tier', max_budget: callCost / 2 });
    const call = async (): Promise<number> => (await litellm.chat(`${user.namespace}.acme`)).status;
    expect(await call()).to.equal(200);
    await eventually(async () => {
      expect(await call()).to.equal(422);
    });

    await changeTier({ maxBudget: 100, rpmLimit: 1000 });
    expect(await limitsOf('acme')).to.include({ max_budget: 100, rpm_limit: 1000 });
    for (let calls = 0; calls < 3; calls += 1) expect(await call()).to.equal(200);

    await changeTier({ maxBudget: callCost });
    expect(await call()).to.equal(422);
    await changeTier({ maxBudget: 100 });
    expect(await call()).to.equal(200);

    await admin.budgetUpdate({ budget_id: 'tier', max_budget: 5000 });
    await syncNow('tier');
    expect(await limitsOf('acme')).to.include({ max_budget: 100 });
  });

  it('are deleted only when no customer uses them, and created again with their links when others delete them', async () => {
    await user.budget('used', { maxBudget: 3 });
    await user.customer('one', { budgetRef: { name: 'used' } });
    await user.customer('two', { budgetId: 'used' });
    await user.untilReason('one', 'Created');
    await eventually(async () => {
      expect(await limitsOf('two')).to.include({ max_budget: 3 });
    });
    await user.untilBudget('used', ({ status }) => status?.customers === 2);
    await admin.budgetDelete('used');
    expect(await limitsOf('one')).to.equal(null);
    await syncNow('used');
    await eventually(async () => {
      expect(await limitsOf('one')).to.include({ max_budget: 3 });
    });
    await eventually(async () => {
      expect(await limitsOf('two')).to.include({ max_budget: 3 });
    });

    await user.delete('used', plural);
    const waiting = await user.untilBudgetReason('used', 'InUse');
    expect(conditionOf(waiting, 'Ready')?.message).to.contain(`${user.namespace}/one, ${user.namespace}/two`);
    expect(await rowOf('used')).to.include({ max_budget: 3 });
    await user.delete('one');
    await user.patch('two', { spec: { budgetId: null, maxBudget: 1 } });
    await user.untilBudgetGone('used');
    expect(await rowOf('used')).to.equal(undefined);
    expect(await limitsOf('two')).to.include({ max_budget: 1 });
  });
});
