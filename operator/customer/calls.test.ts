/** The gateway calls of one sync, and what they leave at a gateway that behaves as LiteLLM does. */
import { expect } from 'chai';
import { type DevGateway, startDevGateway } from '../../hack/testing/gateway/gateway.ts';
import { budgetRowId } from '../gateway/gateway.ts';
import { tiers, type Spec } from './testing/specs.ts';
import { SyncBench, type SyncedResource } from './testing/syncBench.ts';

const masterKey = 'sk-master';

describe('the gateway calls of a sync', () => {
  let gateway: DevGateway;
  let bench: SyncBench;

  before(async () => {
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
    bench = await SyncBench.start({ url: gateway.url, masterKey });
  });
  after(async () => {
    await bench.stop();
    await gateway.stop();
  });
  beforeEach(async () => {
    // A response has shown that the gateway is LiteLLM, and that it has a budget API.
    await bench.client.customerInfo('nobody');
    await bench.clients.hasBudgetApi(bench.connection);
  });

  const calls = (): string[] => bench.proxy.calls.map(({ path }) => path.replace(/\?.*/, ''));

  /** @returns the paths of the calls, and the reason of Synced */
  async function syncOf(resource: SyncedResource, spec: Spec): Promise<{ paths: string[]; reason: string }> {
    resource.set(spec);
    bench.proxy.calls.length = 0;
    const { reason } = await resource.reconcile();
    return { paths: calls(), reason };
  }

  describe('for a new customer', () => {
    const created: readonly (readonly [what: string, spec: Spec, paths: readonly string[]])[] = [
      ['without limits', { alias: 'A' }, ['/customer/new', '/customer/info']],
      ['with a tier', { budgetId: 'free' }, ['/budget/info', '/customer/new', '/customer/info']],
      ['with limits', { maxBudget: 5 }, ['/budget/new', '/customer/new', '/customer/info']],
      [
        'that refuses records of others',
        { alias: 'A', adoptionPolicy: 'Refuse' },
        ['/customer/info', '/customer/new', '/customer/info'],
      ],
    ];
    for (const [what, spec, paths] of created) {
      it(`${what}: ${paths.join(', ')}`, async () => {
        const resource = bench.resource();
        expect(await syncOf(resource, spec)).to.deep.equal({ paths, reason: 'Created' });
        await bench.expectConverged(resource);
        await bench.expectNothingElse(resource);
      });
    }

    it('begin with a lookup if the last call failed', async () => {
      bench.proxy.fault = () => ({ kind: 'answer', status: 500, body: '{}' });
      await bench.client.customerInfo('nobody').catch(() => undefined);
      bench.proxy.fault = () => undefined;
      const { paths } = await syncOf(bench.resource(), { alias: 'A' });
      expect(paths).to.deep.equal(['/customer/info', '/customer/new', '/customer/info']);
    });

    it('begin with a lookup if no response has shown yet that the gateway is LiteLLM', async () => {
      const other = await SyncBench.start({ url: gateway.url, masterKey });
      try {
        const resource = other.resource();
        resource.set({ alias: 'A' });
        other.proxy.calls.length = 0;
        await resource.reconcile();
        expect(other.proxy.calls[0]?.path).to.match(/^\/customer\/info/);
      } finally {
        await other.stop();
      }
    });
  });

  describe('for a customer whose record exists', () => {
    it('look at the record after the duplicate was reported, and adopt it', async () => {
      const resource = bench.resource();
      await bench.client.customerNew({ user_id: resource.id, alias: 'Before', models: ['x'] });
      const sync = await syncOf(resource, { alias: 'A' });
      expect(sync).to.deep.equal({
        paths: ['/customer/new', '/customer/info', '/customer/update', '/customer/info'],
        reason: 'Adopted',
      });
      expect(await bench.recordOf(resource)).to.deep.include({ alias: 'A', models: ['x'] });
    });

    it('adopt it also if the gateway rejects the creation for another reason first', async () => {
      const resource = bench.resource();
      await bench.client.customerNew({ user_id: resource.id });
      // LiteLLM checks a default model in /customer/new only, and before it looks for a duplicate.
      expect((await syncOf(resource, { defaultModel: 'no-such-model' })).reason).to.equal('Adopted');
    });

    it('change nothing, and leave no budget row, if another resource owns it', async () => {
      // A resource of another cluster, which this resource must not replace.
      const foreign = budgetRowId('ffffffff-of-another-cluster');
      await bench.client.budgetNew({ budget_id: foreign, max_budget: 7 });
      const resource = bench.resource();
      resource.stored.customer = {
        ...resource.stored.customer,
        metadata: { ...resource.stored.customer.metadata, namespace: 'elsewhere' },
        spec: { ...resource.stored.customer.spec, instanceRef: { name: 'main', namespace: 'default' } },
      };
      await bench.client.customerNew({ user_id: resource.id, alias: 'Before', budget_id: foreign });
      const { paths, reason } = await syncOf(resource, { alias: 'A', maxBudget: 5, adoptionPolicy: 'Adopt' });
      expect(reason).to.equal('Conflict');
      expect(paths).to.deep.equal(['/budget/new', '/customer/new', '/customer/info', '/budget/delete']);
      expect(await bench.recordOf(resource)).to.include({ alias: 'Before', budget_id: foreign });
      expect(await bench.client.budgetInfo([resource.rowId])).to.deep.equal([]);
      expect((await bench.client.budgetInfo([foreign]))[0]).to.include({ max_budget: 7 });
    });

    it('do not create at all if it must be refused', async () => {
      const resource = bench.resource();
      await bench.client.customerNew({ user_id: resource.id, alias: 'Before' });
      const sync = await syncOf(resource, { alias: 'A', maxBudget: 5, adoptionPolicy: 'Refuse' });
      expect(sync).to.deep.equal({ paths: ['/customer/info'], reason: 'AlreadyExists' });
    });
  });

  it('leave a tier as it is', async () => {
    expect((await bench.client.budgetInfo(['free']))[0]).to.include(tiers.free);
  });
});
