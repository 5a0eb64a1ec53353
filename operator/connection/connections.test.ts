import { expect } from 'chai';
import type { GatewayInstance, GatewayInstanceSpec } from '../api/v1alpha1/v1alpha1.ts';
import { API_VERSION } from '../api/v1alpha1/v1alpha1.ts';
import { TestAuthority } from '../gateway/testing/certificates.ts';
import type { KubeClient, ObjectKey, ResourceKind } from '../runtime/runtime.ts';
import { ApiError } from '../runtime/runtime.ts';
import { ConnectionError } from './readConnection.ts';
import { Connections } from './connections.ts';
import { parseDuration } from '../cluster/duration.ts';

const PEM = new TestAuthority().ca.trim();

function instanceOf(spec: Partial<GatewayInstanceSpec> = {}, generation = 1): GatewayInstance {
  return {
    apiVersion: API_VERSION,
    kind: 'GatewayInstance',
    metadata: {
      name: 'main',
      namespace: 'ai',
      uid: 'uid-1',
      resourceVersion: '1',
      generation,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      endpoint: 'https://gateway.example.com/base/',
      masterKeySecretRef: { name: 'gateway', key: 'master-key' },
      ...spec,
    },
  };
}

/** An API server that serves only Secrets and Services, a clock that stands still, and the number of reads. */
class Cluster {
  readonly objects = new Map<string, object>([['Secret gateway', secret({ 'master-key': 'sk-one' })]]);
  instance: GatewayInstance | undefined = instanceOf();
  now = 0;
  reads = 0;
  failure: Error | undefined;
  readonly connections: Connections;

  constructor() {
    const get = async (kind: ResourceKind, { name }: ObjectKey): Promise<unknown> => {
      this.reads += 1;
      await Promise.resolve();
      if (this.failure !== undefined) throw this.failure;
      const object = this.objects.get(`${kind.kind} ${name}`);
      if (object === undefined) throw new ApiError('The object does not exist.', { status: 404, reason: 'NotFound' });
      return object;
    };
    this.connections = new Connections({
      client: { get } as Pick<KubeClient, 'get'>,
      instances: { get: ({ namespace, name }) => (namespace === 'ai' && name === 'main' ? this.instance : undefined) },
      clock: { monotonic: () => this.now },
    });
  }

  /** The error with which the use of the connection fails. */
  async fault(): Promise<ConnectionError> {
    try {
      await this.connections.forInstance(this.instance ?? instanceOf());
    } catch (error) {
      if (error instanceof ConnectionError) return error;
      throw error;
    }
    throw new Error('Expected an error.');
  }
}

function secret(data: Record<string, string>): object {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return { data: Object.fromEntries(encoded) as object };
}

