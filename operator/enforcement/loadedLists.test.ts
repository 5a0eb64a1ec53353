/** Whether pods have a list, asked of the real guardrail. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { customerListRevision, shardName, writeCustomerList } from '../../guardrail/guardrail.ts';
import { KEY, startHarness, type Harness } from '../../guardrail/testing/appHarness.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { ApiError } from '../runtime/runtime.ts';
import { askPods } from './loadedLists.ts';

const { signal } = new AbortController();

const instance = {
  metadata: { name: 'main', namespace: 'shop' },
  spec: { guardrail: {} },
  status: { guardrail: { mode: 'Deployment', endpoint: 'http://main-guardrail.shop.svc:8080' } },
} as unknown as GatewayInstance;

const secret = { data: { 'api-key': Buffer.from(KEY).toString('base64') } };

/** A cluster with the key of the guardrail, and a Deployment of so many pods. */
function clientOf(readyReplicas: number): Parameters<typeof askPods>[0]['client'] {
  const objects: Readonly<Record<string, object>> = {
    Secret: secret,
    Deployment: { status: { readyReplicas } },
  };
  return {
    get: ({ kind }: { readonly kind: string }) => Promise.resolve(objects[kind]),
    list: () => Promise.resolve([]),
    portForward: () => Promise.reject(new Error('There are no sidecars.')),
  } as unknown as Parameters<typeof askPods>[0]['client'];
}

describe('whether every pod has a list', () => {
  const shards = writeCustomerList([], { unknownCustomers: 'Block' });
  const revision = customerListRevision(shards);
  let folder: string;
  let guardrail: Harness;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'customers-'));
    for (const [shard, text] of shards.entries()) writeFileSync(join(folder, shardName(shard)), text);
    guardrail = await startHarness({ env: { GUARDRAIL_CUSTOMERS: folder, GUARDRAIL_ADMIN_KEYS: 'litellm' } });
  });
  after(async () => {
    await guardrail.stop();
    rmSync(folder, { recursive: true });
  });

  const ask = (pods: number, wanted: string, url = guardrail.url): Promise<boolean> =>
    askPods({ client: clientOf(pods) }, () => url)(instance, wanted, signal);

  it('is known from the answers of the Service', async () => {
    expect(await ask(1, revision)).to.equal(true);
    expect(await ask(1, 'another')).to.equal(false);
  });

  it('is false while one of several pods has not answered, or none is ready', async () => {
    expect(await ask(2, revision)).to.equal(false);
    expect(await ask(0, revision)).to.equal(false);
  });

  it('is false for sidecars that the operator is not permitted to reach', async () => {
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
    expect(await askPods({ client: forbidden })(sidecars as GatewayInstance, revision, signal)).to.equal(false);
  });

  it('is false if no pod can be reached, or none is deployed', async () => {
    expect(await ask(1, revision, 'http://127.0.0.1:1')).to.equal(false);
    const undeployed = { ...instance, status: {} };
    expect(await askPods({ client: clientOf(1) })(undeployed, revision, signal)).to.equal(false);
    const sidecars = { ...instance, status: { guardrail: { ...instance.status?.guardrail, mode: 'Sidecar' } } };
    expect(await askPods({ client: clientOf(1) })(sidecars as GatewayInstance, revision, signal)).to.equal(false);
  });
});
