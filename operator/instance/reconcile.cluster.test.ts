import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { withControlPlane } from '../../hack/testing/controlplane.ts';
import type { GatewayInstanceSpec } from '../api/v1alpha1/v1alpha1.ts';
import { annotations, gatewayCustomerNames, gatewayInstanceNames, GROUP } from '../api/v1alpha1/v1alpha1.ts';
import { startTestProxy, type TestProxy } from '../gateway/testing/testProxy.ts';
import { MAX_YAML_BYTES } from '../../guardrail/guardrail.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { withoutLongBlocks } from '../runtime/testing/eventLoopBlocks.ts';
import { MASTER_KEY, World } from './testing/harness.ts';
import { slowBases } from '../configuration/testing/slowBases.ts';

const crds = join(import.meta.dirname, '../../crds');
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

/** The budget rows that were deleted behind a proxy. */
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
  let world: World;

  before(async () => {
    await plane().kubectl(['apply', '--server-side', '--force-conflicts', '-k', crds]);
    const names = [gatewayCustomerNames, gatewayInstanceNames].map(({ plural }) => `crd/${plural}.${GROUP}`);
    await plane().kubectl(['wait', '--for=condition=Established', '--timeout=30s', ...names]);
  });
  beforeEach(async () => {
    world = await World.start(plane());
  });
  afterEach(() => world.stop());

  describe('finds its gateway', () => {
    it('at an endpoint, with its key', async () => {
      await world.instance();
      const condition = await world.until('Reachable', 'Reachable');
      expect(condition.status).to.equal('True');
      await world.until('Ready', 'Ready');
      const { status, metadata } = await world.read();
      expect(status).to.include({ endpoint: world.gateway.url, observedGeneration: metadata.generation });
      expect(status?.customers).to.deep.equal({ total: 0, synced: 0, failed: 0 });
      expect(status).to.not.have.property('guardrail');
    });

    for (const [what, spec, reason, message] of [
      [
        'a Secret that is not there',
        { masterKeySecretRef: { name: 'none', key: 'a' } },
        'SecretNotFound',
        'Secret none does not exist in namespace',
      ],
      [
        'a key that is not there',
        { masterKeySecretRef: { name: 'gateway', key: 'a' } },
        'SecretKeyMissing',
        'Secret gateway has no value under key a. Add the value, or correct spec.masterKeySecretRef.key.',
      ],
      [
        'a Service that is not there',
        { endpoint: undefined, serviceRef: { name: 'none' } },
        'ServiceNotFound',
        'Service none does not exist in namespace',
      ],
      ['a gateway that is not there', { endpoint: 'http://127.0.0.1:1' }, 'GatewayUnreachable', ''],
    ] as const) {
      it(`and says what to do about ${what}`, async () => {
        await world.instance(spec as Partial<GatewayInstanceSpec>);
        const condition = await world.until('Reachable', reason);
        expect(condition).to.include({ status: 'False' });
        expect(condition.message).to.include(message);
        expect((await world.until('Ready', 'NotReachable')).message).to.equal(condition.message);
      });
    }

    it('again when a wrong key has been put right, which nobody tells it', async () => {
      await world.secret('wrong', { key: 'sk-wrong' });
      await world.instance({ masterKeySecretRef: { name: 'wrong', key: 'key' } });
      await world.until('Reachable', 'GatewayUnauthorized');
      await world.secret('wrong', { key: `${MASTER_KEY}\n` });
      await world.until('Reachable', 'Reachable');
    });
  });

  it('counts its customers, and keeps its finalizer while there are any', async () => {
    await world.instance();
    await world.customer('one', true);
    await world.customer('two', false);
    await world.customer('three');
    // Of a namespace that the instance does not allow: it stays where it is, and holds up nothing.
    await world.guest('four');
    await eventually(async () => {
      expect((await world.read()).status?.customers).to.deep.equal({ total: 3, synced: 1, failed: 1 });
    });
    await world.remove();
    const condition = await world.until('Ready', 'CustomersRemain');
    expect(condition.message).to.include('3 GatewayCustomers refer to this instance');
    for (const name of ['one', 'two', 'three']) await world.removeCustomer(name);
    await eventually(async () => {
      expect(await failure(world.read())).to.include('404');
    });
  });

  it('is not held up by configurations and policies of others that are expensive to read', async () => {
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
      await world.largeConfigMap(name, { a: text });
    }
    await withoutLongBlocks(async () => {
      for (const name of Object.keys(texts)) {
        const proxyConfig = { base: ref(name), configMapName: `of-${name}` };
        await world.instance({ proxyConfig, guardrail: { policy: ref('keys') } }, name);
      }
      await world.instance();
      await world.until('Ready', 'Ready');
      for (const name of Object.keys(texts)) await world.until('GuardrailReady', 'PolicyInvalid', name, 60_000);
    });
    const { message } = await world.until('ProxyConfigured', 'BaseInvalid', 'long');
    expect(message).to.equal(
      "The gateway's configuration (spec.proxyConfig.base) is 977 KiB long, but the limit is 256 KiB: shorten it.",
    );
    await world.until('ProxyConfigured', 'BaseInvalid', 'faults');
    const policy = await world.until('GuardrailReady', 'PolicyInvalid', 'keys');
    expect(policy.message).to.include('The first 20 are shown.');
  });

  it('tells what is wrong with a spec that was stored before its form was checked', async () => {
    const crd = `crd/${gatewayInstanceNames.plural}.${GROUP}`;
    const properties = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';
    const unchecked = [
      { op: 'remove', path: `${properties}/masterKeySecretRef/properties/name/pattern` },
      { op: 'remove', path: `${properties}/syncInterval/x-kubernetes-validations` },
    ];
    await plane().kubectl(['patch', crd, '--type=json', '-p', JSON.stringify(unchecked)]);
    try {
      // The API server takes it up a moment later.
      await eventually(() => world.instance({ masterKeySecretRef: { name: '..', key: 'a' } }, 'dots'));
      await eventually(() => world.instance({ syncInterval: 'sk-soon' }, 'soon'));
      await world.instance({ masterKeySecretRef: { name: 'a\u001b[31m/b', key: 'a' } }, 'red');
    } finally {
      await plane().kubectl(['apply', '--server-side', '--force-conflicts', '-k', crds]);
    }
    expect((await world.until('Reachable', 'SecretNotFound', 'dots')).message).to.include(
      'Secret .. does not exist in',
    );
    expect((await world.until('Reachable', 'SecretNotFound', 'red')).message).to.include(
      'Secret a\\u{1b}[31m/b does not exist in',
    );
    const { message } = await world.until('Ready', 'InternalError', 'soon');
    expect(message).to.equal(
      'The reconcile failed with an internal error (RangeError). The operator retries; see its log.',
    );
    await eventually(async () => {
      expect(await world.events('soon')).to.deep.equal(['InternalError']);
    });
    await world.patch({ spec: { syncInterval: '5m' } }, 'soon');
    await world.until('Ready', 'Ready', 'soon');
  });

  it('lets go of its finalizer by force', async () => {
    await world.instance();
    await world.until('Ready', 'Ready');
    await world.customer('one');
    await world.remove();
    await world.until('Ready', 'CustomersRemain');
    await world.patch({ metadata: { annotations: { [annotations.forceDelete]: 'true' } } });
    await eventually(async () => {
      expect(await failure(world.read())).to.include('404');
    });
  });

  it('does nothing while it is paused', async () => {
    await world.instance({ guardrail: {} });
    await world.until('GuardrailReady', 'RollingOut');
    await world.patch({ metadata: { annotations: { [annotations.paused]: 'true' } } });
    await world.until('Ready', 'Paused');
    await world.apps.deleteNamespacedDeployment({ name: guardrail, namespace: world.namespace });
    await world.patch({ metadata: { annotations: { other: '1' } } });
    await world.customer('one');
    await eventually(async () => {
      expect((await world.read()).status?.customers?.total).to.equal(1);
    });
    expect(await failure(world.deployment(guardrail))).to.include('404');
    await world.patch({ metadata: { annotations: { [annotations.paused]: null } } });
    await eventually(() => world.deployment(guardrail));
  });

  describe('paused, and deleted', () => {
    const proxyConfig = { base: { inline: 'model_list: []\n' }, configMapName: 'litellm-config' };
    let proxy: TestProxy;
    beforeEach(async () => {
      proxy = await startTestProxy(world.gateway.url);
      await world.apply(proxyManifest({ env: keyMounted, volumes: configMounted }));
      const budget = { defaultCustomerBudget: { maxBudget: 5 }, guardrail: {} };
      await world.instance({ endpoint: proxy.url, proxyConfig, workloadRef: { name: 'litellm' }, ...budget });
      await world.until('ProxyConfigured', 'RollingOut');
      await world.rollOut('litellm');
      await world.until('Ready', 'Ready');
      await world.patch({ metadata: { annotations: { [annotations.paused]: 'true' } } });
      expect((await world.until('Ready', 'Paused')).message).not.to.include('deletion');
    });
    afterEach(() => proxy.stop());

    it('waits with all that belongs to it as it was, force or not, and goes at once when the pause is over', async () => {
      const before = await world.versions();
      proxy.calls.length = 0;
      await world.patch({ metadata: { annotations: { [annotations.forceDelete]: 'true' } } });
      await world.remove();
      await eventually(async () => {
        const ready = (await world.read()).status?.conditions?.find(({ type }) => type === 'Ready');
        expect(ready).to.include({ status: 'False', reason: 'Paused' });
        expect(ready?.message).to.include('the deletion waits').and.include(annotations.paused);
      });
      expect(proxy.calls).to.deep.equal([]);
      expect(await world.versions()).to.deep.equal(before);
      await world.patch({ metadata: { annotations: { [annotations.paused]: null, [annotations.forceDelete]: null } } });
      await eventually(async () => {
        expect(await failure(world.read())).to.include('404');
      }, 4_000);
      expect(deletedRows(proxy)).to.have.length(1);
      expect((await world.deployment('litellm')).spec?.template.spec?.initContainers).to.equal(undefined);
    });

    it('is not cleaned up at the gateway where its finalizer is taken off by hand', async () => {
      proxy.calls.length = 0;
      await world.patch({ metadata: { finalizers: null } });
      await world.remove();
      // The Deployment alone is put back: its pods mount what is collected with the instance.
      await eventually(async () => {
        expect((await world.deployment('litellm')).spec?.template.spec?.initContainers).to.equal(undefined);
      });
      // One of the same name works off what was remembered of the former.
      await world.instance({ endpoint: proxy.url });
      await world.until('Ready', 'Ready');
      expect(deletedRows(proxy)).to.deep.equal([]);
    });
  });

  it('rests: a reconcile that finds everything as it should be writes nothing', async () => {
    await world.apply(proxyManifest({ env: keyMounted, volumes: configMounted }));
    const proxyConfig = { base: { inline: 'model_list: []\n' }, configMapName: 'litellm-config' };
    const spec = { proxyConfig, workloadRef: { name: 'litellm' }, defaultCustomerBudget: { maxBudget: 1 } };
    await world.instance({
      ...spec,
      guardrail: { mode: 'Deployment', policy: { inline: 'entities: {PERSON: block}' } },
    });
    await world.until('GuardrailReady', 'RollingOut');
    await world.rollOut(guardrail);
    await world.until('ProxyConfigured', 'RollingOut');
    await world.rollOut('litellm');
    await world.until('Ready', 'Ready');
    const before = await world.versions();
    // A change that matters to nobody is still a reason to look at everything again.
    await world.patch({ metadata: { annotations: { look: 'again' } } });
    await world.customer('one');
    await eventually(async () => {
      expect((await world.read()).status?.customers?.total).to.equal(1);
    });
    expect(await world.versions()).to.deep.equal(before);
  });

  describe('runs a guardrail as a Deployment', () => {
    it('with all that belongs to it, its own and restricted', async () => {
      await world.instance({ guardrail: { policy: { inline: 'entities: {PERSON: block}\n' } } });
      await world.until('GuardrailReady', 'RollingOut');
      await world.rollOut(guardrail);
      await world.until('GuardrailReady', 'Ready');
      const { status, metadata } = await world.read();
      expect(status?.guardrail).to.deep.equal({
        mode: 'Deployment',
        endpoint: `http://${guardrail}.${world.namespace}.svc:8080`,
        apiKeySecretName: `${guardrail}-api-key`,
      });
      const kinds = 'deployment,service,serviceaccount,configmap,secret,pdb,networkpolicy';
      const owned = JSON.parse(
        await plane().kubectl(['get', kinds, '-n', world.namespace, '-l', `${GROUP}/instance=main`, '-o', 'json']),
      ) as { items: { kind: string; metadata: { ownerReferences: object[] }; spec?: { ingress?: object[] } }[] };
      // Calls and metrics have a port and a rule each.
      const { spec: policy } = owned.items.find(({ kind }) => kind === 'NetworkPolicy') ?? {};
      expect(policy?.ingress).to.have.length(2);
      expect(owned.items.map(({ kind }) => kind)).to.have.members([
        'Deployment',
        'Service',
        'ServiceAccount',
        'ConfigMap',
        'Secret',
        'Secret',
        'PodDisruptionBudget',
        'NetworkPolicy',
      ]);
      for (const { metadata: child } of owned.items) {
        expect(child.ownerReferences).to.have.length(1);
        expect(child.ownerReferences[0]).to.include({ uid: metadata.uid, controller: true });
      }
      // The API server's own admission of Pod Security judges a pod of that template.
      await plane().kubectl(['label', 'namespace', world.namespace, 'pod-security.kubernetes.io/enforce=restricted']);
      expect(await world.tryPod(guardrail)).to.equal('');
    });

    it('with keys that are generated once', async () => {
      await world.instance({ guardrail: {} });
      await world.until('GuardrailReady', 'RollingOut');
      const names = [`${guardrail}-api-key`, `${guardrail}-keys`];
      const keys = await Promise.all(names.map((name) => world.readSecret(name)));
      await world.patch({ spec: { guardrail: { recall: 'Thorough' } } });
      await world.until('GuardrailReady', 'RollingOut');
      expect(await Promise.all(names.map((name) => world.readSecret(name)))).to.deep.equal(keys);
    });

    it('and puts back what others change of it, and leaves alone what others add', async () => {
      await world.instance({ guardrail: {} });
      await world.until('GuardrailReady', 'RollingOut');
      const at = ['-n', world.namespace];
      await plane().kubectl(['annotate', 'deployment', guardrail, 'others=1', ...at]);
      await plane().kubectl(['set', 'env', 'deployment', guardrail, 'GUARDRAIL_STORE=redis://elsewhere', ...at]);
      await plane().kubectl(['delete', 'service', guardrail, ...at]);
      await eventually(async () => {
        const { spec, metadata } = await world.deployment(guardrail);
        const env = spec?.template.spec?.containers[0]?.env ?? [];
        expect(env.find(({ name }) => name === 'GUARDRAIL_STORE')?.value).to.equal('memory');
        expect(metadata?.annotations).to.include({ others: '1' });
        await world.core.readNamespacedService({ name: guardrail, namespace: world.namespace });
      });
    });

    it('and leaves no trace of it when it is taken out of the spec', async () => {
      const column = async (): Promise<string | undefined> => {
        const [head = '', row = ''] = (await plane().kubectl(['get', 'ginst', '-n', world.namespace])).split('\n');
        return row.slice(head.indexOf('GUARDRAIL'), head.indexOf('AGE')).trim();
      };
      await world.instance({ guardrail: { policy: { inline: 'entities: {PERSON: block}' } } });
      await world.until('GuardrailReady', 'RollingOut');
      expect(await column()).to.equal('False');
      await world.rollOut(guardrail);
      await world.until('GuardrailReady', 'Ready');
      expect(await column()).to.equal('True');
      await world.patch({ spec: { guardrail: null } });
      await world.until('GuardrailReady', 'NotRequested');
      expect(await column()).to.equal('');
      await eventually(async () => {
        const kinds = 'deployment,service,serviceaccount,configmap,secret,pdb,networkpolicy';
        const left = await plane().kubectl([
          'get',
          kinds,
          '-n',
          world.namespace,
          '-l',
          `${GROUP}/instance=main`,
          '-o',
          'name',
        ]);
        expect(left).to.equal('');
      });
    });

    async function generation(): Promise<number | undefined> {
      const { metadata } = await world.deployment(guardrail);
      return metadata?.generation;
    }

    it('with an autoscaler, which then owns the number of pods', async () => {
      await world.secret('redis', { url: 'redis://redis:6379' });
      await world.instance({ guardrail: { redis, autoscaling: { maxReplicas: 5 } } });
      await world.until('GuardrailReady', 'RollingOut');
      const at = ['-n', world.namespace];
      await plane().kubectl(['scale', 'deployment', guardrail, '--replicas=4', ...at]);
      await world.patch({ spec: { guardrail: { recall: 'Precise' } } });
      await eventually(async () => {
        const { spec } = await world.deployment(guardrail);
        const env = spec?.template.spec?.containers[0]?.env ?? [];
        expect(env.find(({ name }) => name === 'GUARDRAIL_RECALL')?.value).to.equal('precise');
        expect(spec?.replicas).to.equal(4);
      });
      const path = '-o=jsonpath={.spec.minReplicas}-{.spec.maxReplicas}';
      expect(await plane().kubectl(['get', 'hpa', guardrail, path, ...at])).to.equal('2-5');
    });

    it('that is handed to an autoscaler with as many pods as it has', async () => {
      await world.secret('redis', { url: 'redis://redis:6379' });
      await world.instance({ guardrail: { redis, replicas: 4 } });
      await world.until('GuardrailReady', 'RollingOut');
      const counts: (number | undefined)[] = [];
      const watching = (async () => {
        for (let look = 0; look < 40; look++) counts.push((await world.deployment(guardrail)).spec?.replicas);
      })();
      await world.patch({ spec: { guardrail: { replicas: null, autoscaling: { maxReplicas: 6 } } } });
      await eventually(() => plane().kubectl(['get', 'hpa', guardrail, '-n', world.namespace]));
      await watching;
      expect(new Set(counts)).to.deep.equal(new Set([4]));
      await plane().kubectl(['scale', 'deployment', guardrail, '--replicas=5', '-n', world.namespace]);
      await world.patch({ spec: { guardrail: { recall: 'Precise' } } });
      await world.until('GuardrailReady', 'RollingOut');
      expect((await world.deployment(guardrail)).spec?.replicas).to.equal(5);
      await world.patch({ spec: { guardrail: { replicas: 3, autoscaling: null } } });
      await eventually(async () => {
        expect((await world.deployment(guardrail)).spec?.replicas).to.equal(3);
      });
    });

    it('and rolls it when the address of Redis changes, which nobody tells it', async () => {
      await world.secret('redis', { url: 'redis://one:6379' });
      await world.instance({ guardrail: { redis } });
      await world.until('GuardrailReady', 'RollingOut');
      const before = await generation();
      await world.secret('redis', { url: 'redis://other:6379' });
      await world.patch({ metadata: { annotations: { look: 'again' } } });
      await eventually(async () => {
        expect(await generation()).to.not.equal(before);
      });
    });

    it('whose encryption key rotates: read by every pod before it encrypts in any', async () => {
      await world.secret('redis', { url: 'redis://redis:6379' });
      await world.instance({ guardrail: { redis } });
      await world.until('GuardrailReady', 'RollingOut');
      await world.rollOut(guardrail);
      await world.until('GuardrailReady', 'Ready');
      const ring = async (): Promise<string[]> =>
        ((await world.readSecret(`${guardrail}-keys`))['encryption-keys'] ?? '').trim().split('\n');
      const [old] = await ring();
      await world.patch({ metadata: { annotations: { [annotations.rotateEncryptionKey]: 'one' } } });
      await world.until('GuardrailReady', 'RollingOut');
      const during = await ring();
      expect(during).to.have.length(2);
      expect(during[0], 'the old one still encrypts').to.equal(old);
      await world.rollOut(guardrail);
      await world.until('GuardrailReady', 'Ready');
      const rolled = await generation();
      const due = '-o=jsonpath={.metadata.annotations}';
      await eventually(async () => {
        expect(await plane().kubectl(['get', 'secret', `${guardrail}-keys`, '-n', world.namespace, due])).to.include(
          'due',
        );
      });
      expect((await ring())[0], 'pods that are ending may still be at work').to.equal(old);
      world.advance(60_000);
      await world.patch({ metadata: { annotations: { look: 'again' } } });
      await eventually(async () => {
        expect(await ring()).to.deep.equal([during[1], old]);
      });
      expect(await generation(), 'no second roll').to.equal(rolled);
    });

    it('whose one pod with its memory must take a new API key before the gateway is given it', async () => {
      let pod = 401;
      const asked: (string | undefined)[] = [];
      const server = createServer((request, response) => {
        asked.push(request.headers['x-api-key']?.toString());
        response.writeHead(pod).end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const other = await World.start(plane(), () => `http://127.0.0.1:${port}`);
      try {
        await other.instance({ guardrail: {} });
        await other.until('GuardrailReady', 'RollingOut');
        const keys = async (): Promise<Record<string, string>> => other.readSecret(`${guardrail}-api-key`);
        const before = await keys();
        expect(asked, 'nothing is asked while nothing rotates').to.deep.equal([]);
        await other.patch({ metadata: { annotations: { [annotations.rotateApiKey]: 'one' } } });
        await other.patch({ metadata: { annotations: { look: 'again' } } });
        await eventually(() => {
          expect(asked).to.not.deep.equal([]);
        });
        const during = await keys();
        expect(during['api-key'], 'the pod refuses the new key').to.equal(before['api-key']);
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

    it('with a ServiceMonitor where there is such a kind', async () => {
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
          plane().kubectl(['get', crd.metadata.name, '-n', world.namespace, '-o', 'name']);
        await eventually(monitors);
        await world.instance({ guardrail: {} });
        await world.until('GuardrailReady', 'RollingOut');
        expect(await monitors()).to.include(guardrail);
        await world.patch({ spec: { guardrail: null } });
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
        'a Redis Secret that is not there',
        { redis: { urlSecretRef: { name: 'none', key: 'url' } } },
        'RedisSecretMissing',
        'Secret none does not exist in namespace',
      ],
      [
        'a policy that does not parse',
        { policy: { inline: 'a: [' } },
        'PolicyInvalid',
        'spec.guardrail.policy has a mistake: Line 1 is not valid YAML',
      ],
      [
        'a policy with a word that is none',
        { policy: { inline: 'entities: {PERSON: hide}' } },
        'PolicyInvalid',
        'entities.PERSON must be pseudonymize, block or ignore',
      ],
      [
        'a policy that is not there',
        { policy: { configMapRef: { name: 'none', key: 'a' } } },
        'PolicyNotFound',
        'ConfigMap none with key a does not exist',
      ],
    ] as const) {
      it(`and leaves it as it runs while the spec asks for ${what}`, async () => {
        await world.instance({ guardrail: {} });
        await world.until('GuardrailReady', 'RollingOut');
        await world.rollOut(guardrail);
        await world.until('GuardrailReady', 'Ready');
        const before = await world.deployment(guardrail);
        await world.patch({ spec: { guardrail: spec } });
        const condition = await world.until('GuardrailReady', reason);
        expect(condition.message).to.include(message);
        const after = await world.deployment(guardrail);
        expect(after.metadata?.generation).to.equal(before.metadata?.generation);
        expect((await world.read()).status?.guardrail?.endpoint).to.include(guardrail);
      });
    }

    it("and does not touch an object of that name that is somebody else's", async () => {
      await world.configMap(guardrail, { theirs: '1' });
      await world.instance({ guardrail: { policy: { inline: 'entities: {PERSON: block}' } } });
      const condition = await world.until('GuardrailReady', 'NameTaken');
      expect(condition.message).to.include(`ConfigMap ${guardrail} exists and does not belong to this instance`);
      const map = await world.core.readNamespacedConfigMap({ name: guardrail, namespace: world.namespace });
      expect(map.data).to.deep.equal({ theirs: '1' });
    });
  });

  describe('writes the configuration of the gateway', () => {
    const proxyConfig = { base: { inline: '# Ours.\nmodel_list: []\n' }, configMapName: 'litellm-config' };

    async function config(): Promise<Record<string, unknown>> {
      const map = await world.core.readNamespacedConfigMap({ name: 'litellm-config', namespace: world.namespace });
      return parse(map.data?.['config.yaml'] ?? '') as Record<string, unknown>;
    }

    it('with a default budget that is really enforced: in a row of its own at the gateway', async () => {
      await world.instance({ proxyConfig, defaultCustomerBudget: { maxBudget: 5 } });
      await world.until('DefaultBudgetEnforced', 'Enforced');
      const { uid } = (await world.read()).metadata;
      const id = `gcust-default-${uid}`;
      expect(await config()).to.deep.equal({
        model_list: [],
        litellm_settings: { max_end_user_budget: 5, max_end_user_budget_id: id },
      });
      expect(await budget(id)).to.include({ max_budget: 5 });

      await world.patch({ spec: { defaultCustomerBudget: { maxBudget: 7 } } });
      await eventually(async () => {
        expect(await budget(id)).to.include({ max_budget: 7 });
      });
      await world.patch({ spec: { defaultCustomerBudget: null } });
      await world.until('DefaultBudgetEnforced', 'NotRequested');
      expect(await budget(id)).to.equal(undefined);
      expect(await config()).to.deep.equal({ model_list: [] });
    });

    it('with the period of its default budget: taken up, put right, and cleared', async () => {
      const look = (): Promise<void> => world.patch({ metadata: { annotations: { look: String(Math.random()) } } });
      await world.instance({ proxyConfig, defaultCustomerBudget: { maxBudget: 5, budgetDuration: '30d' } });
      const enforced = await world.until('DefaultBudgetEnforced', 'Enforced');
      expect(enforced.message).to.include('every 30d');
      const id = `gcust-default-${(await world.read()).metadata.uid}`;
      const made = await budget(id);
      expect(made).to.include({ max_budget: 5, budget_duration: '30d' });
      expect(Date.parse(String(made?.budget_reset_at))).to.be.greaterThan(Date.now());
      // A duration that is sent again would begin a new period.
      await admin('/budget/update', { budget_id: id, budget_reset_at: '2030-01-01T00:00:00Z' });
      await world.patch({ spec: { defaultCustomerBudget: { maxBudget: 6 } } });
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
      await world.patch({ spec: { defaultCustomerBudget: { budgetDuration: null } } });
      await eventually(async () => {
        expect(await budget(id)).to.include({ max_budget: 6, budget_duration: null, budget_reset_at: null });
      });
      expect((await world.until('DefaultBudgetEnforced', 'Enforced')).message).to.include(
        'Each customer can spend it once',
      );
    });

    describe('behind a faulty network', () => {
      let proxy: TestProxy;
      beforeEach(async () => {
        proxy = await startTestProxy(world.gateway.url);
      });
      afterEach(() => proxy.stop());

      it('and goes on saying that the default budget is enforced while the gateway asks for time', async () => {
        await world.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: { maxBudget: 5 } });
        await world.until('DefaultBudgetEnforced', 'Enforced');
        proxy.calls.length = 0;
        proxy.fault = ({ path }) =>
          path === '/budget/info'
            ? { kind: 'answer', status: 429, body: '{}', headers: { 'retry-after': '30' } }
            : undefined;
        await world.patch({ metadata: { annotations: { look: 'again' } } });
        await eventually(() => {
          expect(proxy.calls.map(({ path }) => path)).to.include('/budget/info');
        });
        // It reconciles on, without waiting those thirty seconds, and counts.
        await world.customer('one');
        const counted = await eventually(async () => {
          const { status } = await world.read();
          expect(status?.customers?.total).to.equal(1);
          return status;
        }, 15_000);
        expect(counted?.conditions?.find(({ type }) => type === 'DefaultBudgetEnforced')?.status).to.equal('True');
      });

      it('and says that the period of the default does not hold at a gateway without a /budget API', async () => {
        proxy.fault = ({ path }) =>
          path.startsWith('/budget/')
            ? { kind: 'answer', status: 404, body: '{"detail":"Not Found"}', headers: {} }
            : undefined;
        const budgets = { maxBudget: 5, budgetDuration: '30d' };
        await world.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: budgets });
        const { status, message } = await world.until('DefaultBudgetEnforced', 'NotSupported');
        expect(status).to.equal('False');
        expect(message).to.include('it ignores the period 30d').and.include('only once');
        expect(await config()).to.deep.equal({ model_list: [], litellm_settings: { max_end_user_budget: 5 } });
        await world.patch({ spec: { defaultCustomerBudget: { budgetDuration: null } } });
        await world.until('DefaultBudgetEnforced', 'Enforced');
      });

      const rowsMade = (): unknown[] =>
        proxy.calls.filter(({ path }) => path === '/budget/new').map(({ body }) => body.budget_id);

      it('and waits at its end for a gateway that is away, says so, and can be told not to', async () => {
        await world.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: { maxBudget: 5 } });
        await world.until('DefaultBudgetEnforced', 'Enforced');
        proxy.fault = () => ({ kind: 'breakBefore' });
        await world.remove();
        const { message } = await world.until('Ready', 'Deleting');
        expect(message).to.include('budget row').and.include(annotations.forceDelete);
        await world.patch({ metadata: { annotations: { [annotations.forceDelete]: 'true' } } });
        await eventually(async () => {
          expect(await failure(world.read())).to.include('404');
        });
      });

      it('takes the row away again that it has made for an instance whose deletion overtook its finalizer', async () => {
        let id = '';
        proxy.fault = async ({ path }) => {
          if (path !== '/budget/new') return undefined;
          id = `gcust-default-${(await world.read()).metadata.uid}`;
          await world.vanish();
          return undefined;
        };
        await world.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: { maxBudget: 5 } });
        await eventually(() => {
          expect(proxy.calls.map(({ path }) => path)).to.include('/budget/delete');
        });
        await eventually(async () => {
          expect(await budget(id)).to.equal(undefined);
        });
        expect(rowsMade()).to.deep.equal([id]);
      });

      it('makes no row where it is known before that the deletion overtook the finalizer', async () => {
        proxy.fault = async ({ path }) => {
          if (path !== '/budget/info') return undefined;
          proxy.fault = () => undefined;
          await world.vanish();
          return undefined;
        };
        await world.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: { maxBudget: 5 } });
        await eventually(async () => {
          expect(await failure(world.read())).to.include('404');
        });
        await world.instance({ endpoint: proxy.url, proxyConfig, defaultCustomerBudget: { maxBudget: 5 } }, 'next');
        await world.until('DefaultBudgetEnforced', 'Enforced', 'next');
        expect(rowsMade()).to.deep.equal([`gcust-default-${(await world.read('next')).metadata.uid}`]);
      });
    });

    it('with a tier, and says when the gateway has none of that id', async () => {
      await world.instance({ proxyConfig, defaultCustomerBudget: { budgetId: 'gold' } });
      await world.until('DefaultBudgetEnforced', 'BudgetNotFound');
      await admin('/budget/new', { budget_id: 'gold', max_budget: 1 });
      await world.patch({ metadata: { annotations: { look: 'again' } } });
      await world.until('DefaultBudgetEnforced', 'Enforced');
      expect(await config()).to.have.deep.property('litellm_settings', { max_end_user_budget_id: 'gold' });
    });

    it("not in the place of a ConfigMap that is somebody else's", async () => {
      await world.configMap('litellm-config', { 'config.yaml': 'theirs: 1' });
      await world.instance({ proxyConfig });
      const condition = await world.until('ProxyConfigured', 'ConfigMapTaken');
      expect(condition.message).to.include('Name another ConfigMap in spec.proxyConfig.configMapName');
      expect(await config()).to.deep.equal({ theirs: 1 });
    });

    it('and keeps what was written while the base does not parse', async () => {
      await world.instance({ proxyConfig });
      await world.until('ProxyConfigured', 'Configured');
      await world.patch({ spec: { proxyConfig: { base: { inline: 'model_list: [' } } } });
      const condition = await world.until('ProxyConfigured', 'BaseInvalid');
      expect(condition.message).to.include('not valid YAML at line 1');
      expect(await config()).to.deep.equal({ model_list: [] });
    });

    it('and makes it call the guardrail only once that runs and the gateway has its key', async () => {
      await world.apply(proxyManifest({ volumes: configMounted }));
      await world.instance({ proxyConfig, workloadRef: { name: 'litellm' }, guardrail: { mode: 'Deployment' } });
      await world.until('ProxyConfigured', 'GuardrailNotDeployed');
      expect(await config()).to.not.have.property('guardrails');
      await world.rollOut(guardrail);
      const condition = await world.until('ProxyConfigured', 'KeyNotMounted');
      expect(condition.message).to.include(
        `{name: GUARDRAIL_API_KEY, valueFrom: {secretKeyRef: {name: ${guardrail}-api-key, key: api-key}}}`,
      );
      expect(await config()).to.not.have.property('guardrails');
      await world.apply(proxyManifest({ volumes: configMounted, env: keyMounted }));
      await eventually(async () => {
        expect(await config()).to.have.nested.property(
          'guardrails[0].litellm_params.api_base',
          `http://${guardrail}.${world.namespace}.svc:8080`,
        );
      });
      await world.until('ProxyConfigured', 'RollingOut');
      await world.rollOut('litellm');
      await world.until('ProxyConfigured', 'Configured');
      await world.until('Ready', 'Ready');
      const weak = `include: [more.yaml]
guardrails: [{ guardrail_name: gateway-guardrail, litellm_params: { fail_on_error: false, "a value": 1 } }]`;
      await world.patch({ spec: { proxyConfig: { base: { inline: weak } } } });
      await world.until('ProxyConfigured', 'RollingOut');
      await world.rollOut('litellm');
      expect((await world.until('ProxyConfigured', 'Configured')).message).to.equal(
        'Every pod of the gateway runs with its configuration. ' +
          'The operator removed settings with which requests can bypass the guardrail: litellm_params.fail_on_error, ' +
          'a key with an unusual name. Remove them from the base. ' +
          'The operator does not check files under include. Make sure that they change neither guardrails nor policies.',
      );
      // A guardrail that is away is no reason to stop calling it: the gateway fails closed.
      await world.apps.deleteNamespacedDeployment({ name: guardrail, namespace: world.namespace });
      await world.until('GuardrailReady', 'RollingOut');
      expect(await config()).to.have.nested.property(
        'guardrails[0].litellm_params.unreachable_fallback',
        'fail_closed',
      );
    });

    async function admin(path: string, body: object): Promise<unknown> {
      const answer = await fetch(`${world.gateway.url}${path}`, {
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
      const { spec } = await world.deployment('litellm');
      return (spec?.template.spec?.initContainers ?? []).map(({ name }) => name);
    }

    /** All of a Deployment that people wrote, and not the server or controllers. */
    async function written(): Promise<object> {
      const { metadata, spec } = await world.deployment('litellm');
      return { labels: metadata?.labels, annotations: metadata?.annotations, spec };
    }

    it("in the gateway's pods, by its own part of their Deployment alone", async () => {
      await world.apply(proxyManifest({ env: keyMounted }));
      await world.instance(sidecar);
      await world.until('GuardrailReady', 'RollingOut');
      await world.rollOut('litellm');
      await world.until('GuardrailReady', 'Ready');
      await world.until('ProxyConfigured', 'Configured');
      const { spec, metadata } = await world.deployment('litellm');
      const [container] = spec?.template.spec?.initContainers ?? [];
      expect(container).to.include({ name: 'gateway-guardrail', restartPolicy: 'Always' });
      expect(container?.env?.find(({ name }) => name === 'GUARDRAIL_HOST')?.value).to.equal('127.0.0.1');
      expect(container?.livenessProbe?.exec?.command?.join(' ')).to.include('http://127.0.0.1:9090/healthz');
      expect((await world.read()).status?.guardrail).to.include({ mode: 'Sidecar', endpoint: 'http://127.0.0.1:9090' });
      const ours = (metadata?.managedFields ?? []).find(({ manager }) => manager === 'gateway-guardrail-operator');
      expect(JSON.stringify(ours?.fieldsV1)).to.not.include('f:containers');
    });

    it('and says exactly which lines its owner has to add', async () => {
      await world.apply(proxyManifest());
      await world.instance(sidecar);
      const condition = await world.until('ProxyConfigured', 'KeyNotMounted');
      expect(condition.message).to.include(
        `to env of its container in Deployment litellm: {name: GUARDRAIL_API_KEY, valueFrom: {secretKeyRef: {name: ${guardrail}-api-key, key: api-key}}}`,
      );
    });

    it("which survives its owner's applies, and is taken out without a trace", async () => {
      await world.apply(proxyManifest({ env: keyMounted }));
      const before = await written();
      await world.instance(sidecar);
      await world.until('GuardrailReady', 'RollingOut');
      await world.apply(proxyManifest({ env: keyMounted }));
      await world.apply(proxyManifest({ env: keyMounted }));
      expect(await initContainers()).to.deep.equal(['gateway-guardrail']);
      await world.patch({ spec: { guardrail: null, workloadRef: { name: 'litellm' } } });
      await world.until('GuardrailReady', 'NotRequested');
      expect(await written()).to.deep.equal(before);
    });

    it('which is taken out without a trace with its instance', async () => {
      await world.apply(proxyManifest({ env: keyMounted }));
      const before = await written();
      await world.instance(sidecar);
      await world.until('GuardrailReady', 'RollingOut');
      await world.remove();
      await eventually(async () => {
        expect(await failure(world.read())).to.include('404');
      });
      expect(await written()).to.deep.equal(before);
    });

    for (const [when, during] of [
      ['while the operator looks', (act: () => Promise<void>): Promise<void> => act()],
      ['while there is no operator', (act: () => Promise<void>): Promise<void> => world.restart(act)],
    ] as const) {
      it(`which is taken out when its instance goes in spite of its finalizer, ${when}`, async () => {
        await world.apply(proxyManifest({ env: keyMounted }));
        const before = await written();
        await world.instance(sidecar);
        await world.until('GuardrailReady', 'RollingOut');
        await during(() => world.vanish());
        await eventually(async () => {
          expect(await written()).to.deep.equal(before);
        });
      });
    }

    it('which somebody forbids to take out: the end of its instance waits, says so, and can be told not to', async () => {
      await world.apply(proxyManifest({ env: keyMounted }));
      await world.instance(sidecar);
      await world.until('GuardrailReady', 'RollingOut');
      await world.forbidChanges('litellm');
      await world.remove();
      const { message } = await world.until('Ready', 'Deleting');
      expect(message).to.include('Nobody changes this.').and.include(annotations.forceDelete);
      await world.patch({ metadata: { annotations: { [annotations.forceDelete]: 'true' } } });
      await eventually(async () => {
        expect(await failure(world.read())).to.include('404');
      });
    });

    it('and goes to another Deployment when the instance names that one', async () => {
      await world.apply(proxyManifest({ env: keyMounted }));
      const before = await written();
      await world.apply(proxyManifest({ env: keyMounted }).replaceAll('litellm', 'other'));
      await world.instance(sidecar);
      await world.until('GuardrailReady', 'RollingOut');
      await world.patch({ spec: { workloadRef: { name: 'other' } } });
      await eventually(async () => {
        expect(await written()).to.deep.equal(before);
        const { spec } = await world.deployment('other');
        expect(spec?.template.spec?.initContainers).to.have.length(1);
      });
    });

    it('and is taken out of a Deployment that the instance no longer names, once its own has taken over', async () => {
      await world.apply(proxyManifest({ env: keyMounted }));
      const before = await written();
      await world.instance(sidecar);
      await world.until('GuardrailReady', 'RollingOut');
      await world.rollOut('litellm');
      await world.until('GuardrailReady', 'Ready');
      await world.patch({ spec: { workloadRef: null } });
      await world.until('GuardrailReady', 'RollingOut');
      expect(await initContainers()).to.deep.equal(['gateway-guardrail']);
      await world.rollOut(guardrail);
      await world.until('GuardrailReady', 'Ready');
      await eventually(async () => {
        expect(await written()).to.deep.equal(before);
      });
    });

    it("whose key stays as long as the gateway's owner has it mounted", async () => {
      await world.apply(proxyManifest({ env: keyMounted }));
      await world.instance(sidecar);
      await world.until('GuardrailReady', 'RollingOut');
      await world.rollOut('litellm');
      await world.until('GuardrailReady', 'Ready');
      await world.patch({ spec: { guardrail: null } });
      await world.until('GuardrailReady', 'NotRequested');
      await world.rollOut('litellm');
      await eventually(async () => {
        expect(await failure(world.readSecret(`${guardrail}-keys`))).to.include('404');
      });
      expect(await world.readSecret(`${guardrail}-api-key`)).to.have.property('api-key');
      await world.apply(proxyManifest());
      await world.rollOut('litellm');
      await world.patch({ metadata: { annotations: { look: 'again' } } });
      await eventually(async () => {
        expect(await failure(world.readSecret(`${guardrail}-api-key`))).to.include('404');
      });
    });

    for (const mounted of [true, false]) {
      it(`and leaves to the gateway what it ${mounted ? 'mounts' : 'does not mount'}, when its instance goes`, async () => {
        await world.apply(proxyManifest(mounted ? { env: keyMounted, volumes: configMounted } : {}));
        const base = '# mine\nmodel_list: []\n';
        const proxyConfig = { base: { inline: base }, configMapName: 'litellm-config' };
        await world.instance({ ...sidecar, proxyConfig });
        await world.until('GuardrailReady', 'RollingOut');
        const uids = async (): Promise<string> =>
          plane().kubectl(['get', 'cm,secret', '-n', world.namespace, '-o', 'jsonpath={..ownerReferences[*].uid}']);
        const { metadata } = await world.read();
        await world.remove();
        await eventually(async () => {
          expect(await failure(world.read())).to.include('404');
        });
        // There is no garbage collector here: what still names the instance would be collected.
        const mine = (await uids()).split(' ').filter((uid) => uid === metadata.uid);
        const map = await world.core.readNamespacedConfigMap({ name: 'litellm-config', namespace: world.namespace });
        expect(mine).to.have.length(mounted ? 1 : 3);
        if (!mounted) return;
        expect(map.data).to.deep.equal({ 'config.yaml': base });
        const { 'api-key': key } = await world.readSecret(`${guardrail}-api-key`);
        await world.instance({ ...sidecar, proxyConfig });
        await world.until('GuardrailReady', 'RollingOut');
        await eventually(async () => {
          expect((await uids()).split(' ').filter((uid) => uid !== metadata.uid)).to.have.length(3);
        });
        expect(await world.readSecret(`${guardrail}-api-key`), 'the same key').to.include({ 'api-key': key });
      });
    }

    it('and puts it back when it is taken out, but not for ever', async () => {
      const own = '[{name: migrate, image: "migrate:1"}]';
      await world.apply(proxyManifest({ env: keyMounted, initContainers: own }));
      await world.instance(sidecar);
      await world.until('GuardrailReady', 'RollingOut');
      for (const time of [1, 2, 3]) {
        // As kubectl replace does: nothing but what the file says.
        await world.replace(proxyManifest({ env: keyMounted, initContainers: own }));
        if (time === 3) break;
        await eventually(async () => {
          expect(await initContainers()).to.include('gateway-guardrail');
        });
      }
      const condition = await world.until('GuardrailReady', 'SidecarContested');
      expect(condition.message).to.include('keep init containers that it does not own');
      await world.patch({ metadata: { annotations: { look: 'again' } } });
      await world.customer('one');
      await eventually(async () => {
        expect((await world.read()).status?.customers?.total).to.equal(1);
      });
      expect(await initContainers()).to.deep.equal(['migrate']);
      // A change of the spec is a new attempt.
      await world.patch({ spec: { guardrail: { recall: 'Precise' } } });
      await eventually(async () => {
        expect(await initContainers()).to.include('gateway-guardrail');
      });
    });

    it('and waits for a Deployment that is not there yet', async () => {
      await world.instance(sidecar);
      const condition = await world.until('GuardrailReady', 'WorkloadNotFound');
      expect(condition.message).to.include('Deployment litellm does not exist in namespace');
      await world.until('ProxyConfigured', 'WorkloadNotFound');
      await world.apply(proxyManifest({ env: keyMounted }));
      await world.until('GuardrailReady', 'RollingOut');
    });

    it('but not where an older instance already does', async () => {
      await world.apply(proxyManifest({ env: keyMounted }));
      await world.instance(sidecar);
      await world.until('GuardrailReady', 'RollingOut');
      await world.instance(sidecar, 'second');
      const condition = await world.until('GuardrailReady', 'WorkloadTaken', 'second');
      expect(condition.message).to.include('GatewayInstance main already manages Deployment litellm');
    });

    it('then as a Deployment, and never leaves the gateway without one', async () => {
      await world.apply(proxyManifest({ env: keyMounted }));
      await world.instance(sidecar);
      await world.until('GuardrailReady', 'RollingOut');
      await world.rollOut('litellm');
      await world.until('GuardrailReady', 'Ready');
      await world.patch({ spec: { guardrail: { mode: 'Deployment' } } });
      await world.until('GuardrailReady', 'RollingOut');
      expect(await initContainers(), 'the new one does not run yet').to.deep.equal(['gateway-guardrail']);
      await world.rollOut(guardrail);
      await world.until('GuardrailReady', 'Ready');
      await eventually(async () => {
        expect(await initContainers()).to.deep.equal([]);
      });
      expect((await world.read()).status?.guardrail).to.include({ mode: 'Deployment' });

      await world.patch({ spec: { guardrail: { mode: 'Sidecar' } } });
      await world.until('GuardrailReady', 'RollingOut');
      expect(await initContainers()).to.deep.equal(['gateway-guardrail']);
      await world.deployment(guardrail);
      await world.rollOut('litellm');
      await world.until('GuardrailReady', 'Ready');
      await eventually(async () => {
        expect(await failure(world.deployment(guardrail))).to.include('404');
      });
    });

    it('whose API key rotates with the roll-out of the gateway, without a call that fails', async () => {
      await world.apply(proxyManifest({ env: keyMounted }));
      await world.instance(sidecar);
      await world.until('GuardrailReady', 'RollingOut');
      await world.rollOut('litellm');
      await world.until('GuardrailReady', 'Ready');
      const before = await world.readSecret(`${guardrail}-api-key`);
      await world.patch({ metadata: { annotations: { [annotations.rotateApiKey]: 'one' } } });
      const during = await eventually(async () => {
        const secret = await world.readSecret(`${guardrail}-api-key`);
        expect(secret['api-key']).to.not.equal(before['api-key']);
        return secret;
      });
      expect(during['api-keys'])
        .to.include(`:${before['api-key'] ?? ''}`)
        .and.to.include(`:${during['api-key'] ?? ''}`);
      await world.until('GuardrailReady', 'RollingOut');
      expect((await world.read()).status?.guardrail?.lastHandledApiKeyRotation).to.equal('one');
      await world.rollOut('litellm');
      await world.until('GuardrailReady', 'Ready');
      expect((await world.readSecret(`${guardrail}-api-key`))['api-keys']).to.include(before['api-key']);
      world.advance(60_000);
      await world.patch({ metadata: { annotations: { look: 'again' } } });
      await eventually(async () => {
        const { 'api-keys': keys } = await world.readSecret(`${guardrail}-api-key`);
        expect(keys).to.not.include(before['api-key']);
      });
      expect((await world.readSecret(`${guardrail}-api-key`))['api-key']).to.equal(during['api-key']);
    });
  });
});
