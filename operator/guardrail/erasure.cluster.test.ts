/**
 * Erasure in sidecars that listen on their pods' loopback address, through a real API server and a kubelet that
 * forwards ports.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'chai';
import { withControlPlane } from '../../hack/harness/controlplane.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { namesOf } from '../cluster/names.ts';
import { eraseSessions, ErasureError } from '../customer/deleteRecord.ts';
import { TestAuthority } from '../gateway/testing/certificates.ts';
import { instanceOf } from '../instance/testing/instances.ts';
import { policyRules } from '../runtime/runtime.ts';
import { type FakeKubelet, startFakeKubelet } from '../runtime/testing/fakeKubelet.ts';
import { RestClient, Transport, transportOptions } from '../runtime/testing/testing.ts';
import { erasureEndpoints, NoGuardrailError, selectorText, sidecarPermissions } from './erasure.ts';

const PORT = 8080;

/** A guardrail that only erases. */
interface Sidecar {
  readonly port: number;
  status: number;
  readonly calls: { readonly path: string; readonly key: string; readonly body: unknown }[];
  stop(): Promise<void>;
}

async function startSidecar(): Promise<Sidecar> {
  const server: Server = createServer((incoming, outgoing) => {
    void textOf(incoming).then((text) => {
      const key = String(incoming.headers['x-api-key']);
      sidecar.calls.push({ path: incoming.url ?? '', key, body: JSON.parse(text) as unknown });
      outgoing.writeHead(sidecar.status, { 'content-type': 'application/json' }).end('{"deleted":1}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sidecar: Sidecar = {
    port: (server.address() as AddressInfo).port,
    status: 200,
    calls: [],
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return sidecar;
}

describe('erasing the sessions in sidecars', function () {
  this.timeout(60_000);
  const cluster = withControlPlane();
  let namespace: string;
  let node: string;
  let kubelet: FakeKubelet;
  let sidecars: Sidecar[];
  let transport: Transport;
  let client: RestClient;

  const kubectl = (args: string[], input?: object): Promise<string> =>
    cluster().kubectl(args, input === undefined ? undefined : JSON.stringify(input));
  const apply = (object: object): Promise<string> => kubectl(['apply', '-n', namespace, '-f', '-'], object);

  before(async () => {
    kubelet = await startFakeKubelet(new TestAuthority().server());
  });
  after(() => kubelet.stop());

  beforeEach(async () => {
    namespace = await cluster().createNamespace('erasure');
    node = `node-${namespace}`;
    await apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: node } });
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    };
    await kubectl(['patch', 'node', node, '--subresource=status', '-p', JSON.stringify({ status })]);
    await apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
    const user = `operator-${namespace}`;
    const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
    const deployments = { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] };
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'operator' } };
    await apply({
      ...role,
      kind: 'Role',
      rules: [...policyRules(sidecarPermissions, ['watched']), secrets, deployments],
    });
    await apply({
      ...role,
      kind: 'RoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'operator' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
    transport = new Transport(cluster().kubeConfig(user), transportOptions());
    client = new RestClient(transport);
    sidecars = [await startSidecar(), await startSidecar()];
    const template = {
      metadata: { labels: { app: 'gateway' } },
      spec: { containers: [{ name: 'gateway', image: 'gateway' }] },
    };
    const selector = { matchLabels: { app: 'gateway' } };
    await apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'gateway' },
      spec: { selector, template },
    });
    const { apiKeySecret } = namesOf(instance());
    const stringData = { 'api-key': 'gk-1', 'api-keys': 'gateway:gk-1' };
    await apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: apiKeySecret }, stringData });
  });
  afterEach(async () => {
    for (const sidecar of sidecars) await sidecar.stop();
    await transport.close();
    await kubectl(['delete', 'node', node]);
  });

  /** A pod of the gateway on the node, as a kubelet reports it. */
  async function pod(
    name: string,
    sidecar: Sidecar | undefined,
    state: 'running' | 'waiting' = 'running',
  ): Promise<void> {
    const env = [{ name: 'GUARDRAIL_PORT', value: String(PORT) }];
    const initContainers = [{ name: 'gateway-guardrail', image: 'guardrail', restartPolicy: 'Always', env }];
    await apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { app: 'gateway' } },
      spec: {
        nodeName: node,
        containers: [{ name: 'gateway', image: 'gateway' }],
        initContainers: sidecar === undefined ? [] : initContainers,
        automountServiceAccountToken: false,
      },
    });
    const running = { running: { startedAt: '2026-11-21T00:00:00Z' } };
    const initContainerStatuses = [
      {
        name: 'gateway-guardrail',
        image: 'guardrail',
        imageID: '',
        ready: state === 'running',
        restartCount: 0,
        state: state === 'running' ? running : { waiting: { reason: 'CrashLoopBackOff' } },
      },
    ];
    const status = { phase: 'Running', initContainerStatuses: sidecar === undefined ? [] : initContainerStatuses };
    await kubectl(['patch', 'pod', name, `-n${namespace}`, '--subresource=status', '-p', JSON.stringify({ status })]);
    if (sidecar !== undefined) kubelet.ports.set(`${name}:${PORT}`, sidecar.port);
  }

  function instance(shared = false): GatewayInstance {
    const redis = shared ? { redis: { urlSecretRef: { name: 'redis', key: 'url' } } } : {};
    const made = instanceOf({ workloadRef: { name: 'gateway' }, guardrail: { mode: 'Sidecar', ...redis } });
    const guardrail = {
      mode: 'Sidecar' as const,
      endpoint: `http://127.0.0.1:${PORT}`,
      apiKeySecretName: namesOf(made).apiKeySecret,
    };
    return { ...made, metadata: { ...made.metadata, namespace }, status: { guardrail } };
  }

  const erase = async (of = instance()): Promise<void> => {
    await eraseSessions(await erasureEndpoints({ client }, of), 'someone', new AbortController().signal);
  };

  it('calls every pod with the key, for the sessions of both tenants, if the store is in memory', async () => {
    const [one, other] = sidecars;
    await pod('one', one);
    await pod('other', other);
    await pod('older', undefined);
    await pod('crashing', one, 'waiting');
    await erase();
    const call = { path: '/subjects/erase', key: 'gk-1' };
    for (const sidecar of sidecars) {
      expect(sidecar.calls).to.have.deep.members([
        { ...call, body: { end_user_id: 'someone' } },
        { ...call, body: { end_user_id: 'someone', tenant: 'inline' } },
      ]);
    }
  });

  it('calls one pod if the store is shared', async () => {
    const [one, other] = sidecars;
    await pod('one', one);
    await pod('other', other);
    await erase(instance(true));
    expect(sidecars.map(({ calls }) => calls.length)).to.have.members([2, 0]);
  });

  it('calls nothing if no pod runs and the store is in memory, and fails if the store is shared', async () => {
    expect(await erasureEndpoints({ client }, instance())).to.deep.equal([]);
    const fault: unknown = await erasureEndpoints({ client }, instance(true)).catch((error: unknown) => error);
    expect(fault)
      .to.be.instanceOf(NoGuardrailError)
      .with.property('message')
      .that.contains('no pod of the gateway is running');
  });

  it('fails if one pod rejects the call or its guardrail does not listen', async () => {
    const [one, other] = sidecars;
    await pod('one', one);
    await pod('other', other);
    const fault = async (): Promise<unknown> => erase().catch((error: unknown) => error);
    if (other !== undefined) other.status = 503;
    expect(await fault())
      .to.be.instanceOf(ErasureError)
      .with.property('message')
      .that.contains('503');
    kubelet.ports.delete(`other:${PORT}`);
    expect(await fault())
      .to.be.instanceOf(ErasureError)
      .with.property('message')
      .that.contains('is unreachable');
  });

  it('names the missing permission to forward ports', async () => {
    await pod('one', sidecars[0]);
    await kubectl(['delete', 'rolebinding', 'operator', `-n${namespace}`]);
    const fault: unknown = await client.portForward({ namespace, name: 'one' }, PORT).catch((error: unknown) => error);
    expect(String(fault)).to.contain('pods/portforward');
    const rules = [
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] },
    ];
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'operator' } };
    await apply({ ...role, kind: 'Role', rules });
    await apply({
      ...role,
      kind: 'RoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'operator' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `operator-${namespace}` }],
    });
    const told: unknown = await erase().catch((error: unknown) => error);
    expect(told).to.be.instanceOf(NoGuardrailError);
    expect(String(told)).to.contain('Add the component operator/manifests/components/sidecar');
    expect(sidecars[0]?.calls).to.deep.equal([]);
  });
});

describe('a label selector as text', () => {
  it('has all its terms', () => {
    const matchExpressions = [
      { key: 'tier', operator: 'In', values: ['a', 'b'] },
      { key: 'zone', operator: 'NotIn', values: ['c'] },
      { key: 'app', operator: 'Exists' },
      { key: 'canary', operator: 'DoesNotExist' },
    ];
    expect(selectorText({ matchLabels: { app: 'gateway', x: 'y' }, matchExpressions })).to.equal(
      'app=gateway,x=y,tier in (a,b),zone notin (c),app,!canary',
    );
    expect(selectorText({})).to.equal('');
  });
});
