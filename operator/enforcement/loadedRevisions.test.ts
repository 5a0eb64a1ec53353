/** What pods have loaded, asked of the real guardrail. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { customerListRevision, policyRevision, shardName, writeCustomerList } from '../../guardrail/guardrail.ts';
import { KEY, startHarness, type Harness } from '../../guardrail/testing/appHarness.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { ApiError } from '../runtime/runtime.ts';
import { type AcceptedRevisions, type LoadedPart, podsOf } from './loadedRevisions.ts';

const { signal } = new AbortController();

const instance = {
  metadata: { name: 'main', namespace: 'shop' },
  spec: { guardrail: {} },
  status: { guardrail: { mode: 'Deployment', endpoint: 'http://main-guardrail.shop.svc:8080' } },
} as unknown as GatewayInstance;

const secret = { data: { 'api-key': Buffer.from(KEY).toString('base64') } };

/** A cluster with the key of the guardrail, and a Deployment of so many pods. */
function clientOf(readyReplicas: number): Parameters<typeof podsOf>[0]['client'] {
  const objects: Readonly<Record<string, object>> = {
    Secret: secret,
    Deployment: { status: { readyReplicas } },
  };
  return {
    get: ({ kind }: { readonly kind: string }) => Promise.resolve(objects[kind]),
    list: () => Promise.resolve([]),
    portForward: () => Promise.reject(new Error('There are no sidecars.')),
  } as unknown as Parameters<typeof podsOf>[0]['client'];
}

describe('what every pod has loaded', () => {
  const shards = writeCustomerList([], { unknownCustomers: 'Block' });
  const policyText = 'mode: enforce\n';
  const [list, policy] = [customerListRevision(shards), policyRevision(policyText)];
  const current = { customerList: [list], policy: [policy] };
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

  const ask = async (pods: number, expected: AcceptedRevisions, url = guardrail.url): Promise<LoadedPart[]> => [
    ...(await podsOf({ client: clientOf(pods) }, () => url)(instance, expected, signal)),
  ];

  for (const [what, expected, loaded] of [
    ['both', current, ['customerList', 'policy']],
    ['the list alone', { customerList: current.customerList }, ['customerList']],
    ['the policy alone', { policy: current.policy }, ['policy']],
    ['the list, and another policy', { ...current, policy: ['another'] }, ['customerList']],
    ['one of several lists', { customerList: ['another', list] }, ['customerList']],
    ['the policy, and another list', { ...current, customerList: ['another'] }, ['policy']],
    ['neither', { customerList: current.policy, policy: current.customerList }, []],
  ] as readonly (readonly [string, AcceptedRevisions, readonly LoadedPart[]])[]) {
    it(`is known from the answers of the Service: ${what}`, async () => {
      expect(await ask(1, expected)).to.deep.equal(loaded);
    });
  }

  it('takes one call of a pod for both', async () => {
    const calls = (): number => guardrail.logs.filter((line) => line.includes('/configuration')).length;
    const before = calls();
    await ask(1, current);
    expect(calls() - before).to.equal(1);
  });

  it('is nothing while one of several pods has not answered, or none is ready', async () => {
    expect(await ask(2, current)).to.deep.equal([]);
    expect(await ask(0, current)).to.deep.equal([]);
  });

  it('is nothing for sidecars that the operator is not permitted to reach', async () => {
    const client = clientOf(1);
    const forbidden = {
      ...client,
      get: ({ kind }: { readonly kind: string }) =>
        Promise.resolve(kind === 'Secret' ? secret : { spec: { selector: { matchLabels: { app: 'litellm' } } } }),
      list: () => Promise.reject(new ApiError('No.', { status: 403, reason: 'Forbidden' })),
    } as unknown as typeof client;
    const sidecars = {
      ...instance,
      spec: { ...instance.spec, workloadRef: { name: 'litellm' } },
      status: { guardrail: { ...instance.status?.guardrail, mode: 'Sidecar' } },
    };
    expect((await podsOf({ client: forbidden })(sidecars as GatewayInstance, current, signal)).size).to.equal(0);
  });

  it('is nothing if no pod can be reached, or none is deployed', async () => {
    expect(await ask(1, current, 'http://127.0.0.1:1')).to.deep.equal([]);
    const undeployed = { ...instance, status: {} };
    expect((await podsOf({ client: clientOf(1) })(undeployed, current, signal)).size).to.equal(0);
    const sidecars = { ...instance, status: { guardrail: { ...instance.status?.guardrail, mode: 'Sidecar' } } };
    expect((await podsOf({ client: clientOf(1) })(sidecars as GatewayInstance, current, signal)).size).to.equal(0);
  });
});
