/** A default budget that is a GatewayBudget, on a real API server. */
import { expect } from 'chai';
import { parse } from 'yaml';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { API_VERSION, type GatewayBudgetStatus, gatewayBudgetNames } from '../api/v1alpha1/v1alpha1.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { installCrds } from '../api/testing/installCrds.ts';
import { MASTER_KEY, Testbed } from './testing/harness.ts';

describe('a default budget that is a GatewayBudget', function () {
  this.timeout(120_000);
  const cluster = withControlPlane();
  let testbed: Testbed;
  const proxyConfig = { base: { inline: 'model_list: []\n' }, configMapName: 'litellm-config' };
  const defaultCustomerBudget = { budgetRef: { name: 'free' } };

  before(() => installCrds(cluster()));
  beforeEach(async () => {
    testbed = await Testbed.start(cluster());
    const response = await fetch(`${testbed.gateway.url}/budget/new`, {
      method: 'POST',
      headers: { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ budget_id: 'free-tier', max_budget: 1 }),
    });
    expect(response.status).to.equal(200);
  });
  afterEach(() => testbed.stop());

  async function createBudget(instance: string): Promise<void> {
    const { kind } = gatewayBudgetNames;
    const spec = { instanceRef: { name: instance }, budgetId: 'free-tier' };
    await testbed.apply({ apiVersion: API_VERSION, kind, metadata: { name: 'free' }, spec });
  }

  /** Reports the budget as its controller does, which does not run here. */
  async function reportBudget(ready: 'True' | 'False'): Promise<void> {
    const lastTransitionTime = new Date().toISOString();
    const condition = { type: 'Ready', status: ready, reason: 'Paused', message: '', lastTransitionTime };
    const status: GatewayBudgetStatus = { ownership: 'Owned', budgetId: 'free-tier', conditions: [condition] };
    await cluster().kubectl([
      ...['patch', 'gbud', 'free', '-n', testbed.namespace, '--subresource=status', '--type=merge', '-p'],
      JSON.stringify({ status }),
    ]);
  }

  async function configuredId(): Promise<unknown> {
    const { data } = await testbed.core.readNamespacedConfigMap({
      name: 'litellm-config',
      namespace: testbed.namespace,
    });
    const config = parse(data?.['config.yaml'] ?? '') as { litellm_settings?: { max_end_user_budget_id?: string } };
    return config.litellm_settings?.max_end_user_budget_id;
  }

  it('is configured as soon as the GatewayBudget is Ready, and stays while it is not', async () => {
    await testbed.instance({ proxyConfig, defaultCustomerBudget });
    expect((await testbed.until('DefaultBudgetEnforced', 'BudgetNotFound')).message).to.include('/free does not exist');
    expect(await configuredId()).to.equal(undefined);
    await createBudget('main');
    await testbed.until('DefaultBudgetEnforced', 'BudgetNotReady');
    await reportBudget('True');
    await testbed.until('DefaultBudgetEnforced', 'Enforced');
    expect(await configuredId()).to.equal('free-tier');
    await reportBudget('False');
    await testbed.look();
    await testbed.until('DefaultBudgetEnforced', 'Enforced');
    // Without the resource, the gateway keeps the limit that it has.
    await cluster().kubectl(['delete', 'gbud', 'free', '-n', testbed.namespace]);
    await testbed.until('DefaultBudgetEnforced', 'BudgetNotFound');
    expect(await configuredId()).to.equal('free-tier');
    await testbed.patch({ spec: { defaultCustomerBudget: null } });
    await testbed.until('DefaultBudgetEnforced', 'NotRequested');
    expect(await configuredId()).to.equal(undefined);
  });

  it('must belong to the instance', async () => {
    await createBudget('other');
    await reportBudget('True');
    await testbed.instance({ proxyConfig, defaultCustomerBudget });
    expect((await testbed.until('DefaultBudgetEnforced', 'BudgetNotAllowed')).message).to.include(
      'another GatewayInstance',
    );
  });

  it('keeps the instance from being deleted before it, and not the other way round', async () => {
    await testbed.instance();
    await testbed.until('Ready', 'Ready');
    await createBudget('main');
    await reportBudget('True');
    await testbed.remove();
    expect((await testbed.until('Ready', 'BudgetsRemain')).message).to.include(
      '1 GatewayBudget belongs to this instance',
    );
    await cluster().kubectl(['delete', 'gbud', 'free', '-n', testbed.namespace]);
    await eventually(async () => {
      const left = await cluster().kubectl(['get', 'ginst', '-n', testbed.namespace, '-o', 'name']);
      expect(left).to.equal('');
    });
  });
});
