import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { parse } from 'yaml';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import type { GatewayInstanceSpec } from '../api/v1alpha1/v1alpha1.ts';
import { annotations, gatewayInstanceNames, GROUP } from '../api/v1alpha1/v1alpha1.ts';
import { startTestProxy, type TestProxy } from '../gateway/testing/testProxy.ts';
import { MAX_YAML_BYTES, policyRevision } from '../../guardrail/guardrail.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { withoutLongBlocks } from '../runtime/testing/eventLoopBlocks.ts';
import { installCrds, MASTER_KEY, Testbed } from './testing/harness.ts';
import { slowBases } from '../configuration/testing/slowBases.ts';

const guardrail = 'main-guardrail';

/** The gateway as its owner deploys it. */
function proxyManifest(more: { env?: string; volumes?: string; initContainers?: string } = {}): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: litellm, labels: {app: litellm}}
spec:
  selector: {matchLabels: {app: litellm}}
  template:
    metadata: {labels: {app: litellm}}
    spec:
      ${more.initContainers === undefined ? '' : `initContainers: ${more.initContainers}`}
      containers:
        - name: litellm
          image: litellm:1
          ${more.env === undefined ? '' : `env: ${more.env}`}
          ${more.volumes === undefined ? '' : 'volumeMounts: [{name: config, mountPath: /etc/litellm}]'}
      ${more.volumes === undefined ? '' : `volumes: ${more.volumes}`}
