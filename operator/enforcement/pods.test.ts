/** What pods have loaded, asked of the real guardrail. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { customerListRevision, policyRevision, shardName, writeCustomerList } from '../../guardrail/guardrail.ts';
import { KEY, startHarness, type Harness } from '../../guardrail/testing/appHarness.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { TestAuthority } from '../gateway/testing/certificates.ts';
import { startTlsProxy } from '../gateway/testing/tlsProxy.ts';
import { ApiError } from '../runtime/runtime.ts';
import { type GuardrailPod, podsOf, type Revisions } from './pods.ts';

const { signal } = new AbortController();
const SERVICE = 'main-guardrail';

const instance = {
  metadata: { name: 'main', namespace: 'shop' },
  spec: { guardrail: {} },
  status: { guardrail: { mode: 'Deployment', endpoint: `http://${SERVICE}.shop.svc:8080` } },
} as unknown as GatewayInstance;
const withTls = {
  ...instance,
  status: { guardrail: { mode: 'Deployment', endpoint: `https://${SERVICE}.shop.svc:8080` } },
} as unknown as GatewayInstance;
const withSidecars = {
  ...instance,
  spec: { ...instance.spec, workloadRef: { name: 'litellm' } },
  status: { guardrail: { ...instance.status?.guardrail, mode: 'Sidecar' } },
} as unknown as GatewayInstance;

type Source = Parameters<typeof podsOf>[0];

const encoded = (data: Record<string, string>): object => ({
  data: Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString('base64')])),
});

/** A cluster with the key of the guardrail and its authorities. */
function clientOf(ca?: string): Source['client'] {
  const objects: Readonly<Record<string, object>> = {
    [`${SERVICE}-api-key`]: encoded({ 'api-key': KEY }),
    ...(ca === undefined ? {} : { [`${SERVICE}-ca`]: encoded({ 'ca.crt': ca }) }),
    litellm: { spec: { selector: { matchLabels: { app: 'litellm' } } } },
  };
  return {
    get: (_: unknown, { name }: { readonly name: string }) =>
      name in objects
        ? Promise.resolve(objects[name])
        : Promise.reject(new ApiError('No.', { status: 404, reason: 'NotFound' })),
    list: () => Promise.reject(new ApiError('No.', { status: 403, reason: 'Forbidden' })),
    portForward: () => Promise.reject(new Error('There are no sidecars.')),
  } as unknown as Source['client'];
}

/** The EndpointSlices of a namespace. */
function slicesOf(port: number, endpoints: readonly object[], more: object = {}): object {
  return {
    metadata: { namespace: 'shop', labels: { 'kubernetes.io/service-name': SERVICE } },
    addressType: 'IPv4',
    ports: [
      { name: 'metrics', port: 1 },
      { name: 'http', port },
    ],
    endpoints: endpoints.map((one) => ({ addresses: ['127.0.0.1'], ...one })),
    ...more,
  };
}

const listerOf = (slices: readonly object[]): Source['slices'] =>
  ({ list: () => slices }) as unknown as Source['slices'];

describe('the pods that an EndpointSlice leads to', () => {
  const ready = { ready: true, serving: true, terminating: false };
  const named = (name: string, conditions?: object): object => ({
    targetRef: { uid: `uid-${name}`, name },
    ...(conditions && { conditions }),
  });
  const cases: readonly (readonly [what: string, slices: readonly object[], names: readonly string[]])[] = [
    ['none without slices', [], []],
    ['none while it has no endpoints', [{ ...slicesOf(8080, []), endpoints: null }], []],
    ['ready ones', [slicesOf(8080, [named('a', ready), named('b')])], ['a', 'b']],
    ['not those that are not ready', [slicesOf(8080, [named('a', { ready: false, serving: false })])], []],
    [
      'terminating ones that still serve',
      [slicesOf(8080, [named('a', { ready: false, serving: true, terminating: true })])],
      ['a'],
    ],
    ['those of all slices', [slicesOf(8080, [named('a')]), slicesOf(8081, [named('b')])], ['a', 'b']],
    ['each once', [slicesOf(8080, [named('a')]), slicesOf(8080, [named('a')], { addressType: 'IPv6' })], ['a']],
    ['only those of the Service', [slicesOf(8080, [named('a')], { metadata: { namespace: 'shop', labels: {} } })], []],
    ['those without a name by their address', [slicesOf(8080, [{}])], ['127.0.0.1:8080']],
    ['those of IPv6', [slicesOf(8080, [{ addresses: ['fd00::1'] }], { addressType: 'IPv6' })], ['[fd00::1]:8080']],
  ];
  for (const [what, slices, names] of cases) {
    it(`are ${what}`, async () => {
      const pods = await podsOf({ client: clientOf(), slices: listerOf(slices) })(instance);
      expect(pods?.map(({ name }) => name)).to.deep.equal(names);
    });
  }
});

describe('what a pod has loaded', () => {
  const shards = writeCustomerList([], { unknownCustomers: 'Block' });
  const policyText = 'mode: enforce\n';
  const [list, policy] = [customerListRevision(shards), policyRevision(policyText)];
  let folder: string;
  let guardrail: Harness;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'customers-'));
    for (const [shard, text] of shards.entries()) writeFileSync(join(folder, shardName(shard)), text);
    const path = join(folder, 'policy.yaml');
    writeFileSync(path, policyText);
    const env = { GUARDRAIL_CUSTOMERS: folder, GUARDRAIL_ADMIN_KEYS: 'litellm', GUARDRAIL_POLICY: path };
    guardrail = await startHarness({ env });
  });
  after(async () => {
    await guardrail.stop();
    rmSync(folder, { recursive: true });
  });

  const podsIn = async (of: GatewayInstance, port: number, ca?: string): Promise<readonly GuardrailPod[] | undefined> =>
    await podsOf({ client: clientOf(ca), slices: listerOf([slicesOf(port, [{}])]) })(of);
  const ask = async (of: GatewayInstance, port: number, ca?: string): Promise<Revisions | undefined> =>
    await (await podsIn(of, port, ca))?.[0]?.ask(signal);

  it('is what the pod itself answers, in one call', async () => {
    const calls = (): number => guardrail.logs.filter((line) => line.includes('/configuration')).length;
    const before = calls();
    expect(await ask(instance, Number(new URL(guardrail.url).port))).to.deep.equal({ customerList: list, policy });
    expect(calls() - before).to.equal(1);
  });

  it('is verified with the name of the Service, although the pod is called by its address', async () => {
    const authority = new TestAuthority();
    for (const [host, expected] of [
      [`${SERVICE}.shop.svc`, { customerList: list, policy }],
      ['other.shop.svc', undefined],
    ] as const) {
      const proxy = await startTlsProxy(guardrail.url, authority.server({ hosts: [host] }));
      expect(await ask(withTls, proxy.port, authority.ca)).to.deep.equal(expected);
      await proxy.stop();
    }
  });

  it('is not known of a pod that cannot be reached', async () => {
    expect(await ask(instance, 1)).to.equal(undefined);
  });

  it('is not known of sidecars that the operator is not permitted to reach', async () => {
    expect(await podsIn(withSidecars, 1)).to.equal(undefined);
  });

  it('is nothing while no guardrail is deployed', async () => {
    expect(await podsIn({ ...instance, status: {} }, 1)).to.deep.equal([]);
  });
});
