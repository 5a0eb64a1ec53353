/** A guardrail that the operator runs as a Deployment: its objects, its keys, and what keeps it running. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import { policyRevision } from '../../guardrail/guardrail.ts';
import { annotations, GROUP } from '../api/v1alpha1/v1alpha1.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { installCrds } from '../api/testing/installCrds.ts';
import { Testbed } from './testing/harness.ts';

const guardrail = 'main-guardrail';
const redis = { urlSecretRef: { name: 'redis', key: 'url' } };

describe('an instance that runs a guardrail as a Deployment', function () {
  this.timeout(90_000);
  const plane = withControlPlane();
  let testbed: Testbed;

  before(() => installCrds(plane()));
  beforeEach(async () => {
    testbed = await Testbed.start(plane());
  });
  afterEach(() => testbed.stop());

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

  it('and warns if an application names no end user, until such calls are refused', async () => {
    testbed.lastCall = new Date();
    await testbed.instance({ guardrail: {} });
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.rollOut(guardrail);
    const messageMatches = (pattern: RegExp): Promise<void> =>
      eventually(async () => {
        const { status } = await testbed.read();
        const condition = status?.conditions?.find(({ type }) => type === 'GuardrailReady');
        expect([condition?.reason, pattern.test(condition?.message ?? '')]).to.deep.equal(['Ready', true]);
      });
    await messageMatches(/ Warning: an application names no end user in its calls/);
    expect((await testbed.read()).status?.guardrail?.lastCallWithoutEndUser).to.equal(testbed.lastCall.toISOString());
    await testbed.patch({ spec: { guardrail: { requireEndUser: true } } });
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.rollOut(guardrail);
    await messageMatches(/^(?!.*Warning)/);
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
      // Without a garbage collector, emptied Secrets remain.
      for (const name of [`${guardrail}-keys`, `${guardrail}-api-key`]) {
        expect(await testbed.readSecret(name), name).to.deep.equal({});
      }
      const kinds = 'deployment,service,serviceaccount,configmap,pdb,networkpolicy';
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
    const before = await testbed.deployment(guardrail);
    await testbed.patch({ spec: { guardrail: { replicas: null, autoscaling: { maxReplicas: 6 } } } });
    await eventually(() => plane().kubectl(['get', 'hpa', guardrail, '-n', testbed.namespace]));
    await testbed.until('GuardrailReady', 'RollingOut');
    const replicas = (await testbed.statesSince(before)).map(({ spec }) => spec?.replicas);
    expect(new Set(replicas)).to.deep.equal(new Set([4]));
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
    await testbed.look();
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
    await testbed.look();
    const { message } = await testbed.until('GuardrailReady', 'MetricsSecretInvalid');
    expect(message).to.contain('at least 16 visible').and.not.contain('short');
    expect(await generation()).to.equal(before);
    await testbed.secret('scrape', { token: 'another-token-of-metrics' });
    await testbed.look();
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
      await testbed.look();
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
    await testbed.look();
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
      await other.look();
      await eventually(() => {
        expect(asked).to.not.deep.equal([]);
      });
      const during = await keys();
      expect(during['api-key'], 'the pod rejects the new key').to.equal(before['api-key']);
      expect(during['api-keys']).to.include(before['api-key']).and.to.include(asked[0]);
      pod = 404;
      await other.look();
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

  it('and keeps the running one while the spec requests one that cannot run', async () => {
    await testbed.instance({ guardrail: {} });
    await testbed.until('GuardrailReady', 'RollingOut');
    await testbed.rollOut(guardrail);
    await testbed.until('GuardrailReady', 'Ready');
    const before = await generation();
    const nothing = { replicas: null, autoscaling: null, redis: null, metricsTokenSecretRef: null, policy: null };
    for (const [spec, reason, message] of [
      [{ replicas: 3 }, 'RedisRequired', 'A guardrail with 3 replicas needs a store that all pods share'],
      [{ autoscaling: { maxReplicas: 3 } }, 'RedisRequired', 'An autoscaled guardrail needs a store'],
      [{ redis: { urlSecretRef: { name: 'none', key: 'url' } } }, 'RedisSecretMissing', 'Secret none does not exist'],
      [{ metricsTokenSecretRef: { name: 'none', key: 'a' } }, 'MetricsSecretMissing', 'Secret none does not exist'],
      [{ policy: { inline: 'a: [' } }, 'PolicyInvalid', 'spec.guardrail.policy has an error: Line 1'],
      [{ policy: { inline: 'entities: {PERSON: hide}' } }, 'PolicyInvalid', 'entities.PERSON must be'],
      [{ policy: { configMapRef: { name: 'none', key: 'a' }, inline: null } }, 'PolicyNotFound', 'none with key a'],
    ] as const) {
      await testbed.patch({ spec: { guardrail: { ...nothing, ...spec } } });
      expect((await testbed.until('GuardrailReady', reason)).message).to.include(message);
      expect(await generation(), message).to.equal(before);
      expect((await testbed.read()).status?.guardrail?.endpoint).to.include(guardrail);
    }
  });

  it('and does not change an object of the name that has another owner', async () => {
    await testbed.configMap(guardrail, { theirs: '1' });
    await testbed.instance({ guardrail: { policy: { inline: 'entities: {PERSON: block}' } } });
    const condition = await testbed.until('GuardrailReady', 'NameTaken');
    expect(condition.message).to.include(`ConfigMap ${guardrail} exists and does not belong to this instance`);
    const map = await testbed.core.readNamespacedConfigMap({ name: guardrail, namespace: testbed.namespace });
    expect(map.data).to.deep.equal({ theirs: '1' });
  });
});
