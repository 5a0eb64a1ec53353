/** How an instance is reconciled: its gateway, its customers, its pause and its deletion. */
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import type { GatewayInstanceSpec } from '../api/v1alpha1/v1alpha1.ts';
import { annotations, API_VERSION, FINALIZER } from '../api/v1alpha1/v1alpha1.ts';
import { slowBases } from '../configuration/testing/slowBases.ts';
import { startTestProxy, type TestProxy } from '../gateway/testing/testProxy.ts';
import { MAX_YAML_BYTES } from '../../guardrail/guardrail.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { withoutLongBlocks } from '../runtime/testing/eventLoopBlocks.ts';
import { gatewayManifest } from './testing/gatewayManifest.ts';
import { installCrds, withoutInstanceRules } from '../api/testing/installCrds.ts';
import { failure, MASTER_KEY, Testbed } from './testing/harness.ts';

const guardrail = 'main-guardrail';

/** The budget rows that were deleted through a proxy. */
function deletedRows({ calls }: TestProxy): unknown[] {
  return calls.filter(({ path }) => path === '/budget/delete').map(({ body }) => body.id);
}

describe('GatewayInstance', function () {
  this.timeout(90_000);
  const plane = withControlPlane();
  let testbed: Testbed;

  before(() => installCrds(plane()));
  beforeEach(async () => {
    testbed = await Testbed.start(plane());
  });
  afterEach(() => testbed.stop());

  describe('finds its gateway', () => {
    it('at an endpoint, with its key', async () => {
      await testbed.instance();
      const condition = await testbed.until('Reachable', 'Reachable');
      expect(condition.status).to.equal('True');
      await testbed.until('Ready', 'Ready');
      const { status, metadata } = await testbed.read();
      expect(status).to.include({ endpoint: testbed.gateway.url, observedGeneration: metadata.generation });
      expect(status?.customers).to.deep.equal({ total: 0, synced: 0, failed: 0 });
      expect(status).to.not.have.property('guardrail');
    });

    it('and reports a remedy for what is missing', async () => {
      const cases = [
        [
          'no-secret',
          { masterKeySecretRef: { name: 'none', key: 'a' } },
          'SecretNotFound',
          'Secret none does not exist',
        ],
        [
          'no-key',
          { masterKeySecretRef: { name: 'gateway', key: 'a' } },
          'SecretKeyMissing',
          'has no value under key a',
        ],
        [
          'no-service',
          { endpoint: undefined, serviceRef: { name: 'none' } },
          'ServiceNotFound',
          'Service none does not exist',
        ],
        ['no-gateway', { endpoint: 'http://127.0.0.1:1' }, 'GatewayUnreachable', ''],
      ] as const;
      for (const [name, spec] of cases) await testbed.instance(spec as Partial<GatewayInstanceSpec>, name);
      for (const [name, , reason, message] of cases) {
        const condition = await testbed.until('Reachable', reason, name);
        expect(condition).to.include({ status: 'False' });
        expect(condition.message).to.include(message);
        expect((await testbed.until('Ready', 'NotReachable', name)).message).to.equal(condition.message);
      }
    });

    it('again after a wrong key is corrected, which no watch reports', async () => {
      await testbed.secret('wrong', { key: 'sk-wrong' });
      await testbed.instance({ masterKeySecretRef: { name: 'wrong', key: 'key' } });
      await testbed.until('Reachable', 'GatewayUnauthorized');
      await testbed.secret('wrong', { key: `${MASTER_KEY}\n` });
      await testbed.until('Reachable', 'Reachable');
    });
  });

  it('counts its customers, and keeps its finalizer while it has any', async () => {
    await testbed.instance();
    await testbed.customer('one', true);
    await testbed.customer('two', false);
    await testbed.customer('three');
    // In a namespace that the instance does not allow: it blocks nothing.
    await testbed.guest('four');
    await eventually(async () => {
      expect((await testbed.read()).status?.customers).to.deep.equal({ total: 3, synced: 1, failed: 1 });
    });
    await testbed.remove();
    const condition = await testbed.until('Ready', 'CustomersRemain');
    expect(condition.message).to.include('3 GatewayCustomers refer to this instance');
    for (const name of ['one', 'two', 'three']) await testbed.removeCustomer(name);
    await testbed.untilGone();
  });

  it('keeps its finalizer while it has a key at the gateway', async () => {
    await testbed.instance();
    await testbed.until('Ready', 'Ready');
    const key = {
      ...{ apiVersion: API_VERSION, kind: 'GatewayKey' },
      metadata: { name: 'app', namespace: testbed.namespace, finalizers: [FINALIZER] },
      spec: { instanceRef: { name: 'main' }, secretRef: { name: 'app', key: 'key' } },
    };
    await plane().kubectl(['create', '-f', '-'], JSON.stringify(key));
    await testbed.remove();
    expect((await testbed.until('Ready', 'KeysRemain')).message).to.include('1 GatewayKey belongs to this instance');
    const patch = JSON.stringify({ metadata: { finalizers: null } });
    await plane().kubectl(['patch', 'gkey', 'app', `-n${testbed.namespace}`, '--type=merge', '-p', patch]);
    await testbed.untilGone();
  });

  it('is not delayed by expensive configurations and policies of other instances', async () => {
    const bases = slowBases(MAX_YAML_BYTES);
    const texts = {
      keys: bases['many keys'],
      faults: bases['many faults'],
      long: `a: ${'x'.repeat(1_000_000)}`,
    };
    const ref = (name: string): { configMapRef: { name: string; key: string } } => ({
      configMapRef: { name, key: 'a' },
    });
    for (const [name, text = ''] of Object.entries(texts)) {
      await testbed.configMap(name, { a: text });
    }
    await withoutLongBlocks(async () => {
      for (const name of Object.keys(texts)) {
        const proxyConfig = { base: ref(name), configMapName: `of-${name}` };
        const guardrailOf = name === 'keys' ? { guardrail: { policy: ref('keys') } } : {};
        await testbed.instance({ proxyConfig, ...guardrailOf }, name);
      }
      await testbed.instance();
      await testbed.until('Ready', 'Ready');
      const { message } = await testbed.until('GuardrailReady', 'PolicyInvalid', 'keys', 60_000);
      expect(message).to.include('The first 20 are shown.');
    });
    const { message } = await testbed.until('ProxyConfigured', 'BaseInvalid', 'long');
    expect(message).to.equal(
      "The gateway's configuration (spec.proxyConfig.base) is 977 KiB long, but the limit is 256 KiB: shorten it.",
    );
    await testbed.until('ProxyConfigured', 'BaseInvalid', 'faults');
  });

  it('reports errors of a spec that was stored before the CRD had the rule', async () => {
    const rules = ['masterKeySecretRef/properties/name/pattern', 'syncInterval/x-kubernetes-validations'];
    await withoutInstanceRules(plane(), rules, async () => {
      // The API server applies the change a moment later.
      await eventually(() => testbed.instance({ masterKeySecretRef: { name: '..', key: 'a' } }, 'dots'));
      await eventually(() => testbed.instance({ syncInterval: 'sk-soon' }, 'soon'));
      await testbed.instance({ masterKeySecretRef: { name: 'a\u001b[31m/b', key: 'a' } }, 'red');
    });
    expect((await testbed.until('Reachable', 'SecretNotFound', 'dots')).message).to.include(
      'Secret .. does not exist in',
    );
    expect((await testbed.until('Reachable', 'SecretNotFound', 'red')).message).to.include(
      'Secret a\\u{1b}[31m/b does not exist in',
    );
    const { message } = await testbed.until('Ready', 'InternalError', 'soon');
    expect(message).to.equal(
      'The reconcile failed with an internal error (RangeError). The operator retries; see its log.',
    );
    await eventually(async () => {
      expect(await testbed.events('soon')).to.deep.equal(['InternalError']);
    });
    await testbed.patch({ spec: { syncInterval: '5m' } }, 'soon');
    await testbed.until('Ready', 'Ready', 'soon');
  });

  it('removes its finalizer when it is force-deleted', async () => {
    await testbed.instance();
    await testbed.until('Ready', 'Ready');
    await testbed.customer('one');
    await testbed.remove();
    await testbed.until('Ready', 'CustomersRemain');
    await testbed.patch({ metadata: { annotations: { [annotations.forceDelete]: 'true' } } });
    await testbed.untilGone();
  });

  it('does nothing while it is paused', async () => {
    await testbed.instance({ guardrail: {} });
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.patch({ metadata: { annotations: { [annotations.paused]: 'true' } } });
    await testbed.until('Ready', 'Paused');
    await testbed.apps.deleteNamespacedDeployment({ name: guardrail, namespace: testbed.namespace });
    await testbed.patch({ metadata: { annotations: { other: '1' } } });
    await testbed.customer('one');
    await eventually(async () => {
      expect((await testbed.read()).status?.customers?.total).to.equal(1);
    });
    expect(await failure(testbed.deployment(guardrail))).to.include('404');
    await testbed.patch({ metadata: { annotations: { [annotations.paused]: null } } });
    await eventually(() => testbed.deployment(guardrail));
  });

  describe('paused, and deleted', () => {
    const proxyConfig = { base: { inline: 'model_list: []\n' }, configMapName: 'litellm-config' };
    let proxy: TestProxy;
    beforeEach(async () => {
      proxy = await startTestProxy(testbed.gateway.url);
      await testbed.apply(gatewayManifest({ hasKey: true }));
      const budget = { defaultCustomerBudget: { maxBudget: 5 }, guardrail: {} };
      await testbed.instance({ endpoint: proxy.url, proxyConfig, workloadRef: { name: 'litellm' }, ...budget });
      await testbed.until('ProxyConfigured', 'RollingOut');
      await testbed.rollOut('litellm');
      await testbed.until('Ready', 'Ready');
      // All objects exist before the pause: a paused instance gets no list of who may call.
      await testbed.versions();
      await testbed.patch({ metadata: { annotations: { [annotations.paused]: 'true' } } });
      expect((await testbed.until('Ready', 'Paused')).message).not.to.include('deletion');
    });
    afterEach(() => proxy.stop());

    it('keeps all its objects, force-deleted or not, and is finalized at once after the pause', async () => {
      const before = await testbed.versions();
      proxy.calls.length = 0;
      await testbed.patch({ metadata: { annotations: { [annotations.forceDelete]: 'true' } } });
      await testbed.remove();
      await eventually(async () => {
        const ready = (await testbed.read()).status?.conditions?.find(({ type }) => type === 'Ready');
        expect(ready).to.include({ status: 'False', reason: 'Paused' });
        expect(ready?.message).to.include('the deletion waits').and.include(annotations.paused);
      });
      expect(proxy.calls).to.deep.equal([]);
      expect(await testbed.versions()).to.deep.equal(before);
      testbed.holdIntervals();
      await testbed.patch({
        metadata: { annotations: { [annotations.paused]: null, [annotations.forceDelete]: null } },
      });
      await testbed.untilGone();
      // A watch event of the Deployment can start another finalization before the cache loses the instance.
      expect(new Set(deletedRows(proxy))).to.have.property('size', 1);
      expect((await testbed.deployment('litellm')).spec?.template.spec?.initContainers).to.equal(undefined);
    });

    it('is not cleaned up at the gateway if its finalizer is removed by hand', async () => {
      proxy.calls.length = 0;
      await testbed.patch({ metadata: { finalizers: null } });
      await testbed.remove();
      // Only the Deployment is released: its pods mount objects that the garbage collector deletes with the instance.
      await eventually(async () => {
        expect((await testbed.deployment('litellm')).spec?.template.spec?.initContainers).to.equal(undefined);
      });
      // Another instance of the name handles what was recorded of the former one.
      await testbed.instance({ endpoint: proxy.url });
      await testbed.until('Ready', 'Ready');
      expect(deletedRows(proxy)).to.deep.equal([]);
    });
  });

  it('writes nothing in a reconcile without drift', async () => {
    await testbed.apply(gatewayManifest({ hasKey: true }));
    const proxyConfig = { base: { inline: 'model_list: []\n' }, configMapName: 'litellm-config' };
    const spec = { proxyConfig, workloadRef: { name: 'litellm' }, defaultCustomerBudget: { maxBudget: 1 } };
    await testbed.instance({
      ...spec,
      guardrail: { mode: 'Deployment', policy: { inline: 'entities: {PERSON: block}' } },
    });
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.rollOut(guardrail);
    await testbed.until('ProxyConfigured', 'RollingOut');
    await testbed.rollOut('litellm');
    await testbed.until('Ready', 'Ready');
    const before = await testbed.versions();
    // A change without effect still starts a complete reconcile.
    await testbed.look();
    await testbed.customer('one');
    await eventually(async () => {
      expect((await testbed.read()).status?.customers?.total).to.equal(1);
    });
    expect(await testbed.versions()).to.deep.equal(before);
  });
});
