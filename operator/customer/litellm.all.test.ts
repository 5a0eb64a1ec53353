/** Customers at a real LiteLLM with its database, and the limits that it enforces. Needs LITELLM_LAB and PostgreSQL. */
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { budgetRowId, GatewayClient, type GatewayError, isGatewayError, RateLimiter } from '../gateway/gateway.ts';
import { conditionOf } from './status.ts';
import { callTests } from './testing/calls.ts';
import { convergenceTests } from './testing/convergence.ts';
import { callCost, type TestLiteLlm } from './testing/litellm.ts';
import { type LitellmOperator, startLitellmOperator } from './testing/litellmOperator.ts';
import { connectionOf } from './testing/testDependencies.ts';
import { eventually, type KubectlUser } from './testing/testOperator.ts';

describe('customers at a real LiteLLM', function () {
  this.timeout(120_000);
  const cluster = withControlPlane();
  let litellm: TestLiteLlm;
  let admin: GatewayClient;
  let user: KubectlUser;
  let started: LitellmOperator;

  before(async function () {
    this.timeout(300_000);
    started = await startLitellmOperator(cluster());
    ({ litellm, admin, user } = started);
    await admin.budgetNew({ budget_id: 'gold', max_budget: 50, budget_duration: '30d', tpm_limit: 1000 });
  });
  after(() => started.stop());

  const idOf = (name: string): string => `${user.namespace}.${name}`;
  const info = async (name: string): Promise<Record<string, unknown>> => (await admin.customerInfo(idOf(name))) ?? {};
  const rowOf = async (customer: GatewayCustomer): Promise<Record<string, unknown> | undefined> =>
    (await admin.budgetInfo([budgetRowId(customer.metadata.uid)]))[0];
  const settled = (name: string): Promise<GatewayCustomer> =>
    user.until(
      name,
      ({ status, metadata }) => status?.synced === true && status.observedGeneration === metadata.generation,
    );
  let requests = 0;
  const syncNow = async (name: string): Promise<GatewayCustomer> => {
    const token = String(++requests);
    await user.annotate(name, 'syncRequested', token);
    return await user.until(name, ({ status }) => status?.lastHandledSyncRequest === token);
  };

  it('have every field of the spec after creation, after a change of every field, and after its removal', async () => {
    await user.customer('all', {
      alias: 'All',
      maxBudget: 10.5,
      budgetDuration: '30d',
      tpmLimit: 1000,
      rpmLimit: 60,
      models: ['gpt-4o-mini'],
      defaultModel: 'gpt-4o-mini',
      allowedModelRegion: 'eu',
      blocked: true,
      objectPermission: { mcpServers: ['m'], accessGroups: ['g'], vectorStores: ['v'], agents: ['a'] },
      metadata: { plan: 'gold' },
    });
    const created = await user.untilReason('all', 'Created');
    expect(created.status).to.include({ synced: true, blocked: true, currentSpend: 0 });
    expect(conditionOf(created, 'FullyApplied')?.message).to.contain('metadata');
    expect(await info('all')).to.deep.include({
      alias: 'All',
      models: ['gpt-4o-mini'],
      default_model: 'gpt-4o-mini',
      allowed_model_region: 'eu',
      blocked: true,
      budget_id: budgetRowId(created.metadata.uid),
    });
    expect((await info('all')).object_permission).to.deep.include({
      mcp_servers: ['m'],
      mcp_access_groups: ['g'],
      vector_stores: ['v'],
      agents: ['a'],
    });
    expect(await rowOf(created)).to.include({
      max_budget: 10.5,
      budget_duration: '30d',
      tpm_limit: 1000,
      rpm_limit: 60,
    });

    await user.patch('all', {
      spec: {
        alias: 'Other',
        maxBudget: 0,
        budgetDuration: '7d',
        tpmLimit: 5,
        rpmLimit: 6,
        models: ['fast'],
        defaultModel: 'fast',
        allowedModelRegion: 'us',
        blocked: false,
        objectPermission: { mcpServers: [], accessGroups: ['h'], vectorStores: ['v', 'w'], agents: null },
      },
    });
    await user.untilReason('all', 'Updated');
    expect(await info('all')).to.deep.include({
      alias: 'Other',
      models: ['fast'],
      default_model: 'fast',
      allowed_model_region: 'us',
      blocked: false,
    });
    expect((await info('all')).object_permission).to.deep.include({
      mcp_servers: [],
      mcp_access_groups: ['h'],
      vector_stores: ['v', 'w'],
      agents: [],
    });
    expect(await rowOf(created)).to.include({ max_budget: 0, budget_duration: '7d', tpm_limit: 5, rpm_limit: 6 });

    const gone = ['alias', 'maxBudget', 'budgetDuration', 'tpmLimit', 'rpmLimit', 'models', 'defaultModel'];
    const more = ['allowedModelRegion', 'blocked', 'objectPermission', 'metadata'];
    await user.patch('all', { spec: Object.fromEntries([...gone, ...more].map((field) => [field, null])) });
    const bare = await settled('all');
    expect(await info('all')).to.deep.include({
      alias: '',
      models: [],
      default_model: '',
      blocked: false,
      budget_id: null,
      litellm_budget_table: null,
    });
    expect((await info('all')).object_permission).to.deep.include({ mcp_access_groups: [], vector_stores: [] });
    expect(await rowOf(created)).to.equal(undefined);
    // The status reports a field that LiteLLM cannot clear. The operator continues to clear it.
    expect((await info('all')).allowed_model_region).to.equal('us');
    expect(conditionOf(bare, 'FullyApplied')).to.include({ status: 'False', reason: 'FieldsNotCleared' });
    expect(bare.status?.appliedFields).to.deep.equal(['allowedModelRegion']);
  });

  it('move between their own limits and a tier, in both directions, and leave the tier unchanged', async () => {
    await user.customer('tier', { maxBudget: 5, rpmLimit: 7 });
    const created = await user.untilReason('tier', 'Created');
    await user.patch('tier', { spec: { maxBudget: null, rpmLimit: null, budgetId: 'gold' } });
    await settled('tier');
    expect((await info('tier')).budget_id).to.equal('gold');
    expect(await rowOf(created)).to.equal(undefined);
    await user.patch('tier', { spec: { budgetId: null, maxBudget: 6 } });
    await settled('tier');
    expect(await rowOf(created)).to.include({ max_budget: 6, rpm_limit: null, tpm_limit: null });
    expect((await info('tier')).budget_id).to.equal(budgetRowId(created.metadata.uid));
    await user.patch('tier', { spec: { maxBudget: null, budgetId: 'gold' } });
    await settled('tier');
    await user.patch('tier', { spec: { budgetId: null } });
    await settled('tier');
    expect((await info('tier')).budget_id).to.equal(null);
    expect((await admin.budgetInfo(['gold']))[0]).to.include({
      max_budget: 50,
      budget_duration: '30d',
      tpm_limit: 1000,
    });
  });

  it('adopt a record that a paid call has created, with its spend', async () => {
    expect((await litellm.chat(idOf('caller'))).status).to.equal(200);
    await eventually(async () => {
      expect((await info('caller')).spend).to.be.greaterThan(0);
    }, 30_000);
    await user.customer('caller', { alias: 'Caller', maxBudget: 1 });
    const adopted = await user.untilReason('caller', 'Adopted');
    expect(adopted.status?.currentSpend).to.be.closeTo(callCost, 1e-9);
    expect(await rowOf(adopted)).to.include({ max_budget: 1 });
  });

  it('adopt a record with its own budget, and keep the limits that the spec does not name', async () => {
    await admin.customerNew({ user_id: idOf('rich'), max_budget: 30, tpm_limit: 9, max_parallel_requests: 2 });
    await user.customer('rich', { rpmLimit: 5 });
    const adopted = await user.untilReason('rich', 'Adopted');
    expect(await rowOf(adopted)).to.include({ max_budget: 30, tpm_limit: 9, rpm_limit: 5, max_parallel_requests: 2 });
    await user.patch('rich', { spec: { rpmLimit: null } });
    await settled('rich');
    expect(await rowOf(adopted)).to.include({ max_budget: 30, tpm_limit: 9, rpm_limit: null });
  });

  describe('leave no budget row of the operator, and every other budget unchanged', () => {
    const budgets = async (): Promise<string[]> => {
      const answer = await fetch(`${litellm.url}/budget/list`, {
        headers: { authorization: `Bearer ${litellm.masterKey}` },
      });
      return ((await answer.json()) as { budget_id: string }[]).map(({ budget_id: id }) => id).sort();
    };
    const remove = async (name: string): Promise<void> => {
      await user.delete(name);
      await user.untilGone(name);
    };

    for (const [what, there, spec] of [
      ['its own budget', { max_budget: 30 }, { rpmLimit: 5 }],
      ['its own budget that is kept', { max_budget: 30 }, { alias: 'A' }],
      ['a tier', { budget_id: 'gold' }, { rpmLimit: 5 }],
      ['a tier that is replaced', { budget_id: 'gold' }, { budgetId: 'silver' }],
      ['no budget', {}, { maxBudget: 5 }],
    ] as const) {
      it(`when a customer with ${what} is adopted, orphaned, adopted again and deleted`, async () => {
        const name = `leak-${what.replace(/[^a-z]+/g, '-')}`;
        if (!(await budgets()).includes('silver')) await admin.budgetNew({ budget_id: 'silver', max_budget: 2 });
        await admin.customerNew({ user_id: idOf(name), ...there });
        const before = await budgets();
        await user.customer(name, { ...spec, deletionPolicy: 'Orphan' });
        await user.untilReason(name, 'Adopted');
        await remove(name);
        expect((await info(name)).user_id).to.equal(idOf(name));
        for (const next of [{ alias: 'As it is', deletionPolicy: 'Orphan' as const }, { tpmLimit: 7 }]) {
          await user.customer(name, next);
          await user.untilReason(name, 'Adopted');
          await remove(name);
        }
        expect(await info(name)).to.deep.equal({});
        expect(await budgets()).to.deep.equal(before);
      });
    }

    it('when a younger resource takes over a record with its spend', async () => {
      const customerId = idOf('handed');
      const before = await budgets();
      await user.customer('handed', { maxBudget: 5, tpmLimit: 1_000_000 });
      await user.untilReason('handed', 'Created');
      expect((await litellm.chat(customerId)).status).to.equal(200);
      await eventually(async () => {
        expect((await info('handed')).spend).to.be.greaterThan(0);
      }, 30_000);
      const { spend } = await info('handed');
      await user.untilOlder('handed');
      await user.customer('heir', { customerId, maxBudget: 6 });
      await user.untilReason('heir', 'Conflict');
      await remove('handed');
      const heir = await user.untilReason('heir', 'Adopted');
      expect(heir.status?.currentSpend).to.equal(spend);
      expect(await rowOf(heir)).to.include({ max_budget: 6, tpm_limit: null });
      await remove('heir');
      expect(await budgets()).to.deep.equal(before);
    });
  });

  it('restore what another client edits', async () => {
    await user.customer('edited', { alias: 'E', maxBudget: 3, models: ['fast'] });
    const created = await user.untilReason('edited', 'Created');
    const rowId = budgetRowId(created.metadata.uid);
    await admin.customerUpdate({ user_id: idOf('edited'), alias: 'X', models: [], budget_id: 'gold' });
    await syncNow('edited');
    expect(await info('edited')).to.deep.include({ alias: 'E', models: ['fast'], budget_id: rowId });
    await admin.budgetUpdate({ budget_id: rowId, max_budget: 999 });
    await syncNow('edited');
    expect(await rowOf(created)).to.include({ max_budget: 3 });
  });

  it('restore what another client deletes', async () => {
    await user.customer('deleted', { alias: 'E', maxBudget: 3 });
    const created = await user.untilReason('deleted', 'Created');
    const rowId = budgetRowId(created.metadata.uid);
    await admin.budgetDelete(rowId);
    await syncNow('deleted');
    expect((await info('deleted')).budget_id).to.equal(rowId);
    await admin.customerDelete(idOf('deleted'));
    expect((await syncNow('deleted')).status?.synced).to.equal(true);
    expect(await info('deleted')).to.deep.include({ alias: 'E', budget_id: rowId });
  });

  it('report the requests that LiteLLM rejects, with a remedy', async () => {
    await user.customer('model', { defaultModel: 'no-such-model' });
    expect(conditionOf(await user.untilReason('model', 'GatewayRejected'), 'Synced')?.message).to.contain(
      'The gateway does not serve the model in spec.defaultModel',
    );
    await user.customer('tierless', { budgetId: 'no-such-tier' });
    expect(conditionOf(await user.untilReason('tierless', 'GatewayRejected'), 'Synced')?.message).to.contain(
      'The gateway has no budget with the id in spec.budgetId',
    );
    await user.customer('region', { allowedModelRegion: 'mars', maxBudget: 1 });
    const region = await user.untilReason('region', 'GatewayRejected');
    expect(conditionOf(region, 'Synced')?.message).to.contain('allowed_model_region');
    // The deletion removes the budget row that was already created.
    await user.delete('region');
    await user.untilGone('region');
    expect(await rowOf(region)).to.equal(undefined);
  });

  it("trust only LiteLLM's own 404 for a missing customer, and quote it without the key", async () => {
    const failure = async (call: Promise<unknown>): Promise<GatewayError> => {
      const error: unknown = await call.catch((thrown: unknown) => thrown);
      if (!isGatewayError(error)) throw new Error(`The call ended with ${String(error)}.`);
      return error;
    };
    const nobody = idOf('nobody, "really" = nobody do');
    expect(await admin.customerInfo(nobody)).to.equal(undefined);
    expect((await failure(admin.customerUpdate({ user_id: nobody, alias: 'A' }))).kind).to.equal('notFound');
    expect((await failure(admin.customerDelete(nobody))).kind).to.equal('notFound');
    await admin.budgetDelete(nobody);

    const astray = async (endpoint: string, key: string): Promise<GatewayError[]> => {
      const connection = connectionOf(endpoint, key);
      const client = new GatewayClient(connection, new RateLimiter(connection.rateLimit));
      try {
        const calls = [
          client.customerInfo(nobody),
          client.customerNew({ user_id: nobody }),
          client.customerDelete(nobody),
          client.budgetInfo(['x']),
          client.budgetDelete('x'),
        ];
        return await Promise.all(calls.map(failure));
      } finally {
        await client.close();
      }
    };
    for (const error of await astray(`${litellm.url}/nowhere`, litellm.masterKey)) {
      expect(error.kind, error.message).to.equal('terminal');
      expect(error.message).to.match(/ returned 40[45] for [^:"]+\. Check that spec\.endpoint/);
    }
    for (const error of await astray(litellm.url, 'sk-of-nobody-0123456789')) {
      expect(error.kind, error.message).to.equal('unauthorized');
      expect(error.message).to.contain(': "Authentication Error').and.not.to.contain('of-nobody-0123456789');
    }
    const { message } = await failure(admin.customerNew({ user_id: nobody, default_model: 'no-such-model' }));
    expect(message).to.contain(': "Default Model not on proxy').and.to.contain('spec.defaultModel');
  });

  it('are deleted with their budget row unless the record is orphaned', async () => {
    await user.customer('gone', { maxBudget: 1 });
    const created = await user.untilReason('gone', 'Created');
    await user.delete('gone');
    await user.untilGone('gone');
    expect(await info('gone')).to.deep.equal({});
    expect(await rowOf(created)).to.equal(undefined);
    await user.customer('left', { alias: 'Left', deletionPolicy: 'Orphan' });
    await user.untilReason('left', 'Created');
    await user.delete('left');
    await user.untilGone('left');
    expect((await info('left')).alias).to.equal('Left');
  });

  describe('enforces', () => {
    /**
     * Makes up to `most` calls until LiteLLM rejects one.
     * @returns the rejection
     */
    const callUntilRefused = async (name: string, most: number): Promise<{ status: number; body: string }> => {
      for (let call = 0; call < most; call++) {
        const answer = await litellm.chat(idOf(name));
        if (answer.status !== 200) return answer;
      }
      throw new Error(`LiteLLM rejected none of ${most} calls.`);
    };

    it('a budget, and a changed budget from the next call on', async () => {
      await user.customer('spender', { maxBudget: 2.5 * callCost });
      await user.untilReason('spender', 'Created');
      expect((await litellm.chat(idOf('spender'))).status).to.equal(200);
      const refused = await callUntilRefused('spender', 6);
      expect(refused.status).to.equal(422);
      expect(refused.body).to.contain('budget_exceeded');
      await user.patch('spender', { spec: { maxBudget: 100 } });
      await settled('spender');
      expect((await litellm.chat(idOf('spender'))).status).to.equal(200);
      await eventually(async () => {
        expect((await syncNow('spender')).status?.currentSpend).to.be.at.least(1.99 * callCost);
      }, 30_000);
      await user.patch('spender', { spec: { maxBudget: 0 } });
      await settled('spender');
      expect((await callUntilRefused('spender', 2)).body).to.contain('budget');
      await user.patch('spender', { spec: { maxBudget: null } });
      await settled('spender');
      expect((await litellm.chat(idOf('spender'))).status).to.equal(200);
    });

    it('the models, and changed models from the next call on', async () => {
      await user.customer('models', { models: ['fast'] });
      await user.untilReason('models', 'Created');
      expect((await litellm.chat(idOf('models'), 'fast')).status).to.equal(200);
      const refused = await litellm.chat(idOf('models'), 'gpt-4o-mini');
      expect(refused.status).to.equal(403);
      expect(refused.body).to.contain('customer_model_access_denied');
      await user.patch('models', { spec: { models: null } });
      await settled('models');
      expect((await litellm.chat(idOf('models'), 'gpt-4o-mini')).status).to.equal(200);
    });

    it('neither blocked nor defaultModel, as the condition reports, until rpmLimit 0 rejects the calls', async () => {
      await user.customer('blocked', { blocked: true, defaultModel: 'fast' });
      const created = await user.untilReason('blocked', 'Created');
      expect(created.status).to.include({ synced: true, blocked: true });
      expect(conditionOf(created, 'FullyApplied')).to.include({ status: 'False', reason: 'FieldsNotEnforced' });
      expect(conditionOf(created, 'FullyApplied')?.message).to.contain('records defaultModel, blocked but');
      expect((await litellm.chat(idOf('blocked'))).status).to.equal(200);
      const nameless = await litellm.chat(idOf('blocked'), null);
      expect(nameless.status).to.equal(400);
      expect(nameless.body).to.contain('Invalid model name');
      await user.patch('blocked', { spec: { rpmLimit: 0, defaultModel: null } });
      expect(conditionOf(await settled('blocked'), 'FullyApplied')?.status).to.equal('True');
      expect((await litellm.chat(idOf('blocked'))).status).to.equal(429);
    });

    it('no allowedModelRegion, as the condition reports', async () => {
      await user.customer('region-us', { allowedModelRegion: 'us' });
      const created = await user.untilReason('region-us', 'Created');
      expect(conditionOf(created, 'FullyApplied')?.message).to.contain('records allowedModelRegion but');
      expect((await litellm.chat(idOf('region-us'))).status).to.equal(200);
    });

    it('a rate limit until it is removed', async () => {
      await user.customer('fast', { rpmLimit: 1 });
      await user.untilReason('fast', 'Created');
      const refused = await callUntilRefused('fast', 4);
      expect(refused.status).to.equal(429);
      await user.patch('fast', { spec: { rpmLimit: null } });
      await settled('fast');
      expect((await litellm.chat(idOf('fast'))).status).to.equal(200);
    });

    it('the default budget, with its period, for a customer with limits but without a budget', async () => {
      const budget = { maxBudget: 1.5 * callCost, budgetDuration: '30d' };
      await user.patch('main', { spec: { defaultCustomerBudget: budget } }, 'gatewayinstances');
      try {
        await user.customer('limited', { tpmLimit: 1_000_000 });
        const created = await user.untilReason('limited', 'Created');
        const row = await rowOf(created);
        expect(row).to.include({ max_budget: budget.maxBudget, budget_duration: '30d' });
        expect(Date.parse(String(row?.budget_reset_at))).to.be.greaterThan(Date.now());
        expect((await callUntilRefused('limited', 5)).body).to.contain('budget');
      } finally {
        await user.patch('main', { spec: { defaultCustomerBudget: null } }, 'gatewayinstances');
      }
    });
  });

  describe('converge', () => {
    convergenceTests(() => litellm, 12);
  });

  describe('cost only these gateway calls', () => {
    callTests(() => litellm);
  });
});
