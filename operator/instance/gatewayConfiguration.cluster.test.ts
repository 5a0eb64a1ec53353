/** What the operator writes into the configuration of a gateway, and the default budget at the gateway. */
import { expect } from 'chai';
import { parse } from 'yaml';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import { startTestProxy, type TestProxy } from '../gateway/testing/testProxy.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { gatewayManifest } from './testing/gatewayManifest.ts';
import { installCrds } from '../api/testing/installCrds.ts';
import { MASTER_KEY, Testbed } from './testing/harness.ts';

const guardrail = 'main-guardrail';

describe('an instance that writes the configuration of its gateway', function () {
  this.timeout(90_000);
  const plane = withControlPlane();
  let testbed: Testbed;

  before(() => installCrds(plane()));
  beforeEach(async () => {
    testbed = await Testbed.start(plane());
  });
  afterEach(() => testbed.stop());

  const proxyConfig = { base: { inline: '# Ours.\nmodel_list: []\n' }, configMapName: 'litellm-config' };

  async function config(): Promise<Record<string, unknown>> {
    const map = await testbed.core.readNamespacedConfigMap({ name: 'litellm-config', namespace: testbed.namespace });
    return parse(map.data?.['config.yaml'] ?? '') as Record<string, unknown>;
  }

  it('with an enforced default budget: a budget row at the gateway', async () => {
    await testbed.instance({ proxyConfig, defaultCustomerBudget: { maxBudget: 5 } });
    await testbed.until('DefaultBudgetEnforced', 'Enforced');
    const { uid } = (await testbed.read()).metadata;
    const id = `gcust-default-${uid}`;
    expect(await config()).to.deep.equal({
      model_list: [],
      litellm_settings: { max_end_user_budget: 5, max_end_user_budget_id: id },
    });
    expect(await budget(id)).to.include({ max_budget: 5 });

    await testbed.patch({ spec: { defaultCustomerBudget: { maxBudget: 7 } } });
    await eventually(async () => {
      expect(await budget(id)).to.include({ max_budget: 7 });
    });
    await testbed.patch({ spec: { defaultCustomerBudget: null } });
    await testbed.until('DefaultBudgetEnforced', 'NotRequested');
    expect(await budget(id)).to.equal(undefined);
    expect(await config()).to.deep.equal({ model_list: [] });
  });

  it('with the period of its default budget: set, corrected and cleared', async () => {
    await testbed.instance({ proxyConfig, defaultCustomerBudget: { maxBudget: 5, budgetDuration: '30d' } });
    const enforced = await testbed.until('DefaultBudgetEnforced', 'Enforced');
    expect(enforced.message).to.include('every 30d');
    const id = `gcust-default-${(await testbed.read()).metadata.uid}`;
    const made = await budget(id);
    expect(made).to.include({ max_budget: 5, budget_duration: '30d' });
    expect(Date.parse(String(made?.budget_reset_at))).to.be.greaterThan(Date.now());
    // A duration that is sent again would start a new period.
    await admin('/budget/update', { budget_id: id, budget_reset_at: '2030-01-01T00:00:00Z' });
    await testbed.patch({ spec: { defaultCustomerBudget: { maxBudget: 6 } } });
    const raised = await eventually(async () => {
      const row = await budget(id);
      expect(row).to.include({ max_budget: 6, budget_duration: '30d' });
      return row;
    });
    expect(String(raised?.budget_reset_at)).to.match(/^2030-01-01/);
    await admin('/budget/update', { budget_id: id, budget_duration: '1d' });
    await testbed.look();
    await eventually(async () => {
      expect(await budget(id)).to.include({ max_budget: 6, budget_duration: '30d' });
    });
    await testbed.patch({ spec: { defaultCustomerBudget: { budgetDuration: null } } });
    await eventually(async () => {
      expect(await budget(id)).to.include({ max_budget: 6, budget_duration: null, budget_reset_at: null });
    });
    expect((await testbed.until('DefaultBudgetEnforced', 'Enforced')).message).to.include(
      'Each customer can spend it once',
    );
  });

  describe('behind a faulty network', () => {
    let proxy: TestProxy;
    beforeEach(async () => {
      proxy = await startTestProxy(testbed.gateway.url);
    });
    afterEach(() => proxy.stop());

    it('and keeps the default budget enforced while the gateway limits the call rate', async () => {
      await testbed.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: { maxBudget: 5 } });
      await testbed.until('DefaultBudgetEnforced', 'Enforced');
      proxy.calls.length = 0;
      proxy.fault = ({ path }) =>
        path === '/budget/info'
          ? { kind: 'answer', status: 429, body: '{}', headers: { 'retry-after': '30' } }
          : undefined;
      await testbed.look();
      await eventually(() => {
        expect(proxy.calls.map(({ path }) => path)).to.include('/budget/info');
      });
      // It reconciles and counts without waiting those thirty seconds.
      await testbed.customer('one');
      const counted = await eventually(async () => {
        const { status } = await testbed.read();
        expect(status?.customers?.total).to.equal(1);
        return status;
      }, 15_000);
      expect(counted?.conditions?.find(({ type }) => type === 'DefaultBudgetEnforced')?.status).to.equal('True');
    });

    it('and reports that a gateway without a /budget API ignores the period', async () => {
      proxy.fault = ({ path }) =>
        path.startsWith('/budget/')
          ? { kind: 'answer', status: 404, body: '{"detail":"Not Found"}', headers: {} }
          : undefined;
      const budgets = { maxBudget: 5, budgetDuration: '30d' };
      await testbed.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: budgets });
      const { status, message } = await testbed.until('DefaultBudgetEnforced', 'NotSupported');
      expect(status).to.equal('False');
      expect(message).to.include('it ignores the period 30d').and.include('only once');
      expect(await config()).to.deep.equal({ model_list: [], litellm_settings: { max_end_user_budget: 5 } });
      await testbed.patch({ spec: { defaultCustomerBudget: { budgetDuration: null } } });
      await testbed.until('DefaultBudgetEnforced', 'Enforced');
    });

    const rowsMade = (): unknown[] =>
      proxy.calls.filter(({ path }) => path === '/budget/new').map(({ body }) => body.budget_id);

    it('and waits in its deletion for an unreachable gateway, reports it, and can be force-deleted', async () => {
      await testbed.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: { maxBudget: 5 } });
      await testbed.until('DefaultBudgetEnforced', 'Enforced');
      proxy.fault = () => ({ kind: 'breakBefore' });
      await testbed.remove();
      const { message } = await testbed.until('Ready', 'Deleting');
      expect(message).to.include('budget row').and.include(annotations.forceDelete);
      await testbed.patch({ metadata: { annotations: { [annotations.forceDelete]: 'true' } } });
      await testbed.untilGone();
    });

    it('deletes the row of an instance that lost the finalizer race', async () => {
      let id = '';
      proxy.fault = async ({ path }) => {
        if (path !== '/budget/new') return undefined;
        id = `gcust-default-${(await testbed.read()).metadata.uid}`;
        await testbed.vanish();
        return undefined;
      };
      await testbed.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: { maxBudget: 5 } });
      await eventually(() => {
        expect(proxy.calls.map(({ path }) => path)).to.include('/budget/delete');
      });
      await eventually(async () => {
        expect(await budget(id)).to.equal(undefined);
      });
      expect(rowsMade()).to.deep.equal([id]);
    });

    it('creates no row if the finalizer race is known to be lost', async () => {
      proxy.fault = async ({ path }) => {
        if (path !== '/budget/info') return undefined;
        proxy.fault = () => undefined;
        await testbed.vanish();
        return undefined;
      };
      await testbed.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: { maxBudget: 5 } });
      await testbed.untilGone();
      await testbed.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: { maxBudget: 5 } }, 'next');
      await testbed.until('DefaultBudgetEnforced', 'Enforced', 'next');
      expect(rowsMade()).to.deep.equal([`gcust-default-${(await testbed.read('next')).metadata.uid}`]);
    });
  });

  it('with a tier, and reports a tier that does not exist', async () => {
    await testbed.instance({ proxyConfig, defaultCustomerBudget: { budgetId: 'gold' } });
    await testbed.until('DefaultBudgetEnforced', 'BudgetNotFound');
    await admin('/budget/new', { budget_id: 'gold', max_budget: 1 });
    await testbed.look();
    await testbed.until('DefaultBudgetEnforced', 'Enforced');
    expect(await config()).to.have.deep.property('litellm_settings', { max_end_user_budget_id: 'gold' });
  });

  it('not instead of a ConfigMap with another owner', async () => {
    await testbed.configMap('litellm-config', { 'config.yaml': 'theirs: 1' });
    await testbed.instance({ proxyConfig });
    const condition = await testbed.until('ProxyConfigured', 'ConfigMapTaken');
    expect(condition.message).to.include('Name another ConfigMap in spec.proxyConfig.configMapName');
    expect(await config()).to.deep.equal({ theirs: 1 });
  });

  it('and keeps the last one while the base is invalid', async () => {
    await testbed.instance({ proxyConfig });
    await testbed.until('ProxyConfigured', 'Configured');
    await testbed.patch({ spec: { proxyConfig: { base: { inline: 'model_list: [' } } } });
    const condition = await testbed.until('ProxyConfigured', 'BaseInvalid');
    expect(condition.message).to.include('not valid YAML at line 1');
    expect(await config()).to.deep.equal({ model_list: [] });
  });

  it('and adds the guardrail only when it runs and the gateway has its key', async () => {
    await testbed.apply(gatewayManifest());
    await testbed.instance({ proxyConfig, workloadRef: { name: 'litellm' }, guardrail: { mode: 'Deployment' } });
    await testbed.until('ProxyConfigured', 'GuardrailNotDeployed');
    expect(await config()).to.not.have.property('guardrails');
    await testbed.rollOut(guardrail);
    const condition = await testbed.until('ProxyConfigured', 'KeyNotMounted');
    expect(condition.message).to.include(
      `{name: GUARDRAIL_API_KEY, valueFrom: {secretKeyRef: {name: ${guardrail}-api-key, key: api-key}}}`,
    );
    expect(await config()).to.not.have.property('guardrails');
    await testbed.apply(gatewayManifest({ hasKey: true }));
    await eventually(async () => {
      expect(await config()).to.have.nested.property(
        'guardrails[0].litellm_params.api_base',
        `http://${guardrail}.${testbed.namespace}.svc:8080`,
      );
    });
    await testbed.until('ProxyConfigured', 'RollingOut');
    await testbed.rollOut('litellm');
    await testbed.until('ProxyConfigured', 'Configured');
    await testbed.until('Ready', 'Ready');
    const weak = `include: [more.yaml]
guardrails: [{ guardrail_name: gateway-guardrail, litellm_params: { fail_on_error: false, "a value": 1 } }]`;
    await testbed.patch({ spec: { proxyConfig: { base: { inline: weak } } } });
    await testbed.until('ProxyConfigured', 'RollingOut');
    await testbed.rollOut('litellm');
    expect((await testbed.until('ProxyConfigured', 'Configured')).message).to.equal(
      'Every pod of the gateway runs with its configuration. ' +
        'The operator removed settings that let requests bypass the guardrail: litellm_params.fail_on_error, ' +
        'a key with an unusual name. Remove them from the base. ' +
        'The operator does not check files under include. Make sure that they change neither guardrails nor policies.',
    );
    // An unreachable guardrail stays in the configuration: the gateway fails closed.
    await testbed.apps.deleteNamespacedDeployment({ name: guardrail, namespace: testbed.namespace });
    await testbed.until('GuardrailReady', 'RollingOut');
    expect(await config()).to.have.nested.property('guardrails[0].litellm_params.unreachable_fallback', 'fail_closed');
  });

  async function admin(path: string, body: object): Promise<unknown> {
    const answer = await fetch(`${testbed.gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.json();
  }

  async function budget(id: string): Promise<Record<string, unknown> | undefined> {
    return ((await admin('/budget/info', { budgets: [id] })) as Record<string, unknown>[])[0];
  }
});