describe('connection to a gateway', () => {
  let cluster: Cluster;
  beforeEach(() => {
    cluster = new Cluster();
  });

  it('rejects an invalid address that the API server accepted', async () => {
    for (const endpoint of ['http://127.0.0.1:99999', 'http://1.2.3.999', 'http://[::1', 'no-address']) {
      cluster.instance = instanceOf({ endpoint });
      const fault = await cluster.fault();
      expect(fault.instanceReason).to.equal('EndpointInvalid');
      expect(fault.message).to.include('spec.endpoint').and.not.include(endpoint);
    }
  });

  it('has everything that a client needs, with defaults', async () => {
    expect(await cluster.connections.forCustomer({ name: 'main' }, 'ai')).to.deep.equal({
      instance: { namespace: 'ai', name: 'main', uid: 'uid-1' },
      endpoint: 'https://gateway.example.com/base',
      proxyName: 'gateway',
      masterKey: 'sk-one',
      ca: undefined,
      rateLimit: { qps: 1000, burst: 200, maxConcurrent: 16 },
      syncInterval: 300_000,
      enforcement: { blockedUserCheck: false, preCallChecks: false },
    });
  });

  for (const [what, ref, namespace, reason] of [
    ['an instance of its own namespace', { name: 'main' }, 'ai', undefined],
    ['the same by its full name', { name: 'main', namespace: 'ai' }, 'ai', undefined],
    ['an instance that allows its namespace', { name: 'main', namespace: 'ai' }, 'sales', undefined],
    ['an instance that does not', { name: 'main', namespace: 'ai' }, 'other', 'NamespaceNotAllowed'],
    ['an instance that does not exist', { name: 'none' }, 'ai', 'InstanceNotFound'],
    ['an instance of another namespace by its short name', { name: 'main' }, 'sales', 'InstanceNotFound'],
  ] as const) {
    it(`is ${reason === undefined ? 'available' : 'unavailable'} to a customer that refers to ${what}`, async () => {
      cluster.instance = instanceOf({ allowedNamespaces: ['sales'] });
      const found = await cluster.connections.forCustomer(ref, namespace).catch((error: unknown) => error);
      expect(found instanceof ConnectionError ? found.reason : undefined).to.equal(reason);
    });
  }

  it('is available to every namespace if the instance allows "*"', async () => {
    cluster.instance = instanceOf({ allowedNamespaces: ['*'] });
    expect(await cluster.connections.forCustomer({ name: 'main', namespace: 'ai' }, 'any')).to.include({
      masterKey: 'sk-one',
    });
  });

  for (const [what, spec, objects, reason, message] of [
    [
      'no such Secret',
      { masterKeySecretRef: { name: 'none', key: 'a' } },
      {},
      'SecretNotFound',
      'spec.masterKeySecretRef.name',
    ],
    [
      'no such key',
      { masterKeySecretRef: { name: 'gateway', key: 'a' } },
      {},
      'SecretKeyMissing',
      'spec.masterKeySecretRef.key',
    ],
    [
      'a key with two lines',
      {},
      { 'Secret gateway': secret({ 'master-key': 'sk-one\nsk-two' }) },
      'SecretKeyMissing',
      'contains white space',
    ],
    [
      'an empty key',
      {},
      { 'Secret gateway': secret({ 'master-key': ' \n' }) },
      'SecretKeyMissing',
      'has no value under key master-key',
    ],
    [
      'no such Service',
      { endpoint: undefined, serviceRef: { name: 'none' } },
      {},
      'ServiceNotFound',
      'spec.serviceRef.name',
    ],
    [
      'a Service with two ports',
      { endpoint: undefined, serviceRef: { name: 'two' } },
      { 'Service two': { spec: { ports: [{ port: 80 }, { port: 81 }] } } },
      'ServicePortUnclear',
      'has the ports 80, 81. Set spec.serviceRef.port',
    ],
    [
      'a port that the Service does not have',
      { endpoint: undefined, serviceRef: { name: 'one', port: 82 } },
      { 'Service one': { spec: { ports: [{ port: 80 }] } } },
      'ServicePortUnclear',
      'has the ports 80',
    ],
    [
      'an authority that is no certificate',
      { tls: { caSecretRef: { name: 'gateway', key: 'master-key' } } },
      {},
      'CaInvalid',
      'contains no valid PEM certificate',
    ],
    [
      'an incomplete authority',
      { tls: { caSecretRef: { name: 'ca', key: 'ca.crt' } } },
      { 'Secret ca': secret({ 'ca.crt': `${PEM}\n${PEM.slice(0, 100)}\n-----END CERTIFICATE-----` }) },
      'CaInvalid',
      'contains no valid PEM certificate',
    ],
  ] as const) {
    it(`is not ready with ${what}, and the message has a remedy`, async () => {
      cluster.instance = instanceOf(spec as Partial<GatewayInstanceSpec>);
      for (const [name, object] of Object.entries<object>(objects)) cluster.objects.set(name, object);
      const fault = await cluster.fault();
      expect(fault).to.include({ reason: 'InstanceNotReady', instanceReason: reason });
      expect(fault.message).to.include(message).and.to.not.include('sk-');
    });
  }

  it('uses the only port of a Service, at its name in the cluster', async () => {
    cluster.instance = instanceOf({ endpoint: undefined, serviceRef: { name: 'litellm', scheme: 'https' } } as object);
    cluster.objects.set('Service litellm', { spec: { ports: [{ port: 4000 }] } });
    expect((await cluster.connections.forInstance(cluster.instance)).endpoint).to.equal('https://litellm.ai.svc:4000');
  });

  it('accepts a key with a trailing line break, and reads the authorities', async () => {
    cluster.objects.set('Secret gateway', secret({ 'master-key': 'sk-one\n', 'ca.crt': `${PEM}\n${PEM}` }));
    cluster.instance = instanceOf({ tls: { caSecretRef: { name: 'gateway', key: 'ca.crt' } } });
    expect(await cluster.connections.forInstance(cluster.instance)).to.include({
      masterKey: 'sk-one',
      ca: `${PEM}\n${PEM}`,
    });
  });

  it('reports a missing permission to read the Secret', async () => {
    cluster.failure = new ApiError('Forbidden.', { status: 403, reason: 'Forbidden' });
    expect(await cluster.fault()).to.include({ instanceReason: 'SecretNotReadable' });
  });

  it('is read once for concurrent callers, and again after a minute', async () => {
    const all = await Promise.all(
      Array.from({ length: 100 }, () => cluster.connections.forCustomer({ name: 'main' }, 'ai')),
    );
    expect(new Set(all).size).to.equal(1);
    expect(cluster.reads).to.equal(1);
    cluster.now = 59_000;
    await cluster.connections.forCustomer({ name: 'main' }, 'ai');
    expect(cluster.reads).to.equal(1);
    cluster.now = 61_000;
    expect(await cluster.connections.forCustomer({ name: 'main' }, 'ai'), 'nothing has changed').to.equal(all[0]);
    expect(cluster.reads).to.equal(2);
    cluster.objects.set('Secret gateway', secret({ 'master-key': 'sk-two' }));
    cluster.now = 122_000;
    expect(await cluster.connections.forCustomer({ name: 'main' }, 'ai')).to.include({ masterKey: 'sk-two' });
  });

  it('has what the gateway enforces according to a ConfigMap, and follows its changes', async () => {
    const base = { configMapRef: { name: 'base', key: 'config.yaml' } };
    cluster.instance = instanceOf({ proxyName: 'litellm', proxyConfig: { configMapName: 'config', base } });
    const enforcement = async (): Promise<unknown> =>
      (await cluster.connections.forCustomer({ name: 'main' }, 'ai')).enforcement;
    expect(await enforcement(), 'no such ConfigMap').to.include({ blockedUserCheck: false });
    const text = 'litellm_settings: {callbacks: [blocked_user_check]}';
    cluster.objects.set('ConfigMap base', { data: { 'config.yaml': text } });
    cluster.now = 61_000;
    expect(await enforcement()).to.include({ blockedUserCheck: true });
    cluster.objects.set('ConfigMap base', { data: {} });
    cluster.now = 122_000;
    expect(await enforcement()).to.include({ blockedUserCheck: false });
  });

  it('is replaced as soon as the spec changes', async () => {
    const before = await cluster.connections.forCustomer({ name: 'main' }, 'ai');
    cluster.instance = instanceOf({ rateLimit: { qps: 1 } }, 2);
    const after = await cluster.connections.forCustomer({ name: 'main' }, 'ai');
    expect(after).to.not.equal(before);
    expect(after.rateLimit).to.deep.equal({ qps: 1, burst: 200, maxConcurrent: 16 });
  });

  it('is read again at once when the gateway has rejected the key', async () => {
    const before = await cluster.connections.forCustomer({ name: 'main' }, 'ai');
    expect(await cluster.connections.refresh(before), 'the key is still the rejected one').to.equal(before);
    cluster.objects.set('Secret gateway', secret({ 'master-key': 'sk-two' }));
    const reads = cluster.reads;
    const fresh = await Promise.all([1, 2, 3].map(() => cluster.connections.refresh(before)));
    expect(fresh.map(({ masterKey }) => masterKey)).to.deep.equal(['sk-two', 'sk-two', 'sk-two']);
    expect(cluster.reads - reads, 'one read for all callers').to.equal(1);
  });

  it('keeps the last key while the API server is unreachable, but not without a Secret', async () => {
    const before = await cluster.connections.forCustomer({ name: 'main' }, 'ai');
    cluster.now = 120_000;
    cluster.failure = new ApiError('Refused.', { status: 0 });
    expect(await cluster.connections.forCustomer({ name: 'main' }, 'ai')).to.equal(before);
    cluster.failure = undefined;
    cluster.objects.clear();
    expect(await cluster.fault()).to.include({ instanceReason: 'SecretNotFound' });
  });

  it('is not taken from a former instance of the same name', async () => {
    const before = await cluster.connections.forCustomer({ name: 'main' }, 'ai');
    const { metadata, ...rest } = instanceOf();
    cluster.instance = { ...rest, metadata: { ...metadata, uid: 'uid-2' } };
    const after = await cluster.connections.forCustomer({ name: 'main' }, 'ai');
    expect(after.instance.uid).to.equal('uid-2');
    expect(before.instance.uid).to.equal('uid-1');
  });

  describe('for a deletion', () => {
    const deletion = (namespace = 'ai'): Promise<unknown> =>
      cluster.connections.forDeletion({ name: 'main', namespace: 'ai' }, namespace).catch((error: unknown) => error);
    const beingDeleted = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };

    beforeEach(async () => {
      cluster.instance = instanceOf({ allowedNamespaces: ['sales'] });
      await cluster.connections.forInstance(cluster.instance);
      cluster.objects.clear();
      cluster.objects.set('Namespace ai', beingDeleted);
      cluster.now = 120_000;
    });

    it('is the last known one if the key was deleted with its namespace', async () => {
      expect(await deletion()).to.include({ masterKey: 'sk-one' });
      expect(await deletion('sales')).to.include({ masterKey: 'sk-one' });
      expect(await cluster.connections.forInstanceDeletion(cluster.instance ?? instanceOf())).to.include({
        masterKey: 'sk-one',
      });
      expect(await cluster.fault(), 'for nothing else').to.include({ instanceReason: 'SecretNotFound' });
      cluster.instance = undefined;
      cluster.connections.forget('ai', 'main', true);
      expect(await deletion('sales')).to.include({ masterKey: 'sk-one' });
    });

    it('leaves memory when nothing refers to the deleted instance anymore', async () => {
      cluster.instance = undefined;
      cluster.connections.forget('ai', 'main', false);
      expect(await deletion('sales')).to.include({ reason: 'InstanceNotFound' });
    });

    it('is not kept by a read that ends after the deletion of the instance', async () => {
      const { instance } = cluster;
      cluster.objects.set('Secret gateway', secret({ 'master-key': 'sk-two' }));
      cluster.connections.forget('ai', 'main', false);
      const reading = cluster.connections.forInstance(instance ?? instanceOf());
      cluster.instance = undefined;
      cluster.connections.forget('ai', 'main', false);
      expect(await reading).to.include({ masterKey: 'sk-two' });
      expect(await deletion('sales')).to.include({ reason: 'InstanceNotFound' });
    });

    it('does not exist if only the key was deleted', async () => {
      cluster.objects.set('Namespace ai', { metadata: {} });
      expect(await deletion()).to.include({ instanceReason: 'SecretNotFound' });
      cluster.objects.delete('Namespace ai');
      expect(await deletion()).to.include({ instanceReason: 'SecretNotFound' });
    });

    it('does not exist for a namespace that is not allowed, and for another instance of the name', async () => {
      expect(await deletion('other')).to.include({ reason: 'NamespaceNotAllowed' });
      const { metadata, ...rest } = instanceOf();
      cluster.instance = undefined;
      expect(await deletion('other')).to.include({ reason: 'InstanceNotFound' });
      cluster.instance = { ...rest, metadata: { ...metadata, uid: 'uid-2' } };
      expect(await deletion()).to.include({ instanceReason: 'SecretNotFound' });
    });

    it('is the newest one if the key exists', async () => {
      cluster.objects.set('Secret gateway', secret({ 'master-key': 'sk-two' }));
      expect(await deletion()).to.include({ masterKey: 'sk-two' });
    });
  });

  for (const [text, milliseconds] of [
    ['1s', 1_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1500ms', 1_500],
    ['2d', 172_800_000],
  ] as const) {
    it(`reads ${text} as a duration`, () => {
      expect(parseDuration(text)).to.equal(milliseconds);
    });
  }

  it('rejects a text that is not a duration', () => {
    for (const text of ['', '5', 'm', '1.5h', '-1s', '1s '])
      expect(() => parseDuration(text), text).to.throw(RangeError);
  });
});
