/** For tests: the gateway calls of one sync, and what they leave at LiteLLM and gateways that behave like it. */
import { expect } from 'chai';
import { annotations, type GatewayCustomer } from '../../api/v1alpha1/v1alpha1.ts';
import { type CustomerRow, type GatewayClient, minListedCustomers } from '../../gateway/gateway.ts';
import { tiers, type Spec } from './specs.ts';
import { type GatewayUnderTest, SyncBench, type SyncedResource } from './syncBench.ts';

/**
 * Declares the tests.
 * @param gateway returns the running gateway
 */
export function callTests(gateway: () => GatewayUnderTest): void {
  let bench: SyncBench;

  before(async () => {
    bench = await SyncBench.start(gateway());
  });
  after(() => bench.stop());
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
        'whose spec says that an existing record is adopted',
        { alias: 'A', adoptionPolicy: 'Adopt' },
        ['/customer/info', '/customer/new', '/customer/info'],
      ],
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
      const other = await SyncBench.start(gateway());
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
      const owner = bench.resource();
      const foreign = owner.rowId;
      bench.others = [owner.stored.customer];
      await bench.client.budgetNew({ budget_id: foreign, max_budget: 7 });
      const resource = bench.resource();
      await bench.client.customerNew({ user_id: resource.id, alias: 'Before', budget_id: foreign });
      const { paths, reason } = await syncOf(resource, { alias: 'A', maxBudget: 5 });
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

  const statusesOf = ({ status }: GatewayCustomer): string[] =>
    (status?.conditions ?? []).map((condition) => `${condition.type} ${condition.status}`);

  describe('for many customers that are in sync', () => {
    const count = 20;
    const everyField: Spec = {
      ...{ alias: 'A', blocked: true, models: ['fast'], defaultModel: 'fast', allowedModelRegion: 'eu' },
      ...{ maxBudget: 5, budgetDuration: '30d', tpmLimit: 6, rpmLimit: 7, metadata: { plan: 'gold' } },
      objectPermission: { mcpServers: ['m'], accessGroups: ['g'], vectorStores: ['v'], agents: ['a'] },
    };
    let listing: SyncBench;
    let resources: readonly SyncedResource[];
    /** It has every field. */
    const one = (): SyncedResource => resources[7] ?? listing.resource();
    const listed = (): string[] => listing.proxy.calls.map(({ path }) => path.replace(/\?.*/, ''));

    beforeEach(async () => {
      listing = await SyncBench.start(gateway());
      resources = Array.from({ length: count }, () => listing.resource());
      for (const [at, resource] of resources.entries()) {
        resource.set([{ budgetId: 'free' }, everyField, { alias: 'A', maxBudget: at }][at % 3] ?? {});
        await resource.reconcile();
      }
      // A gateway with a database has the records of earlier runs, too.
      listing.customersOfInstance = 100 * minListedCustomers;
      listing.proxy.calls.length = 0;
    });
    afterEach(() => listing.stop());

    it('are one list, and nothing is written', async () => {
      const before = resources.map(({ stored }) => stored.customer);
      for (let round = 0; round < 2; round++) for (const resource of resources) await resource.reconcileListed();
      expect(listed()).to.deep.equal(['/customer/list']);
      expect(resources.map(({ stored }) => stored.customer)).to.deep.equal(before);
    });

    it('are one lookup each if the gateway has no list', async () => {
      listing.proxy.fault = ({ path }) =>
        path.startsWith('/customer/list') ? { kind: 'answer', status: 404, body: '{"detail":"Not Found"}' } : undefined;
      for (const resource of resources) await resource.reconcileListed();
      expect(listed().filter((path) => path === '/customer/list')).to.have.length(1);
      expect(listed().filter((path) => path === '/customer/info')).to.have.length(count);
      expect(listed()).to.have.length(count + 1);
    });

    it('take the spend from the list', async () => {
      const row = { ...(await listing.recordOf(one())), spend: 1.25 };
      listing.proxy.fault = ({ path }) =>
        path.startsWith('/customer/list') ? { kind: 'answer', status: 200, body: JSON.stringify([row]) } : undefined;
      listing.proxy.calls.length = 0;
      await one().reconcileListed();
      expect(listed()).to.deep.equal(['/customer/list']);
      expect(one().stored.customer.status?.currentSpend).to.equal(1.25);
    });

    /** Lists, and afterwards changes something at the gateway or in the spec. */
    interface Case {
      readonly when: string;
      /** What another client writes before the list. */
      readonly before?: (id: string, client: GatewayClient) => Promise<void>;
      /** What the list says instead of the record; undefined: the list does not have it. */
      readonly listedAs?: (row: CustomerRow) => object | undefined;
      /** What another client writes after the list. */
      readonly after?: (id: string, client: GatewayClient) => Promise<void>;
      readonly calls: readonly string[];
      /** The alias of the record at the end. */
      readonly alias: string;
    }
    const aliased = (alias: string) => (user_id: string, client: GatewayClient) =>
      client.customerUpdate({ user_id, alias });
    const cases: readonly Case[] = [
      {
        when: 'the record differs from the spec',
        before: aliased('X'),
        calls: ['/customer/info', '/customer/update', '/customer/info'],
        alias: 'A',
      },
      {
        when: 'the record differed and was put right after the list',
        before: aliased('X'),
        after: aliased('A'),
        calls: ['/customer/info'],
        alias: 'A',
      },
      { when: 'the list does not have it', listedAs: () => undefined, calls: ['/customer/info'], alias: 'A' },
      {
        when: 'the list reports fewer fields',
        listedAs: ({ object_permission: _, alias: _alias, ...row }) => row,
        calls: ['/customer/info'],
        alias: 'A',
      },
      {
        when: 'the list reports more fields',
        listedAs: (row) => ({ ...row, metadata: everyField.metadata }),
        calls: ['/customer/info'],
        alias: 'A',
      },
      {
        when: 'the list links it to the budget row of another resource',
        listedAs: (row) => ({ ...row, budget_id: 'gcust-another' }),
        calls: ['/customer/info'],
        alias: 'A',
      },
      { when: 'the record is edited after the list', after: aliased('X'), calls: [], alias: 'X' },
    ];
    for (const { when, before, listedAs, after, calls: paths, alias } of cases) {
      it(`are [${paths.join(', ')}] after the list when ${when}`, async () => {
        await before?.(one().id, bench.client);
        const row = await bench.client.customerInfo(one().id);
        if (listedAs !== undefined && row !== undefined) {
          const body = JSON.stringify([listedAs(row)].filter((found) => found !== undefined));
          listing.proxy.fault = ({ path }) =>
            path.startsWith('/customer/list') ? { kind: 'answer', status: 200, body } : undefined;
        }
        const statuses = statusesOf(one().stored.customer);
        await resources[8]?.reconcileListed();
        await after?.(one().id, bench.client);
        listing.proxy.calls.length = 0;
        await one().reconcileListed();
        expect(listed()).to.deep.equal(paths);
        expect(await bench.client.customerInfo(one().id)).to.include({ alias });
        expect(statusesOf(one().stored.customer)).to.deep.equal(statuses);
      });
    }

    it('do not wait for a list after a change of the spec, nor for a sync request', async () => {
      one().set({ alias: 'B' });
      await one().reconcile();
      const { customer } = one().stored;
      const marks = { [annotations.syncRequested]: 'now' };
      one().stored.customer = { ...customer, metadata: { ...customer.metadata, annotations: marks } };
      await one().reconcile();
      expect(listed()).not.to.include('/customer/list');
      expect(one().stored.customer.status?.lastHandledSyncRequest).to.equal('now');
    });

    it('are not read from a list for a changed spec, nor for a customer that was written since', async () => {
      await one().reconcileListed();
      listing.proxy.calls.length = 0;
      one().set({ alias: 'B' });
      await one().reconcileListed();
      await one().reconcileListed();
      expect(listed().filter((path) => path === '/customer/info')).to.have.length(3);
      expect(listed()).not.to.include('/customer/list');
      expect(await listing.recordOf(one())).to.include({ alias: 'B' });
    });
  });

  it('leave a tier as it is', async () => {
    expect((await bench.client.budgetInfo(['free']))[0]).to.include(tiers.free);
  });
}