`;
}
const keyMounted = `[{name: GUARDRAIL_API_KEY, valueFrom: {secretKeyRef: {name: ${guardrail}-api-key, key: api-key}}}]`;
const redis = { urlSecretRef: { name: 'redis', key: 'url' } };
const configMounted = '[{name: config, configMap: {name: litellm-config}}]';

/** The budget rows that were deleted through a proxy. */
function deletedRows({ calls }: TestProxy): unknown[] {
  return calls.filter(({ path }) => path === '/budget/delete').map(({ body }) => body.id);
}

async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return String(error);
  }
  return '';
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

    for (const [what, spec, reason, message] of [
      [
        'a Secret that does not exist',
        { masterKeySecretRef: { name: 'none', key: 'a' } },
        'SecretNotFound',
        'Secret none does not exist in namespace',
      ],
      [
        'a key that does not exist',
        { masterKeySecretRef: { name: 'gateway', key: 'a' } },
        'SecretKeyMissing',
        'Secret gateway has no value under key a. Add the value, or correct spec.masterKeySecretRef.key.',
      ],
      [
        'a Service that does not exist',
        { endpoint: undefined, serviceRef: { name: 'none' } },
        'ServiceNotFound',
        'Service none does not exist in namespace',
      ],
      ['a gateway that is unreachable', { endpoint: 'http://127.0.0.1:1' }, 'GatewayUnreachable', ''],
    ] as const) {
      it(`and reports a remedy for ${what}`, async () => {
        await testbed.instance(spec as Partial<GatewayInstanceSpec>);
        const condition = await testbed.until('Reachable', reason);
        expect(condition).to.include({ status: 'False' });
        expect(condition.message).to.include(message);
        expect((await testbed.until('Ready', 'NotReachable')).message).to.equal(condition.message);
      });
    }

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
    await eventually(async () => {
      expect(await failure(testbed.read())).to.include('404');
    });
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
    const crd = `crd/${gatewayInstanceNames.plural}.${GROUP}`;
    const properties = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';
    const unchecked = [
      { op: 'remove', path: `${properties}/masterKeySecretRef/properties/name/pattern` },
      { op: 'remove', path: `${properties}/syncInterval/x-kubernetes-validations` },
    ];
    await plane().kubectl(['patch', crd, '--type=json', '-p', JSON.stringify(unchecked)]);
    try {
      // The API server applies the change a moment later.
      await eventually(() => testbed.instance({ masterKeySecretRef: { name: '..', key: 'a' } }, 'dots'));
      await eventually(() => testbed.instance({ syncInterval: 'sk-soon' }, 'soon'));
      await testbed.instance({ masterKeySecretRef: { name: 'a\u001b[31m/b', key: 'a' } }, 'red');
    } finally {
      await installCrds(plane());
    }
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
    await eventually(async () => {
      expect(await failure(testbed.read())).to.include('404');
    });
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
      await testbed.apply(proxyManifest({ env: keyMounted, volumes: configMounted }));
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
      await eventually(async () => {
        expect(await failure(testbed.read())).to.include('404');
      });
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
    await testbed.apply(proxyManifest({ env: keyMounted, volumes: configMounted }));
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
    await testbed.patch({ metadata: { annotations: { look: 'again' } } });
    await testbed.customer('one');
    await eventually(async () => {
      expect((await testbed.read()).status?.customers?.total).to.equal(1);
    });
    expect(await testbed.versions()).to.deep.equal(before);
  });

  describe('runs a guardrail as a Deployment', () => {
    it('with all its objects, owned and restricted', async () => {
      const inline = 'entities: {PERSON: block}\n';
      await testbed.instance({ guardrail: { policy: { inline } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.rollOut(guardrail);
      await testbed.until('GuardrailReady', 'Ready');
      const { status, metadata } = await testbed.read();
      expect(status?.guardrail).to.deep.equal({
        mode: 'Deployment',
        integration: 'Callback',
        endpoint: `http://${guardrail}.${testbed.namespace}.svc:8080`,
        clientEndpoint: testbed.gateway.url,
        apiKeySecretName: `${guardrail}-api-key`,
        enforcement: 'Enforce',
        policyRevision: policyRevision(inline),
      });
      const kinds = 'deployment,service,serviceaccount,configmap,secret,pdb,networkpolicy';
      interface Owned {
        readonly kind: string;
        readonly metadata: { readonly name: string; readonly ownerReferences: object[] };
        readonly spec?: { readonly ingress?: object[] };
      }
      const { items } = JSON.parse(
        await plane().kubectl(['get', kinds, '-n', testbed.namespace, '-l', `${GROUP}/instance=main`, '-o', 'json']),
      ) as { items: Owned[] };
      // Another controller writes the list of who may call.
      const owned = items.filter(({ metadata: { name } }) => !name.startsWith(`${guardrail}-customers-`));
      // Calls and metrics have a port and a rule each.
      const { spec: policy } = owned.find(({ kind }) => kind === 'NetworkPolicy') ?? {};
      expect(policy?.ingress).to.have.length(2);
      expect(owned.map(({ kind }) => kind)).to.have.members([
        'Deployment',
        'Service',
        'ServiceAccount',
        'ConfigMap',
        'Secret',
        'Secret',
        'PodDisruptionBudget',
        'NetworkPolicy',
      ]);
      for (const { metadata: child } of owned) {
        expect(child.ownerReferences).to.have.length(1);
        expect(child.ownerReferences[0]).to.include({ uid: metadata.uid, controller: true });
      }
      // The API server's Pod Security admission checks a pod of the template.
      await plane().kubectl(['label', 'namespace', testbed.namespace, 'pod-security.kubernetes.io/enforce=restricted']);
      expect(await testbed.tryPod(guardrail)).to.equal('');
    });

    it('with keys that are generated once', async () => {
      await testbed.instance({ guardrail: {} });
      await testbed.until('GuardrailReady', 'RollingOut');
      const names = [`${guardrail}-api-key`, `${guardrail}-keys`];
      const keys = await Promise.all(names.map((name) => testbed.readSecret(name)));
      await testbed.patch({ spec: { guardrail: { recall: 'Thorough' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await Promise.all(names.map((name) => testbed.readSecret(name)))).to.deep.equal(keys);
    });

    it('and corrects changes of its fields, and keeps additional ones', async () => {
      await testbed.instance({ guardrail: {} });
      await testbed.until('GuardrailReady', 'RollingOut');
      const at = ['-n', testbed.namespace];
      await plane().kubectl(['annotate', 'deployment', guardrail, 'others=1', ...at]);
      await plane().kubectl(['set', 'env', 'deployment', guardrail, 'GUARDRAIL_STORE=redis://elsewhere', ...at]);
      await plane().kubectl(['delete', 'service', guardrail, ...at]);
      await eventually(async () => {
        const { spec, metadata } = await testbed.deployment(guardrail);
        const env = spec?.template.spec?.containers[0]?.env ?? [];
        expect(env.find(({ name }) => name === 'GUARDRAIL_STORE')?.value).to.equal('memory');
        expect(metadata?.annotations).to.include({ others: '1' });
        await testbed.core.readNamespacedService({ name: guardrail, namespace: testbed.namespace });
      });
    });

    it('and deletes everything when it is removed from the spec', async () => {
      const column = async (): Promise<string | undefined> => {
        const [head = '', row = ''] = (await plane().kubectl(['get', 'ginst', '-n', testbed.namespace])).split('\n');
        return row.slice(head.indexOf('GUARDRAIL'), head.indexOf('AGE')).trim();
      };
      await testbed.instance({ guardrail: { policy: { inline: 'entities: {PERSON: block}' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await column()).to.equal('False');
      await testbed.rollOut(guardrail);
      await testbed.until('GuardrailReady', 'Ready');
      expect(await column()).to.equal('True');
      await testbed.patch({ spec: { guardrail: null } });
      await testbed.until('GuardrailReady', 'NotRequested');
      expect(await column()).to.equal('');
      await eventually(async () => {
        const kinds = 'deployment,service,serviceaccount,configmap,secret,pdb,networkpolicy';
        const left = await plane().kubectl([
          'get',
          kinds,
          '-n',
          testbed.namespace,
          '-l',
          `${GROUP}/instance=main`,
          '-o',
          'name',
        ]);
        expect(left).to.equal('');
      });
    });

    async function generation(): Promise<number | undefined> {
      const { metadata } = await testbed.deployment(guardrail);
      return metadata?.generation;
    }

    it('with an autoscaler, which owns the number of replicas', async () => {
      await testbed.secret('redis', { url: 'redis://redis:6379' });
      await testbed.instance({ guardrail: { redis, autoscaling: { maxReplicas: 5 } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      const at = ['-n', testbed.namespace];
      await plane().kubectl(['scale', 'deployment', guardrail, '--replicas=4', ...at]);
      await testbed.patch({ spec: { guardrail: { recall: 'Precise' } } });
      await eventually(async () => {
        const { spec } = await testbed.deployment(guardrail);
        const env = spec?.template.spec?.containers[0]?.env ?? [];
        expect(env.find(({ name }) => name === 'GUARDRAIL_RECALL')?.value).to.equal('precise');
        expect(spec?.replicas).to.equal(4);
      });
      const path = '-o=jsonpath={.spec.minReplicas}-{.spec.maxReplicas}';
      expect(await plane().kubectl(['get', 'hpa', guardrail, path, ...at])).to.equal('2-5');
    });

    it('that keeps its replicas when an autoscaler is added', async () => {
      await testbed.secret('redis', { url: 'redis://redis:6379' });
      await testbed.instance({ guardrail: { redis, replicas: 4 } });
      await testbed.until('GuardrailReady', 'RollingOut');
      const counts: (number | undefined)[] = [];
      const watching = (async () => {
        for (let look = 0; look < 40; look++) counts.push((await testbed.deployment(guardrail)).spec?.replicas);
      })();
      await testbed.patch({ spec: { guardrail: { replicas: null, autoscaling: { maxReplicas: 6 } } } });
      await eventually(() => plane().kubectl(['get', 'hpa', guardrail, '-n', testbed.namespace]));
      await watching;
      expect(new Set(counts)).to.deep.equal(new Set([4]));
      await plane().kubectl(['scale', 'deployment', guardrail, '--replicas=5', '-n', testbed.namespace]);
      await testbed.patch({ spec: { guardrail: { recall: 'Precise' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect((await testbed.deployment(guardrail)).spec?.replicas).to.equal(5);
      await testbed.patch({ spec: { guardrail: { replicas: 3, autoscaling: null } } });
      await eventually(async () => {
        expect((await testbed.deployment(guardrail)).spec?.replicas).to.equal(3);
      });
    });

    it('and rolls it out when the address of Redis changes, which no watch reports', async () => {
      await testbed.secret('redis', { url: 'redis://one:6379' });
      await testbed.instance({ guardrail: { redis } });
      await testbed.until('GuardrailReady', 'RollingOut');
      const before = await generation();
      await testbed.secret('redis', { url: 'redis://other:6379' });
      await testbed.patch({ metadata: { annotations: { look: 'again' } } });
      await eventually(async () => {
        expect(await generation()).to.not.equal(before);
      });
    });

    it('with a key for each tool that may restore, which goes with the tool', async () => {
      const restore = [{ name: 'crm', sessions: 'Gateway' as const, types: ['PERSON'] }];
      await testbed.instance({ guardrail: { restore } });
      await testbed.until('GuardrailReady', 'RollingOut');
      const secret = (): Promise<Record<string, string>> => testbed.readSecret(`${guardrail}-api-key`);
      const { 'api-key': own, 'api-keys': accepted, 'restore-crm': key } = await secret();
      expect(key).to.match(/^gk-/).and.not.equal(own);
      expect(accepted).to.equal(`proxy:${own}\ncrm:${key}\n`);
      const env = (await testbed.deployment(guardrail)).spec?.template.spec?.containers[0]?.env;
      expect(env).to.deep.include({ name: 'GUARDRAIL_RESTORE_KEYS', value: 'crm@proxy:PERSON' });
      await testbed.patch({ spec: { guardrail: { restore: null } } });
      // A pod of the earlier template that restarts needs a key for the tool, which nobody has.
      await eventually(async () => {
        const { 'api-keys': during, ...others } = await secret();
        expect(others).to.deep.equal({ 'api-key': own });
        expect(during).to.match(new RegExp(`^proxy:${own}\ncrm:revoked-.{20,}\n$`));
      });
      await eventually(async () => {
        const env = (await testbed.deployment(guardrail)).spec?.template.spec?.containers[0]?.env;
        expect(env?.map(({ name }) => name)).to.not.include('GUARDRAIL_RESTORE_KEYS');
      });
      await testbed.rollOut(guardrail);
      await eventually(async () => {
        expect(await secret()).to.deep.equal({ 'api-key': own, 'api-keys': `proxy:${own}\n` });
      });
    });

    it('with the token of its metrics, and rolls it out when the token changes to a valid one', async () => {
      await testbed.secret('scrape', { token: 'a token of the metrics'.replaceAll(' ', '-') });
      await testbed.instance({ guardrail: { metricsTokenSecretRef: { name: 'scrape', key: 'token' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      const before = await generation();
      await testbed.secret('scrape', { token: 'short' });
      await testbed.patch({ metadata: { annotations: { look: 'again' } } });
      const { message } = await testbed.until('GuardrailReady', 'MetricsSecretInvalid');
      expect(message).to.contain('at least 16 visible').and.not.contain('short');
      expect(await generation()).to.equal(before);
      await testbed.secret('scrape', { token: 'another-token-of-metrics' });
      await testbed.patch({ metadata: { annotations: { look: 'once more' } } });
      await eventually(async () => {
        expect(await generation()).to.not.equal(before);
      });
    });

    it('without the headers for a collector, and rolls it out when they appear and change', async () => {
      const headersSecretRef = { name: 'otlp', key: 'headers' };
      await testbed.instance({ guardrail: { telemetry: { endpoint: 'http://collector:4318', headersSecretRef } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      for (const headers of ['api-key=one', 'api-key=other']) {
        const before = await generation();
        await testbed.secret('otlp', { headers });
        await testbed.patch({ metadata: { annotations: { look: headers } } });
        await eventually(async () => {
          expect(await generation()).to.not.equal(before);
        });
      }
    });

    it('whose new encryption key is loaded by every pod before any pod encrypts with it', async () => {
      await testbed.secret('redis', { url: 'redis://redis:6379' });
      await testbed.instance({ guardrail: { redis } });
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.rollOut(guardrail);
      await testbed.until('GuardrailReady', 'Ready');
      const ring = async (): Promise<string[]> =>
        ((await testbed.readSecret(`${guardrail}-keys`))['encryption-keys'] ?? '').trim().split('\n');
      const [old] = await ring();
      await testbed.patch({ metadata: { annotations: { [annotations.rotateEncryptionKey]: 'one' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      const during = await ring();
      expect(during).to.have.length(2);
      expect(during[0], 'the old one still encrypts').to.equal(old);
      await testbed.rollOut(guardrail);
      await testbed.until('GuardrailReady', 'Ready');
      const rolled = await generation();
      const due = '-o=jsonpath={.metadata.annotations}';
      await eventually(async () => {
        expect(await plane().kubectl(['get', 'secret', `${guardrail}-keys`, '-n', testbed.namespace, due])).to.include(
          'due',
        );
      });
      expect((await ring())[0], 'terminating pods may still use it').to.equal(old);
      testbed.advance(60_000);
      await testbed.patch({ metadata: { annotations: { look: 'again' } } });
      await eventually(async () => {
        expect(await ring()).to.deep.equal([during[1], old]);
      });
      expect(await generation(), 'no second roll').to.equal(rolled);
    });

    it('whose single pod with a store in memory accepts a new API key before the gateway gets it', async () => {
      let pod = 401;
      const asked: string[] = [];
      const server = createServer((request, response) => {
        // Calls of the operator have a key. Others are for an earlier server at this port.
        const key = request.headers['x-api-key'];
        if (typeof key === 'string') asked.push(key);
        response.writeHead(pod).end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const other = await Testbed.start(plane(), () => `http://127.0.0.1:${port}`);
      try {
        await other.instance({ guardrail: {} });
        await other.until('GuardrailReady', 'RollingOut');
        const keys = async (): Promise<Record<string, string>> => other.readSecret(`${guardrail}-api-key`);
        const before = await keys();
        expect(asked, 'no call without a rotation').to.deep.equal([]);
        await other.patch({ metadata: { annotations: { [annotations.rotateApiKey]: 'one' } } });
        await other.patch({ metadata: { annotations: { look: 'again' } } });
        await eventually(() => {
          expect(asked).to.not.deep.equal([]);
        });
        const during = await keys();
        expect(during['api-key'], 'the pod rejects the new key').to.equal(before['api-key']);
        expect(during['api-keys']).to.include(before['api-key']).and.to.include(asked[0]);
        pod = 404;
        await other.patch({ metadata: { annotations: { look: 'once more' } } });
        await eventually(async () => {
          expect((await keys())['api-key']).to.equal(asked[0]);
        });
      } finally {
        await other.stop();
        server.close();
      }
    });

    it('with a ServiceMonitor if the kind exists', async () => {
      const crd = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'servicemonitors.monitoring.coreos.com' },
        spec: {
          group: 'monitoring.coreos.com',
          scope: 'Namespaced',
          names: { kind: 'ServiceMonitor', plural: 'servicemonitors', singular: 'servicemonitor' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          ],
        },
      };
      await plane().kubectl(['apply', '-f', '-'], JSON.stringify(crd));
      try {
        await plane().kubectl(['wait', '--for=condition=Established', '--timeout=30s', `crd/${crd.metadata.name}`]);
        const monitors = async (): Promise<string> =>
          plane().kubectl(['get', crd.metadata.name, '-n', testbed.namespace, '-o', 'name']);
        await eventually(monitors);
        await testbed.instance({ guardrail: {} });
        await testbed.until('GuardrailReady', 'RollingOut');
        expect(await monitors()).to.include(guardrail);
        await testbed.patch({ spec: { guardrail: null } });
        await eventually(async () => {
          expect(await monitors()).to.equal('');
        });
      } finally {
        await plane().kubectl(['delete', 'crd', crd.metadata.name]);
      }
    });

    for (const [what, spec, reason, message] of [
      [
        'Memory with 3 replicas',
        { replicas: 3 },
        'RedisRequired',
        'A guardrail with 3 replicas needs a store that all pods share. Set spec.guardrail.redis',
      ],
      [
        'Memory with an autoscaler',
        { autoscaling: { maxReplicas: 3 } },
        'RedisRequired',
        'An autoscaled guardrail needs a store',
      ],
      [
        'a Redis Secret that does not exist',
        { redis: { urlSecretRef: { name: 'none', key: 'url' } } },
        'RedisSecretMissing',
        'Secret none does not exist in namespace',
      ],
      [
        'a token of metrics that does not exist',
        { metricsTokenSecretRef: { name: 'none', key: 'token' } },
        'MetricsSecretMissing',
        'Secret none does not exist in namespace',
      ],
      [
        'a policy that does not parse',
        { policy: { inline: 'a: [' } },
        'PolicyInvalid',
        'spec.guardrail.policy has an error: Line 1 is not valid YAML',
      ],
      [
        'a policy with an unknown action',
        { policy: { inline: 'entities: {PERSON: hide}' } },
        'PolicyInvalid',
        'entities.PERSON must be pseudonymize, block or ignore',
      ],
      [
        'a policy that does not exist',
        { policy: { configMapRef: { name: 'none', key: 'a' } } },
        'PolicyNotFound',
        'ConfigMap none with key a does not exist',
      ],
    ] as const) {
      it(`and keeps the running one while the spec requests ${what}`, async () => {
        await testbed.instance({ guardrail: {} });
        await testbed.until('GuardrailReady', 'RollingOut');
        await testbed.rollOut(guardrail);
        await testbed.until('GuardrailReady', 'Ready');
        const before = await testbed.deployment(guardrail);
        await testbed.patch({ spec: { guardrail: spec } });
        const condition = await testbed.until('GuardrailReady', reason);
        expect(condition.message).to.include(message);
        const after = await testbed.deployment(guardrail);
        expect(after.metadata?.generation).to.equal(before.metadata?.generation);
        expect((await testbed.read()).status?.guardrail?.endpoint).to.include(guardrail);
      });
    }

    it('and does not change an object of the name that has another owner', async () => {
      await testbed.configMap(guardrail, { theirs: '1' });
      await testbed.instance({ guardrail: { policy: { inline: 'entities: {PERSON: block}' } } });
      const condition = await testbed.until('GuardrailReady', 'NameTaken');
      expect(condition.message).to.include(`ConfigMap ${guardrail} exists and does not belong to this instance`);
      const map = await testbed.core.readNamespacedConfigMap({ name: guardrail, namespace: testbed.namespace });
      expect(map.data).to.deep.equal({ theirs: '1' });
    });
  });

  describe('writes the configuration of the gateway', () => {
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
      const look = (): Promise<void> => testbed.patch({ metadata: { annotations: { look: String(Math.random()) } } });
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
      await look();
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
        await testbed.patch({ metadata: { annotations: { look: 'again' } } });
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
        await eventually(async () => {
          expect(await failure(testbed.read())).to.include('404');
        });
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
        await eventually(async () => {
          expect(await failure(testbed.read())).to.include('404');
        });
        await testbed.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: { maxBudget: 5 } }, 'next');
        await testbed.until('DefaultBudgetEnforced', 'Enforced', 'next');
        expect(rowsMade()).to.deep.equal([`gcust-default-${(await testbed.read('next')).metadata.uid}`]);
      });
    });

    it('with a tier, and reports a tier that does not exist', async () => {
      await testbed.instance({ proxyConfig, defaultCustomerBudget: { budgetId: 'gold' } });
      await testbed.until('DefaultBudgetEnforced', 'BudgetNotFound');
      await admin('/budget/new', { budget_id: 'gold', max_budget: 1 });
      await testbed.patch({ metadata: { annotations: { look: 'again' } } });
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
      await testbed.apply(proxyManifest({ volumes: configMounted }));
      await testbed.instance({ proxyConfig, workloadRef: { name: 'litellm' }, guardrail: { mode: 'Deployment' } });
      await testbed.until('ProxyConfigured', 'GuardrailNotDeployed');
      expect(await config()).to.not.have.property('guardrails');
      await testbed.rollOut(guardrail);
      const condition = await testbed.until('ProxyConfigured', 'KeyNotMounted');
      expect(condition.message).to.include(
        `{name: GUARDRAIL_API_KEY, valueFrom: {secretKeyRef: {name: ${guardrail}-api-key, key: api-key}}}`,
      );
      expect(await config()).to.not.have.property('guardrails');
      await testbed.apply(proxyManifest({ volumes: configMounted, env: keyMounted }));
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
      expect(await config()).to.have.nested.property(
        'guardrails[0].litellm_params.unreachable_fallback',
        'fail_closed',
      );
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

  describe('runs a guardrail as a sidecar', () => {
    const sidecar: Partial<GatewayInstanceSpec> = { workloadRef: { name: 'litellm' }, guardrail: { port: 9090 } };

    async function initContainers(): Promise<string[]> {
      const { spec } = await testbed.deployment('litellm');
      return (spec?.template.spec?.initContainers ?? []).map(({ name }) => name);
    }

    /** The fields of a Deployment that a user wrote, without those of the server and of controllers. */
    async function written(): Promise<object> {
      const { metadata, spec } = await testbed.deployment('litellm');
      return { labels: metadata?.labels, annotations: metadata?.annotations, spec };
    }

    it("in the gateway's pods, only by the operator's part of their Deployment", async () => {
      await testbed.apply(proxyManifest({ env: keyMounted }));
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.rollOut('litellm');
      await testbed.until('GuardrailReady', 'Ready');
      await testbed.until('ProxyConfigured', 'Configured');
      const { spec, metadata } = await testbed.deployment('litellm');
      const [container] = spec?.template.spec?.initContainers ?? [];
      expect(container).to.include({ name: 'gateway-guardrail', restartPolicy: 'Always' });
      expect(container?.env?.find(({ name }) => name === 'GUARDRAIL_HOST')?.value).to.equal('127.0.0.1');
      expect(container?.livenessProbe?.exec?.command?.join(' ')).to.include('http://127.0.0.1:9090/healthz');
      expect((await testbed.read()).status?.guardrail).to.include({
        mode: 'Sidecar',
        endpoint: 'http://127.0.0.1:9090',
      });
      const ours = (metadata?.managedFields ?? []).find(({ manager }) => manager === 'gateway-guardrail-operator');
      expect(JSON.stringify(ours?.fieldsV1)).to.not.include('f:containers');
    });

    it('and reports the exact lines that its owner has to add', async () => {
      await testbed.apply(proxyManifest());
      await testbed.instance(sidecar);
      const condition = await testbed.until('ProxyConfigured', 'KeyNotMounted');
      expect(condition.message).to.include(
        `to env of its container in Deployment litellm: {name: GUARDRAIL_API_KEY, valueFrom: {secretKeyRef: {name: ${guardrail}-api-key, key: api-key}}}`,
      );
    });

    it("which survives its owner's applies, and is removed completely", async () => {
      await testbed.apply(proxyManifest({ env: keyMounted }));
      const before = await written();
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.apply(proxyManifest({ env: keyMounted }));
      await testbed.apply(proxyManifest({ env: keyMounted }));
      expect(await initContainers()).to.deep.equal(['gateway-guardrail']);
      await testbed.patch({ spec: { guardrail: null, workloadRef: { name: 'litellm' } } });
      await testbed.until('GuardrailReady', 'NotRequested');
      expect(await written()).to.deep.equal(before);
    });

    it('which is removed completely together with its instance', async () => {
      await testbed.apply(proxyManifest({ env: keyMounted }));
      const before = await written();
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.remove();
      await eventually(async () => {
        expect(await failure(testbed.read())).to.include('404');
      });
      expect(await written()).to.deep.equal(before);
    });

    for (const [when, during] of [
      ['while the operator runs', (act: () => Promise<void>): Promise<void> => act()],
      ['while no operator runs', (act: () => Promise<void>): Promise<void> => testbed.restart(act)],
    ] as const) {
      it(`which is removed when its instance is deleted without finalization, ${when}`, async () => {
        await testbed.apply(proxyManifest({ env: keyMounted }));
        const before = await written();
        await testbed.instance(sidecar);
        await testbed.until('GuardrailReady', 'RollingOut');
        await during(() => testbed.vanish());
        await eventually(async () => {
          expect(await written()).to.deep.equal(before);
        });
      });
    }

    it('whose removal is rejected: the deletion of its instance waits, reports it, and can be forced', async () => {
      await testbed.apply(proxyManifest({ env: keyMounted }));
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.forbidChanges('litellm');
      await testbed.remove();
      const { message } = await testbed.until('Ready', 'Deleting');
      expect(message).to.include('Changes are not allowed.').and.include(annotations.forceDelete);
      await testbed.patch({ metadata: { annotations: { [annotations.forceDelete]: 'true' } } });
      await eventually(async () => {
        expect(await failure(testbed.read())).to.include('404');
      });
    });

    it('and moves to another Deployment when the spec names that one', async () => {
      await testbed.apply(proxyManifest({ env: keyMounted }));
      const before = await written();
      await testbed.apply(proxyManifest({ env: keyMounted }).replaceAll('litellm', 'other'));
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.patch({ spec: { workloadRef: { name: 'other' } } });
      await eventually(async () => {
        expect(await written()).to.deep.equal(before);
        const { spec } = await testbed.deployment('other');
        expect(spec?.template.spec?.initContainers).to.have.length(1);
      });
    });

    it('and stays in a Deployment that the spec no longer names until the new guardrail runs', async () => {
      await testbed.apply(proxyManifest({ env: keyMounted }));
      const before = await written();
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.rollOut('litellm');
      await testbed.until('GuardrailReady', 'Ready');
      await testbed.patch({ spec: { workloadRef: null } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await initContainers()).to.deep.equal(['gateway-guardrail']);
      await testbed.rollOut(guardrail);
      await testbed.until('GuardrailReady', 'Ready');
      await eventually(async () => {
        expect(await written()).to.deep.equal(before);
      });
    });

    it('whose key stays while the gateway mounts it', async () => {
      await testbed.apply(proxyManifest({ env: keyMounted }));
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.rollOut('litellm');
      await testbed.until('GuardrailReady', 'Ready');
      await testbed.patch({ spec: { guardrail: null } });
      await testbed.until('GuardrailReady', 'NotRequested');
      await testbed.rollOut('litellm');
      await eventually(async () => {
        expect(await failure(testbed.readSecret(`${guardrail}-keys`))).to.include('404');
      });
      expect(await testbed.readSecret(`${guardrail}-api-key`)).to.have.property('api-key');
      await testbed.apply(proxyManifest());
      await testbed.rollOut('litellm');
      await testbed.patch({ metadata: { annotations: { look: 'again' } } });
      await eventually(async () => {
        expect(await failure(testbed.readSecret(`${guardrail}-api-key`))).to.include('404');
      });
    });

    for (const mounted of [true, false]) {
      it(`and orphans only what the gateway mounts when its instance is deleted: it ${mounted ? 'mounts all' : 'mounts nothing'}`, async () => {
        await testbed.apply(proxyManifest(mounted ? { env: keyMounted, volumes: configMounted } : {}));
        const base = '# mine\nmodel_list: []\n';
        const proxyConfig = { base: { inline: base }, configMapName: 'litellm-config' };
        await testbed.instance({ ...sidecar, proxyConfig });
        await testbed.until('GuardrailReady', 'RollingOut');
        /** The owners of all objects but the list of who may call, which another controller writes. */
        const uids = async (): Promise<string[]> => {
          const objects = JSON.parse(
            await plane().kubectl(['get', 'cm,secret', '-n', testbed.namespace, '-o', 'json']),
          ) as { items: { metadata: { name: string; ownerReferences?: { uid: string }[] } }[] };
          return objects.items
            .filter(({ metadata: { name } }) => !name.startsWith(`${guardrail}-customers-`))
            .flatMap(({ metadata: { ownerReferences = [] } }) => ownerReferences.map(({ uid }) => uid));
        };
        const { metadata } = await testbed.read();
        await testbed.remove();
        await eventually(async () => {
          expect(await failure(testbed.read())).to.include('404');
        });
        // No garbage collector runs here. Objects that still have the owner reference would be deleted.
        const mine = (await uids()).filter((uid) => uid === metadata.uid);
        const map = await testbed.core.readNamespacedConfigMap({
          name: 'litellm-config',
          namespace: testbed.namespace,
        });
        expect(mine).to.have.length(mounted ? 1 : 3);
        if (!mounted) return;
        expect(map.data).to.deep.equal({ 'config.yaml': base });
        const { 'api-key': key } = await testbed.readSecret(`${guardrail}-api-key`);
        await testbed.instance({ ...sidecar, proxyConfig });
        await testbed.until('GuardrailReady', 'RollingOut');
        await eventually(async () => {
          expect((await uids()).filter((uid) => uid !== metadata.uid)).to.have.length(3);
        });
        expect(await testbed.readSecret(`${guardrail}-api-key`), 'the same key').to.include({ 'api-key': key });
      });
    }

    it('and adds it again when it is removed, but not endlessly', async () => {
      const own = '[{name: migrate, image: "migrate:1"}]';
      await testbed.apply(proxyManifest({ env: keyMounted, initContainers: own }));
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      for (const time of [1, 2, 3]) {
        // As kubectl replace does: only the contents of the file.
        await testbed.replace(proxyManifest({ env: keyMounted, initContainers: own }));
        if (time === 3) break;
        await eventually(async () => {
          expect(await initContainers()).to.include('gateway-guardrail');
        });
      }
      const condition = await testbed.until('GuardrailReady', 'SidecarContested');
      expect(condition.message).to.include('keep init containers that it does not own');
      await testbed.patch({ metadata: { annotations: { look: 'again' } } });
      await testbed.customer('one');
      await eventually(async () => {
        expect((await testbed.read()).status?.customers?.total).to.equal(1);
      });
      expect(await initContainers()).to.deep.equal(['migrate']);
      // A change of the spec is a new attempt.
      await testbed.patch({ spec: { guardrail: { recall: 'Precise' } } });
      await eventually(async () => {
        expect(await initContainers()).to.include('gateway-guardrail');
      });
    });

    it('and waits for a Deployment that does not exist yet', async () => {
      await testbed.instance(sidecar);
      const condition = await testbed.until('GuardrailReady', 'WorkloadNotFound');
      expect(condition.message).to.include('Deployment litellm does not exist in namespace');
      await testbed.until('ProxyConfigured', 'WorkloadNotFound');
      await testbed.apply(proxyManifest({ env: keyMounted }));
      await testbed.until('GuardrailReady', 'RollingOut');
    });

    it('but not if an older instance already manages the Deployment', async () => {
      await testbed.apply(proxyManifest({ env: keyMounted }));
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.instance(sidecar, 'second');
      const condition = await testbed.until('GuardrailReady', 'WorkloadTaken', 'second');
      expect(condition.message).to.include('GatewayInstance main already manages Deployment litellm');
    });

    it('then as a Deployment, without a gap in between', async () => {
      await testbed.apply(proxyManifest({ env: keyMounted }));
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.rollOut('litellm');
      await testbed.until('GuardrailReady', 'Ready');
      await testbed.patch({ spec: { guardrail: { mode: 'Deployment' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await initContainers(), 'the new one does not run yet').to.deep.equal(['gateway-guardrail']);
      await testbed.rollOut(guardrail);
      await testbed.until('GuardrailReady', 'Ready');
      await eventually(async () => {
        expect(await initContainers()).to.deep.equal([]);
      });
      expect((await testbed.read()).status?.guardrail).to.include({ mode: 'Deployment' });

      await testbed.patch({ spec: { guardrail: { mode: 'Sidecar' } } });
      await testbed.until('GuardrailReady', 'RollingOut');
      expect(await initContainers()).to.deep.equal(['gateway-guardrail']);
      await testbed.deployment(guardrail);
      await testbed.rollOut('litellm');
      await testbed.until('GuardrailReady', 'Ready');
      await eventually(async () => {
        expect(await failure(testbed.deployment(guardrail))).to.include('404');
      });
    });

    it('whose API key rotates with the rollout of the gateway, without a failed call', async () => {
      await testbed.apply(proxyManifest({ env: keyMounted }));
      await testbed.instance(sidecar);
      await testbed.until('GuardrailReady', 'RollingOut');
      await testbed.rollOut('litellm');
      await testbed.until('GuardrailReady', 'Ready');
      const before = await testbed.readSecret(`${guardrail}-api-key`);
      await testbed.patch({ metadata: { annotations: { [annotations.rotateApiKey]: 'one' } } });
      const during = await eventually(async () => {
        const secret = await testbed.readSecret(`${guardrail}-api-key`);
        expect(secret['api-key']).to.not.equal(before['api-key']);
        return secret;
      });
      expect(during['api-keys'])
        .to.include(`:${before['api-key'] ?? ''}`)
        .and.to.include(`:${during['api-key'] ?? ''}`);
      await testbed.until('GuardrailReady', 'RollingOut');
      expect((await testbed.read()).status?.guardrail?.lastHandledApiKeyRotation).to.equal('one');
      await testbed.rollOut('litellm');
      await testbed.until('GuardrailReady', 'Ready');
      expect((await testbed.readSecret(`${guardrail}-api-key`))['api-keys']).to.include(before['api-key']);
      testbed.advance(60_000);
      await testbed.patch({ metadata: { annotations: { look: 'again' } } });
      await eventually(async () => {
        const { 'api-keys': keys } = await testbed.readSecret(`${guardrail}-api-key`);
        expect(keys).to.not.include(before['api-key']);
      });
      expect((await testbed.readSecret(`${guardrail}-api-key`))['api-key']).to.equal(during['api-key']);
    });
  });
});
