/** Customers from end to end: a real API server, and a gateway that behaves as LiteLLM does, with faults before it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { withControlPlane } from '../../hack/testing/controlplane.ts';
import { startDevGateway, type DevGateway } from '../../hack/testing/gateway/gateway.ts';
import { instances } from '../api/kinds.ts';
import { annotations, FINALIZER, GROUP, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { budgetRowId, GatewayClient, RateLimiter } from '../gateway/gateway.ts';
import { type Fault, type SeenCall, startTestProxy, type TestProxy } from '../gateway/testing/testProxy.ts';
import { ApiError } from '../runtime/runtime.ts';
import { FaultProxy } from '../runtime/testing/testing.ts';
import { conditionOf } from './customerResource.ts';
import { connectionOf } from './testing/testDependencies.ts';
import { eventually, KubectlUser, TestOperator } from './testing/testOperator.ts';

const masterKey = 'sk-master';
const noCalls = (): undefined => undefined;

describe('customer reconcile', function () {
  this.timeout(120_000);
  const cluster = withControlPlane();
  let gateway: DevGateway;
  let proxy: TestProxy;
  let admin: GatewayClient;
  let people: KubectlUser;
  let operator: TestOperator;

  before(async () => {
    gateway = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
    proxy = await startTestProxy(gateway.url);
    const connection = connectionOf(gateway.url, masterKey);
    admin = new GatewayClient(connection, new RateLimiter(connection.rateLimit));
    await admin.budgetNew({ budget_id: 'free', max_budget: 1, tpm_limit: 10 });
  });
  after(async () => {
    await admin.close();
    await proxy.stop();
    await gateway.stop();
  });
  beforeEach(async () => {
    proxy.fault = noCalls;
    people = new KubectlUser(cluster().kubeConfig(), await cluster().createNamespace('customer'));
    operator = new TestOperator(cluster().kubeConfig(), [people.namespace]);
    await operator.start();
    // The first test finds no CustomResourceDefinition: the operator brings it.
    await eventually(() => people.list());
    await people.secret('main', masterKey);
    await eventually(() => people.instance('main', { endpoint: proxy.url }));
    proxy.calls.length = 0;
  });
  afterEach(async () => {
    await operator.end();
  });

  const idOf = (name: string): string => `${people.namespace}.${name}`;
  const atGateway = async (name: string): Promise<Record<string, unknown> | undefined> =>
    await admin.customerInfo(idOf(name));
  const rowOf = async (customer: GatewayCustomer): Promise<Record<string, unknown> | undefined> =>
    (await admin.budgetInfo([budgetRowId(customer.metadata.uid)]))[0];
  const callsOf = (path: string): SeenCall[] => proxy.calls.filter((call) => call.path === path);
  const untilEvent = (name: string, reason: string): Promise<void> =>
    eventually(async () => {
      expect(await people.events(name)).to.include(reason);
    });
  const message = (customer: GatewayCustomer, type: 'Synced' | 'FullyApplied' = 'Synced'): string =>
    conditionOf(customer, type)?.message ?? '';
  const answer = (status: number, body = '{}', headers: Record<string, string> = {}): Fault => ({
    kind: 'answer',
    status,
    body,
    headers,
  });

  describe('create and update', () => {
    it('makes the customer, and says so in status, columns and an event', async () => {
      await people.customer('a', { alias: 'A', maxBudget: 12.5, budgetDuration: '30d', tpmLimit: 100, blocked: true });
      await cluster().kubectl(['wait', '--for=condition=Synced', 'gcust/a', `-n${people.namespace}`, '--timeout=20s']);
      const customer = await people.untilReason('a', 'Created');
      expect(customer.metadata.finalizers).to.deep.equal([FINALIZER]);
      expect(customer.status).to.include({ synced: true, currentSpend: 0, blocked: true, observedGeneration: 1 });
      expect(customer.status?.appliedFields).to.have.members([
        'alias',
        'maxBudget',
        'budgetDuration',
        'tpmLimit',
        'blocked',
      ]);
      expect(conditionOf(customer, 'FullyApplied')).to.include({ status: 'False', observedGeneration: 1 });
      expect(await atGateway('a')).to.include({
        alias: 'A',
        blocked: true,
        budget_id: budgetRowId(customer.metadata.uid),
      });
      expect(await rowOf(customer)).to.include({ max_budget: 12.5, budget_duration: '30d', tpm_limit: 100 });
      const [, line = ''] = (await cluster().kubectl(['get', 'gcust', `-n${people.namespace}`])).split('\n');
      expect(line.trim().split(/\s+/).slice(0, 5)).to.deep.equal(['a', idOf('a'), '12.5', '0', 'true']);
      await untilEvent('a', 'Created');
    });

    it('takes up every change of the spec, and clears what is taken out of it', async () => {
      await people.customer('a', { alias: 'A', maxBudget: 5, models: ['fast'], blocked: true });
      const created = await people.untilReason('a', 'Created');
      await people.patch('a', { spec: { alias: null, maxBudget: 0, models: null, blocked: null, rpmLimit: 3 } });
      const updated = await people.untilReason('a', 'Updated');
      expect(await atGateway('a'))
        .to.include({ alias: '', blocked: false })
        .and.deep.include({ models: [] });
      expect(await rowOf(created)).to.include({ max_budget: 0, rpm_limit: 3 });
      expect(updated.status?.specHash).not.to.equal(created.status?.specHash);
      await people.patch('a', { spec: { maxBudget: null, rpmLimit: null } });
      await people.until('a', ({ status, metadata }) => status?.observedGeneration === metadata.generation);
      expect((await atGateway('a'))?.budget_id).to.equal(null);
      expect(await rowOf(created)).to.equal(undefined);
      await untilEvent('a', 'Updated');
    });

    it('moves between own limits and a tier, both ways, without ever writing into the tier', async () => {
      await people.customer('a', { maxBudget: 5 });
      const created = await people.untilReason('a', 'Created');
      await people.patch('a', { spec: { maxBudget: null, budgetId: 'free', tpmLimit: 99 } });
      const tiered = await people.untilReason('a', 'Updated');
      expect((await atGateway('a'))?.budget_id).to.equal('free');
      expect(await rowOf(created)).to.equal(undefined);
      expect(conditionOf(tiered, 'FullyApplied')).to.include({ status: 'False', reason: 'FieldsNotSupported' });
      expect(message(tiered, 'FullyApplied')).to.contain('tpmLimit');
      await people.patch('a', { spec: { budgetId: null, maxBudget: 7 } });
      await people.until('a', ({ status, metadata }) => status?.observedGeneration === metadata.generation);
      expect(await rowOf(created)).to.include({ max_budget: 7, tpm_limit: 99 });
      expect((await admin.budgetInfo(['free']))[0]).to.include({ max_budget: 1, tpm_limit: 10 });
    });

    it('says what this gateway cannot hold or clear, and tries it once', async () => {
      await people.customer('a', { metadata: { plan: 'gold' }, allowedModelRegion: 'eu' });
      const created = await people.untilReason('a', 'Created');
      expect(message(created, 'FullyApplied')).to.contain('metadata');
      await people.patch('a', { spec: { metadata: null, allowedModelRegion: null } });
      const updated = await people.untilReason('a', 'Updated');
      expect(conditionOf(updated, 'FullyApplied')).to.include({ status: 'False', reason: 'FieldsNotCleared' });
      const written = callsOf('/customer/update').length;
      await people.annotate('a', 'paused', 'true');
      await people.untilReason('a', 'Paused');
      await people.annotate('a', 'paused', null);
      await people.untilReason('a', 'UpToDate');
      expect(callsOf('/customer/update')).to.have.length(written);
    });

    it('tells apart what this gateway records and does not enforce, while Synced stays True', async () => {
      const applied = (customer: GatewayCustomer): object => {
        const { status, reason, message: text } = conditionOf(customer, 'FullyApplied') ?? {};
        return { status, reason, text };
      };
      await people.customer('a', { alias: 'A', blocked: true });
      const blocked = await people.untilReason('a', 'Created');
      expect(applied(blocked)).to.deep.equal({
        status: 'False',
        reason: 'FieldsNotEnforced',
        text: 'The gateway records blocked but does not enforce it. Remedy: for blocked, set rpmLimit to 0, or load the enterprise callback blocked_user_check in the proxy configuration.',
      });
      expect(blocked.status).to.include({ synced: true, blocked: true });
      const all = { status: 'True', reason: 'AllFieldsApplied', text: 'The gateway applies all fields of the spec.' };
      for (const spec of [{ rpmLimit: 0 }, { rpmLimit: null, blocked: false }]) {
        await people.patch('a', { spec });
        const next = await people.until(
          'a',
          ({ status, metadata }) => status?.observedGeneration === metadata.generation,
        );
        expect(applied(next)).to.deep.equal(all);
      }
      // The callback in the gateway's own configuration.
      const inline = 'litellm_settings: {callbacks: [prometheus, blocked_user_check]}';
      const proxyConfig = { configMapName: 'proxy', base: { inline } };
      await people.patch('main', { spec: { proxyConfig } }, 'gatewayinstances');
      await people.patch('a', { spec: { blocked: true } });
      const enforced = await people.until(
        'a',
        ({ status, metadata }) => status?.observedGeneration === metadata.generation,
      );
      expect(applied(enforced)).to.deep.equal(all);
    });

    it('refuses a tier that is not there in a sentence that says what to do, and takes it once it is', async () => {
      await people.customer('a', { budgetId: `later-${people.namespace}` });
      const refused = await people.untilReason('a', 'GatewayRejected');
      expect(message(refused)).to.contain('spec.budgetId names no budget of the gateway');
      expect(await atGateway('a')).to.equal(undefined);
      await admin.budgetNew({ budget_id: `later-${people.namespace}` });
      await people.annotate('a', 'syncRequested', 'now');
      const created = await people.untilReason('a', 'Created');
      expect(created.status?.lastHandledSyncRequest).to.equal('now');
    });

    it('gives limits without a budget the default of the instance with its period, and takes it away again', async () => {
      const setDefault = (budget: object | null): Promise<void> =>
        people.patch('main', { spec: { defaultCustomerBudget: budget } }, 'gatewayinstances');
      await setDefault({ maxBudget: 3, budgetDuration: '30d' });
      // What the gateway does not hold anyway must not keep the rest from being cleared.
      await people.customer('a', { tpmLimit: 50, metadata: { plan: 'gold' } });
      const created = await people.untilReason('a', 'Created');
      expect(conditionOf(created, 'FullyApplied')?.reason).to.equal('FieldsNotSupported');
      expect(await rowOf(created)).to.include({ max_budget: 3, budget_duration: '30d', tpm_limit: 50 });
      await admin.budgetUpdate({ budget_id: budgetRowId(created.metadata.uid), budget_duration: '1d' });
      await people.annotate('a', 'syncRequested', 'now');
      await people.until('a', ({ status }) => status?.lastHandledSyncRequest === 'now');
      expect(await rowOf(created)).to.include({ max_budget: 3, budget_duration: '30d' });
      await setDefault({ maxBudget: 3, budgetDuration: null });
      await eventually(async () => {
        expect(await rowOf(created)).to.include({ max_budget: 3, budget_duration: null, budget_reset_at: null });
      });
      await setDefault(null);
      await eventually(async () => {
        expect(await rowOf(created)).to.include({ max_budget: null, budget_duration: null, tpm_limit: 50 });
      });
    });
  });

  it('writes the time of the last sync at a success alone, and once an hour where nothing changes', async () => {
    await people.patch('main', { spec: { syncInterval: '1s' } }, 'gatewayinstances');
    await people.customer('a', { alias: 'A' });
    const created = await people.untilReason('a', 'Created');
    const first = created.status;
    proxy.calls.length = 0;
    await eventually(() => {
      expect(callsOf(`/customer/info?end_user_id=${idOf('a')}`).length).to.be.at.least(3);
    });
    expect((await people.get('a'))?.metadata.resourceVersion).to.equal(created.metadata.resourceVersion);

    const hour = 60 * 60_000;
    operator.advance(hour);
    const moved = await people.until('a', ({ status }) => status?.lastSyncTime !== first?.lastSyncTime);
    expect(Date.parse(moved.status?.lastSyncTime ?? '')).to.be.at.least(Date.parse(first?.lastSyncTime ?? '') + hour);
    expect(moved.status?.conditions).to.deep.equal(first?.conditions);

    const unmoved = ({ status }: GatewayCustomer): void => {
      expect(status?.synced).to.equal(false);
      expect(status?.lastSyncTime).to.equal(moved.status?.lastSyncTime);
    };
    operator.advance(2 * hour);
    proxy.fault = () => answer(400, '{"error": {"message": "no"}}');
    unmoved(await people.untilReason('a', 'GatewayRejected'));
    await people.annotate('a', 'paused', 'true');
    unmoved(await people.untilReason('a', 'Paused'));
    proxy.fault = noCalls;
    await people.annotate('a', 'paused', null);
    const back = await people.until('a', ({ status }) => status?.synced === true);
    expect(Date.parse(back.status?.lastSyncTime ?? '')).to.be.at.least(
      Date.parse(first?.lastSyncTime ?? '') + 3 * hour,
    );
  });

  describe('whose record it is', () => {
    it('adopts a record that is there already, and leaves alone what the spec does not name', async () => {
      await admin.customerNew({ user_id: idOf('a'), alias: 'Before', blocked: true, models: ['x'] });
      await people.customer('a', { alias: 'After' });
      await people.untilReason('a', 'Adopted');
      expect(await atGateway('a'))
        .to.include({ alias: 'After', blocked: true })
        .and.deep.include({ models: ['x'] });
      await people.patch('a', { spec: { alias: null } });
      await people.untilReason('a', 'Updated');
      expect(await atGateway('a')).to.include({ alias: '', blocked: true });
      await untilEvent('a', 'Adopted');
    });

    it('says that the limits of a shared budget were copied, until the spec names them or the budget', async () => {
      await admin.customerNew({ user_id: idOf('a'), budget_id: 'free' });
      await people.customer('a', { rpmLimit: 5 });
      const adopted = await people.untilReason('a', 'Adopted');
      expect(conditionOf(adopted, 'FullyApplied')).to.include({ status: 'True', reason: 'LimitsCopied' });
      expect(message(adopted, 'FullyApplied')).to.contain('from budget free');
      expect(await rowOf(adopted)).to.include({ max_budget: 1, tpm_limit: 10, rpm_limit: 5 });
      await people.annotate('a', 'syncRequested', 'again');
      const again = await people.until('a', ({ status }) => status?.lastHandledSyncRequest === 'again');
      expect(conditionOf(again, 'FullyApplied')?.reason).to.equal('LimitsCopied');
      for (const spec of [
        { maxBudget: 2, tpmLimit: 3 },
        { maxBudget: null, tpmLimit: null, rpmLimit: null, budgetId: 'free' },
      ]) {
        await people.patch('a', { spec });
        const next = await people.until(
          'a',
          ({ status, metadata }) => status?.observedGeneration === metadata.generation,
        );
        expect(conditionOf(next, 'FullyApplied')?.reason).to.equal('AllFieldsApplied');
        expect(next.status).not.to.have.property('copiedBudget');
      }
    });

    it('adopts a record that a paid call makes in the very moment, and does not try to make it twice', async () => {
      proxy.fault = async ({ path }) => {
        if (path === '/customer/new') await admin.customerNew({ user_id: idOf('a') }).catch(noCalls);
        return undefined;
      };
      await people.customer('a', { alias: 'A', maxBudget: 4 });
      await people.untilReason('a', 'Adopted');
      expect(callsOf('/customer/new')).to.have.length(1);
      expect(await atGateway('a')).to.include({ alias: 'A' });
    });

    it('refuses a record that is there already where the policy says so, and never touches it', async () => {
      await admin.customerNew({ user_id: idOf('a'), alias: 'Before' });
      await people.customer('a', { alias: 'After', adoptionPolicy: 'Refuse' });
      expect(message(await people.untilReason('a', 'AlreadyExists'))).to.contain('adoptionPolicy');
      await people.delete('a');
      await people.untilGone('a');
      expect(await atGateway('a')).to.include({ alias: 'Before' });
    });

    it('makes its own where the policy is to refuse', async () => {
      await people.customer('a', { alias: 'A', adoptionPolicy: 'Refuse' });
      await people.untilReason('a', 'Created');
      await people.patch('a', { spec: { alias: 'B' } });
      await people.untilReason('a', 'Updated');
      expect(await atGateway('a')).to.include({ alias: 'B' });
    });

    describe('of two resources of one namespace', () => {
      const limits = { customerId: '', maxBudget: 5, tpmLimit: 7 };
      let old: GatewayCustomer;
      beforeEach(async () => {
        limits.customerId = idOf('shared');
        await people.customer('old', { ...limits, alias: 'Old' });
        old = await people.untilReason('old', 'Created');
        await new Promise((resolve) => setTimeout(resolve, 1100)); // Kubernetes counts age in seconds.
        await people.customer('young', { customerId: idOf('shared'), maxBudget: 6, models: ['fast'] });
        await people.untilReason('young', 'Conflict');
      });

      it('is the older one; the other touches nothing, and both say what a deletion will do', async () => {
        const young = await people.untilReason('young', 'Conflict');
        expect(message(young)).to.contain(`${people.namespace}/old manages`).and.to.contain('takes over the record');
        await people.until('old', (customer) => message(customer).includes('young takes over the record'));
        expect((await people.get('old'))?.status?.synced).to.equal(true);
        await people.customer('youngest', { customerId: idOf('shared') });
        await people.untilReason('youngest', 'Conflict');
        await people.delete('youngest');
        await people.untilGone('youngest');
        expect(await atGateway('shared')).to.include({ alias: 'Old', budget_id: budgetRowId(old.metadata.uid) });
        await untilEvent('young', 'Conflict');
      });

      it('goes to the other with what was spent, and nothing of the first one is left', async () => {
        proxy.calls.length = 0;
        await people.delete('old');
        await people.untilGone('old');
        const young = await people.untilReason('young', 'Adopted');
        expect([...callsOf('/customer/delete'), ...callsOf('/customer/new')]).to.deep.equal([]);
        expect(await atGateway('shared'))
          .to.include({ alias: '', budget_id: budgetRowId(young.metadata.uid) })
          .and.deep.include({ models: ['fast'] });
        expect(await rowOf(young)).to.include({ max_budget: 6, tpm_limit: null });
        expect(await rowOf(old)).to.equal(undefined);
        await untilEvent('old', 'TakenOver');
        await people.delete('young');
        await people.untilGone('young');
        expect(await atGateway('shared')).to.equal(undefined);
        expect(await rowOf(young)).to.equal(undefined);
      });

      it('goes back to the first one where that is applied again soon, after a restart, too', async () => {
        await people.delete('old');
        await people.untilGone('old');
        const young = await people.untilReason('young', 'Adopted');
        await operator.end();
        operator = new TestOperator(cluster().kubeConfig(), [people.namespace]);
        proxy.calls.length = 0;
        await people.customer('old', { ...limits, alias: 'Again' });
        await operator.start();
        const again = await people.untilReason('old', 'Adopted');
        await people.untilReason('young', 'Conflict');
        expect([...callsOf('/customer/delete'), ...callsOf('/customer/new')]).to.deep.equal([]);
        expect(await atGateway('shared'))
          .to.include({ alias: 'Again', budget_id: budgetRowId(again.metadata.uid) })
          .and.deep.include({ models: [] });
        expect(await rowOf(young)).to.equal(undefined);
        for (const name of ['young', 'old']) {
          await people.delete(name);
          await people.untilGone(name);
        }
        expect(await atGateway('shared')).to.equal(undefined);
        expect(await rowOf(again)).to.equal(undefined);
      });
    });

    it('lets customers of another namespace in only where the instance allows it', async () => {
      const other = new KubectlUser(cluster().kubeConfig(), await cluster().createNamespace('elsewhere'));
      const elsewhere = new TestOperator(cluster().kubeConfig(), [people.namespace, other.namespace]);
      await elsewhere.start();
      await operator.end();
      try {
        const spec = { instanceRef: { name: 'main', namespace: people.namespace } };
        await other.customer('a', spec);
        await other.untilReason('a', 'NamespaceNotAllowed');
        await people.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
        await other.untilReason('a', 'Created');
      } finally {
        await elsewhere.end();
      }
    });
  });

  describe('several namespaces at one gateway', () => {
    let other: KubectlUser;
    let elsewhere: TestOperator;
    beforeEach(async () => {
      other = new KubectlUser(cluster().kubeConfig(), await cluster().createNamespace('elsewhere'));
      elsewhere = new TestOperator(cluster().kubeConfig(), [people.namespace, other.namespace]);
      await operator.end();
      await elsewhere.start();
      await people.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
    });
    afterEach(async () => {
      await elsewhere.end();
    });
    const main = (): GatewayCustomer['spec']['instanceRef'] => ({ name: 'main', namespace: people.namespace });
    const writes = (): SeenCall[] =>
      proxy.calls.filter(({ method, path }) => method === 'POST' && path !== '/budget/info');

    for (const [what, addressOf] of [
      ['of the same address', (url: string): string => `${url}//`],
      ['of another name', (url: string): string => url.replace('127.0.0.1', 'localhost')],
    ] as const) {
      it(`leave a record to its owner, whom an instance ${what} brings to the same gateway`, async () => {
        await people.customer('a', { alias: 'Owner', maxBudget: 5 });
        await people.untilReason('a', 'Created');
        await other.secret('mine', masterKey);
        await other.instance('mine', { endpoint: addressOf(proxy.url) });
        proxy.calls.length = 0;
        const theirs = { instanceRef: { name: 'mine' }, customerId: idOf('a'), blocked: true, maxBudget: 0 };
        await other.customer('thief', { ...theirs, adoptionPolicy: 'Adopt' });
        const thief = await other.untilReason('thief', 'Conflict');
        expect(message(thief)).not.to.contain(people.namespace);
        await other.delete('thief');
        await other.untilGone('thief');
        expect(writes()).to.deep.equal([]);
        expect(await atGateway('a')).to.include({ alias: 'Owner', blocked: false });
        expect((await people.get('a'))?.status?.synced).to.equal(true);
      });
    }

    it('try no creation where the gateway does not say whether the record exists', async () => {
      proxy.fault = ({ path }) =>
        path.startsWith('/customer/info') ? answer(404, '{"message":"nothing here"}') : undefined;
      await other.customer('a', { instanceRef: main() });
      await other.untilReason('a', 'GatewayRejected');
      expect(writes()).to.deep.equal([]);
    });

    it('are not kept from their records by an instance with a wrong key', async () => {
      await other.secret('mine', 'sk-wrong');
      await other.instance('mine', { endpoint: proxy.url });
      await other.customer('squatter', { instanceRef: { name: 'mine' }, customerId: idOf('a') });
      await other.untilReason('squatter', 'GatewayUnauthorized');
      await new Promise((resolve) => setTimeout(resolve, 1100)); // Kubernetes counts age in seconds.
      await people.customer('a', { alias: 'Owner' });
      await people.untilReason('a', 'Created');
    });

    it('adopt no record outside the namespace of the instance, unless they say so', async () => {
      await admin.customerNew({ user_id: idOf('a'), alias: 'Before' });
      await other.customer('a', { instanceRef: main(), customerId: idOf('a'), alias: 'After' });
      expect(message(await other.untilReason('a', 'AlreadyExists'))).to.contain("outside the instance's namespace");
      expect(writes()).to.deep.equal([]);
      await other.patch('a', { spec: { adoptionPolicy: 'Adopt' } });
      await other.untilReason('a', 'Adopted');
    });

    it('take over no record of a resource that is gone outside the namespace of the instance, and do within it', async () => {
      const row = budgetRowId('of-a-lost-cluster');
      await admin.budgetNew({ budget_id: row, max_budget: 9 });
      await admin.customerNew({ user_id: idOf('a'), alias: 'Before', budget_id: row });
      await other.customer('a', { instanceRef: main(), customerId: idOf('a'), adoptionPolicy: 'Adopt' });
      expect(message(await other.untilReason('a', 'Conflict'))).to.contain('belongs to another GatewayCustomer');
      await other.delete('a');
      await other.untilGone('a');
      expect(writes()).to.deep.equal([]);
      await people.customer('a', { tpmLimit: 3 });
      const adopted = await people.untilReason('a', 'Adopted');
      expect(await rowOf(adopted)).to.include({ max_budget: 9, tpm_limit: 3 });
      expect(await admin.budgetInfo([row])).to.deep.equal([]);
    });

    it('use the ids alone that the instance lists for them', async () => {
      const customerIdPrefixes = [{ namespace: other.namespace, prefixes: ['team-'] }];
      await people.patch('main', { spec: { customerIdPrefixes } }, 'gatewayinstances');
      const customerId = `team2-${other.namespace}`;
      await other.customer('a', { instanceRef: main(), customerId });
      await other.customer('b', { instanceRef: main(), customerId: `team-${other.namespace}` });
      expect(message(await other.untilReason('a', 'CustomerIdNotAllowed'))).to.contain('spec.customerIdPrefixes');
      await other.untilReason('b', 'Created');
      await people.customer('c', {});
      await people.untilReason('c', 'Created');
      expect(proxy.calls.filter((call) => JSON.stringify(call).includes(customerId))).to.deep.equal([]);
      await other.delete('a');
      await other.untilGone('a');
    });

    it('leave a record to the resource that is deleted and applied again, after a restart, too', async () => {
      const gone = (customer: GatewayCustomer): boolean => message(customer).includes('is gone');
      await people.customer('a', { alias: 'First', maxBudget: 5 });
      await people.untilReason('a', 'Created');
      await new Promise((resolve) => setTimeout(resolve, 1100)); // Kubernetes counts age in seconds.
      await other.customer('dup', { instanceRef: main(), customerId: idOf('a'), alias: 'Duplicate' });
      const dup = await other.untilReason('dup', 'Conflict');
      expect(message(dup)).to.contain('in another namespace manages').and.not.to.contain(people.namespace);
      await people.until('a', (customer) => message(customer).includes('the record and its spend are deleted'));
      expect(message((await people.get('a')) ?? dup)).not.to.contain(other.namespace);
      await people.delete('a');
      await people.untilGone('a');
      await other.until('dup', gone);
      await elsewhere.end();
      elsewhere = new TestOperator(cluster().kubeConfig(), [people.namespace, other.namespace]);
      await elsewhere.start();
      await other.annotate('dup', 'syncRequested', 'after the restart');
      await other.customer('later', { instanceRef: main() });
      await other.untilReason('later', 'Created');
      await people.customer('a', { alias: 'Again' });
      await people.untilReason('a', 'Created');
      await other.until('dup', (customer) => !gone(customer));
      expect(await atGateway('a')).to.include({ alias: 'Again' });
      // Not applied again in time: it is free.
      await people.delete('a');
      await people.untilGone('a');
      await other.until('dup', gone);
      elsewhere.skip(61_000);
      await other.annotate('dup', 'syncRequested', 'a minute later');
      await other.untilReason('dup', 'Created');
      expect(await atGateway('a')).to.include({ alias: 'Duplicate' });
    });
  });

  describe('a customer for which nothing was begun', () => {
    let other: KubectlUser;
    let elsewhere: TestOperator;
    beforeEach(async () => {
      other = new KubectlUser(cluster().kubeConfig(), await cluster().createNamespace('elsewhere'));
      elsewhere = new TestOperator(cluster().kubeConfig(), [people.namespace, other.namespace]);
      await operator.end();
      await elsewhere.start();
    });
    afterEach(async () => {
      await elsewhere.end();
    });
    const main = (): GatewayCustomer['spec']['instanceRef'] => ({ name: 'main', namespace: people.namespace });
    const nothingBegun = [
      ['a mistyped instanceRef', 'InstanceNotFound', (): object => ({ instanceRef: { name: 'mian' } })],
      ['no Secret', 'InstanceNotReady', (): object => ({ instanceRef: { name: 'keyless' } })],
      ['a namespace that is not allowed', 'NamespaceNotAllowed', (): object => ({ instanceRef: main() })],
    ] as const;

    for (const [what, reason, spec] of nothingBegun) {
      it(`because of ${what} has no mark, goes at once, and leaves the record that others made`, async () => {
        const customerId = `of-others-${other.namespace}`;
        await admin.customerNew({ user_id: customerId, alias: 'Of others' });
        await other.instance('keyless', { endpoint: proxy.url });
        await other.customer('a', { customerId, maxBudget: 5, ...spec() });
        const { metadata } = await other.untilReason('a', reason);
        expect(metadata.finalizers).to.equal(undefined);
        expect(metadata.annotations ?? {}).not.to.have.property(annotations.createPending);
        await other.delete('a');
        await other.untilGone('a');
        // What version 0.1.0 put isSet: it is let go without the instance, and whatever comes later.
        await other.customer('b', { customerId, maxBudget: 5, ...spec() });
        const { uid } = (await other.untilReason('b', reason)).metadata;
        const mark = { [annotations.createPending]: JSON.stringify({ uid, fields: ['maxBudget'] }) };
        await other.patch('b', { metadata: { finalizers: [FINALIZER], annotations: mark } });
        await other.delete('b');
        await other.untilGone('b');
        await people.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
        expect(proxy.calls).to.deep.equal([]);
        expect(await admin.customerInfo(customerId)).to.include({ alias: 'Of others' });
      });
    }

    it('is told from one that managed its record: its deletion waits until its namespace is allowed again', async () => {
      const allow = (namespaces: string[] | null): Promise<void> =>
        people.patch('main', { spec: { allowedNamespaces: namespaces } }, 'gatewayinstances');
      await allow([other.namespace]);
      await other.customer('a', { instanceRef: main(), alias: 'A' });
      await other.untilReason('a', 'Created');
      await allow(null);
      expect(message(await other.untilReason('a', 'NamespaceNotAllowed'))).to.contain(
        'a deletion of this resource waits',
      );
      proxy.calls.length = 0;
      await other.delete('a');
      expect(message(await other.untilReason('a', 'DeletionFailed'))).to.contain('spec.allowedNamespaces');
      expect(proxy.calls).to.deep.equal([]);
      await allow([other.namespace]);
      await other.untilGone('a');
      expect(await admin.customerInfo(`${other.namespace}.a`)).to.equal(undefined);
    });
  });

  it('tells of an error that nobody foresaw, once and without a value, and recovers', async () => {
    const rule =
      '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/syncInterval/x-kubernetes-validations';
    const crd = `crd/gatewayinstances.${GROUP}`;
    const [before] = JSON.parse(
      await cluster().kubectl([
        'get',
        crd,
        '-o',
        'jsonpath=[{.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.syncInterval.x-kubernetes-validations}]',
      ]),
    ) as unknown[];
    // As an instance that was stored before its interval was checked.
    await cluster().kubectl(['patch', crd, '--type=json', '-p', JSON.stringify([{ op: 'remove', path: rule }])]);
    try {
      await eventually(() => people.instance('odd', { endpoint: proxy.url, syncInterval: 'sk-soon' }));
    } finally {
      const restored = [{ op: 'add', path: rule, value: before }];
      await cluster().kubectl(['patch', crd, '--type=json', '-p', JSON.stringify(restored)]);
    }
    await people.secret('odd', masterKey);
    await people.customer('a', { instanceRef: { name: 'odd' } });
    expect(message(await people.untilReason('a', 'InternalError'))).to.equal(
      'An internal error of the operator (RangeError) ends the reconcile. It is tried again: see the log of the operator.',
    );
    await people.patch('odd', { spec: { syncInterval: '5m' } }, instances.plural);
    await people.until('a', ({ status }) => status?.synced === true);
    expect((await people.events('a')).filter((reason) => reason === 'InternalError')).to.have.length(1);
  });

  describe('drift', () => {
    it('is put right when somebody asks for a sync, and told in an event', async () => {
      await people.customer('a', { alias: 'A', maxBudget: 5, models: ['fast'] });
      const created = await people.untilReason('a', 'Created');
      await admin.customerUpdate({ user_id: idOf('a'), alias: 'Edited', models: ['other'] });
      await admin.budgetUpdate({ budget_id: budgetRowId(created.metadata.uid), max_budget: 1000 });
      await people.annotate('a', 'syncRequested', 'one');
      await people.until('a', ({ status }) => status?.lastHandledSyncRequest === 'one');
      expect(await atGateway('a'))
        .to.include({ alias: 'A' })
        .and.deep.include({ models: ['fast'] });
      expect(await rowOf(created)).to.include({ max_budget: 5 });
      await admin.customerDelete(idOf('a'));
      await people.annotate('a', 'syncRequested', 'two');
      await people.until('a', ({ status }) => status?.lastHandledSyncRequest === 'two');
      expect(await atGateway('a')).to.include({ alias: 'A', budget_id: budgetRowId(created.metadata.uid) });
      await untilEvent('a', 'DriftCorrected');
    });

    it('that comes back at once ends in NotConverged, and is worked on no more often than the interval says', async () => {
      await people.patch('main', { spec: { syncInterval: '1s' } }, 'gatewayinstances');
      proxy.fault = ({ path, body }) =>
        path === '/customer/new' || path === '/customer/update'
          ? { kind: 'rewrite', body: { ...body, alias: 'Ignored' } }
          : undefined;
      await people.customer('a', { alias: 'A' });
      const stuck = await people.untilReason('a', 'NotConverged');
      expect(message(stuck)).to.contain('alias');
      await eventually(async () => {
        expect(callsOf('/customer/update').length).to.be.at.least(3);
      });
      const at = callsOf('/customer/update').map((call) => call.at);
      for (let next = 1; next < at.length; next++) expect((at[next] ?? 0) - (at[next - 1] ?? 0)).to.be.greaterThan(800);
      // Told once, however often it is tried.
      expect((await people.get('a'))?.metadata.resourceVersion).to.equal(stuck.metadata.resourceVersion);
      expect((await people.events('a')).filter((reason) => reason === 'NotConverged').length).to.be.at.most(1);
      proxy.fault = noCalls;
      await people.until('a', ({ status }) => status?.synced === true);
      expect(await atGateway('a')).to.include({ alias: 'A' });
    });
  });

  describe('steady state', () => {
    it('asks each customer once an interval, and writes nothing at all', async () => {
      await people.patch('main', { spec: { syncInterval: '1s' } }, 'gatewayinstances');
      const names = Array.from({ length: 30 }, (_, at) => `c${at}`);
      await Promise.all(
        names.map((name, at) =>
          people.customer(
            name,
            at % 3 === 0 ? { budgetId: 'free', metadata: { a: 'b' } } : { maxBudget: at, alias: name },
          ),
        ),
      );
      for (const name of names) await people.untilReason(name, 'Created');
      await untilEvent('c29', 'Created');
      const versions = async (): Promise<string[]> =>
        (await people.list()).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
      const before = await versions();
      const events = (await Promise.all(names.map((name) => people.events(name)))).flat().length;
      proxy.calls.length = 0;
      const began = performance.now();
      await eventually(async () => {
        expect(proxy.calls.length).to.be.at.least(names.length * 4);
      });
      const intervals = (performance.now() - began) / 1000;
      expect(new Set(proxy.calls.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`))).to.deep.equal(
        new Set(['GET /customer/info']),
      );
      // Each at its own time: at most one call an interval, give or take a tenth.
      expect(proxy.calls.length).to.be.at.most(names.length * (intervals / 0.9 + 1));
      expect(await versions()).to.deep.equal(before);
      expect((await Promise.all(names.map((name) => people.events(name)))).flat().length).to.equal(events);
    });

    it('copies what changes at the gateway, and is not set off by its own writing', async () => {
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      // What LiteLLM counts is not to be changed from outside: the answer is made to tell it.
      const row = await atGateway('a');
      proxy.fault = ({ path }) =>
        path.startsWith('/customer/info') ? answer(200, JSON.stringify({ ...row, spend: 1.25 })) : undefined;
      proxy.calls.length = 0;
      await people.annotate('a', 'syncRequested', 'spend');
      const spent = await people.until('a', ({ status }) => status?.currentSpend === 1.25);
      expect(spent.status?.synced).to.equal(true);
      await people.annotate('a', 'syncRequested', 'again');
      await people.until('a', ({ status }) => status?.lastHandledSyncRequest === 'again');
      expect(callsOf(`/customer/info?end_user_id=${idOf('a')}`)).to.have.length(2);
    });
  });

  describe('pause', () => {
    it('leaves a customer alone until it is over, its deletion too', async () => {
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      await people.annotate('a', 'paused', 'true');
      await people.untilReason('a', 'Paused');
      proxy.calls.length = 0;
      await people.patch('a', { spec: { alias: 'B' } });
      await people.untilReason('a', 'Paused');
      await people.delete('a');
      await people.until('a', (customer) => message(customer).includes('deletion waits'));
      expect(proxy.calls).to.deep.equal([]);
      expect(await atGateway('a')).to.include({ alias: 'A' });
      await people.annotate('a', 'paused', null);
      await people.untilGone('a');
      expect(await atGateway('a')).to.equal(undefined);
    });

    it('does nothing at the gateway for one whose finalizer is taken off by hand', async () => {
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      await people.annotate('a', 'paused', 'true');
      await people.untilReason('a', 'Paused');
      proxy.calls.length = 0;
      await people.patch('a', { metadata: { finalizers: null } });
      await people.delete('a');
      await people.untilGone('a');
      // Once another customer is created, the deletion of the first one has been handled.
      await people.customer('b', {});
      await people.untilReason('b', 'Created');
      expect(
        proxy.calls.filter(({ path, body }) => `${path} ${JSON.stringify(body)}`.includes(idOf('a'))),
      ).to.deep.equal([]);
      expect(await atGateway('a')).to.include({ alias: 'A' });
    });

    it('of the instance leaves its customers as they are: each has a pause of its own', async () => {
      const mark = { metadata: { annotations: { [annotations.paused]: 'true' } } };
      await people.patch('main', mark, 'gatewayinstances');
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      await people.delete('a');
      await people.untilGone('a');
      expect(await atGateway('a')).to.equal(undefined);
    });

    it('tells when it begins and when it ends', async () => {
      await people.customer('a', {}, { 'gateway.guardrail.dev/paused': 'true' });
      await people.untilReason('a', 'Paused');
      expect((await people.get('a'))?.metadata.finalizers).to.equal(undefined);
      await people.annotate('a', 'paused', null);
      await people.untilReason('a', 'Created');
      await untilEvent('a', 'Paused');
      await untilEvent('a', 'Resumed');
    });
  });

  describe('an instance that is not ready', () => {
    it('is named in the condition, and its customers go on as soon as it is', async () => {
      await people.customer('a', { instanceRef: { name: 'late' } });
      expect(message(await people.untilReason('a', 'InstanceNotFound'))).to.contain('late');
      await people.instance('late', { endpoint: proxy.url, masterKeySecretRef: { name: 'late', key: 'key' } });
      expect(message(await people.untilReason('a', 'InstanceNotReady'))).to.contain('Secret late');
      await people.secret('late', masterKey);
      await people.annotate('a', 'syncRequested', 'now');
      await people.untilReason('a', 'Created');
      // Whatever order things are applied in is no failure.
      await untilEvent('a', 'Created');
      expect(await people.events('a'))
        .to.include('WaitingForInstance')
        .and.not.include('SyncFailed');
    });

    it('with a key that the gateway refuses is named, and a rotated key is taken at the first refusal', async () => {
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      const other = await startDevGateway({ port: 0, masterKey: 'sk-rotated', proxyName: 'litellm' });
      try {
        await people.patch('main', { spec: { endpoint: other.url } }, 'gatewayinstances');
        const refused = await people.untilReason('a', 'GatewayUnauthorized');
        expect(message(refused)).to.contain('masterKeySecretRef').and.not.to.contain(masterKey);
        await people.secret('main', 'sk-rotated');
        // Within the minute for which a key is kept: only the refusal makes it be read again.
        await people.annotate('a', 'syncRequested', 'now');
        await people.untilReason('a', 'Created');
      } finally {
        await other.stop();
      }
    });
  });

  describe('a faulty gateway', () => {
    const html = '<!doctype html><title>maintenance</title>';
    const faults: readonly { name: string; fault: Fault; reason: string }[] = [
      { name: 'that is down', fault: { kind: 'breakBefore' }, reason: 'GatewayUnreachable' },
      { name: 'that does not answer', fault: { kind: 'hang' }, reason: 'GatewayUnreachable' },
      { name: 'that cuts its answers', fault: { kind: 'cut' }, reason: 'GatewayUnreachable' },
      { name: 'that answers with a page', fault: answer(200, html), reason: 'GatewayUnreachable' },
      { name: 'that answers 500', fault: answer(500), reason: 'GatewayUnreachable' },
      { name: 'that answers 502 with a page', fault: answer(502, html), reason: 'GatewayUnreachable' },
      { name: 'that answers 401', fault: answer(401), reason: 'GatewayUnauthorized' },
      { name: 'that answers 403', fault: answer(403), reason: 'GatewayUnauthorized' },
      { name: 'that answers 422', fault: answer(422, '{"detail":[]}'), reason: 'GatewayRejected' },
      {
        name: 'that redirects',
        fault: answer(307, '', { location: 'http://127.0.0.1:9/' }),
        reason: 'GatewayRejected',
      },
      { name: 'that is none', fault: answer(404, html), reason: 'GatewayRejected' },
    ];
    for (const { name, fault, reason } of faults) {
      it(`${name} is told in the condition, and forgotten when it is over`, async () => {
        proxy.fault = () => fault;
        await people.customer('a', { alias: 'A', maxBudget: 5 });
        const failed = await people.untilReason('a', reason);
        expect(failed.status?.synced).to.equal(false);
        expect(message(failed)).to.match(/^[A-Z].*\.$/);
        expect(conditionOf(failed, 'FullyApplied')).to.include({ status: 'Unknown', reason: 'NotSynced' });
        await untilEvent('a', 'SyncFailed');
        // However often it is tried, it is written once.
        await eventually(async () => {
          if (reason === 'GatewayUnreachable') expect(proxy.calls.length).to.be.at.least(4);
        });
        expect((await people.get('a'))?.metadata.resourceVersion).to.equal(failed.metadata.resourceVersion);
        proxy.fault = noCalls;
        await people.annotate('a', 'syncRequested', 'now');
        await people.until('a', ({ status }) => status?.synced === true);
        expect(await atGateway('a')).to.include({ alias: 'A' });
        expect(callsOf('/customer/new')).to.have.length(1);
      });
    }

    it('that is away for a moment flips nobody; after a minute it is told, and when it is over, too', async () => {
      await people.patch('main', { spec: { syncInterval: '1s' } }, 'gatewayinstances');
      await people.customer('a', { alias: 'A' });
      const created = await people.untilReason('a', 'Created');
      proxy.fault = () => ({ kind: 'breakBefore' });
      proxy.calls.length = 0;
      await eventually(async () => {
        expect(proxy.calls.length).to.be.at.least(6);
      });
      expect((await people.get('a'))?.metadata.resourceVersion).to.equal(created.metadata.resourceVersion);
      operator.skip(61_000);
      await people.untilReason('a', 'GatewayUnreachable');
      await untilEvent('a', 'SyncFailed');
      proxy.fault = noCalls;
      await people.untilReason('a', 'UpToDate');
      await untilEvent('a', 'Recovered');
      // The next outage has a minute of its own.
      proxy.fault = () => ({ kind: 'breakBefore' });
      proxy.calls.length = 0;
      await eventually(async () => {
        expect(proxy.calls.length).to.be.at.least(4);
      });
      expect((await people.get('a'))?.status?.synced).to.equal(true);
      // A changed spec is not at the gateway, and must not be called so for a moment.
      await people.patch('a', { spec: { alias: 'B' } });
      await people.untilReason('a', 'GatewayUnreachable');
    });

    it('that asks for time is given it, and nothing is called a failure', async () => {
      let left = 2;
      proxy.fault = () => (left-- > 0 ? answer(429, '{}', { 'retry-after': '0.3' }) : undefined);
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      const [first, second, third] = proxy.calls.map(({ at }) => at);
      expect((second ?? 0) - (first ?? 0)).to.be.greaterThan(280);
      expect((third ?? 0) - (second ?? 0)).to.be.greaterThan(280);
      expect(await people.events('a')).not.to.include('SyncFailed');
    });

    it('that limits the rate for an hour is told at once, and asked once a minute; what is in sync stays so', async () => {
      await people.customer('synced', { alias: 'A' });
      const synced = await people.untilReason('synced', 'Created');
      await people.customer('going', {});
      await people.untilReason('going', 'Created');
      proxy.fault = () => answer(429, '{"error":{"message":"slow down"}}', { 'retry-after': '3600' });
      await people.patch('main', { spec: { syncInterval: '1s' } }, 'gatewayinstances');
      proxy.calls.length = 0;
      await people.customer('a', {});
      const limited = await people.untilReason('a', 'RateLimited');
      expect(message(limited)).to.match(/accepts no calls until 20\S+Z: .*"slow down"/);
      await people.customer('b', {});
      await people.untilReason('b', 'RateLimited');
      // Nothing was begun for it.
      await people.delete('b');
      await people.untilGone('b');
      await people.delete('going');
      await people.until('going', (customer) => message(customer).includes('force-delete'));
      // Those of other resources that were under way when the first was refused.
      const asked = proxy.calls.length;
      expect(asked).to.be.at.most(3);
      for (let minute = 1; minute <= 3; minute++) {
        operator.skipForGateway(60_000);
        await people.annotate('a', 'syncRequested', `minute ${minute}`);
        await eventually(() => {
          expect(proxy.calls).to.have.length(asked + minute);
        });
      }
      expect((await people.get('a'))?.status).to.deep.equal(limited.status);
      expect((await people.get('synced'))?.status).to.deep.equal(synced.status);
      expect((await people.events('a')).filter((reason) => reason === 'SyncFailed')).to.have.length(1);
      proxy.fault = noCalls;
      operator.skipForGateway(60_000);
      await people.annotate('a', 'syncRequested', 'over');
      await people.untilReason('a', 'Created');
      await people.annotate('going', 'syncRequested', 'over');
      await people.untilGone('going');
    });

    it('that fails for one customer serves all the others', async () => {
      proxy.fault = ({ path, body }) =>
        path.includes('bad') || body.user_id === idOf('bad') ? answer(500) : undefined;
      await people.customer('bad', {});
      await Promise.all(Array.from({ length: 20 }, (_, at) => people.customer(`good${at}`, {})));
      for (let at = 0; at < 20; at++) await people.untilReason(`good${at}`, 'Created');
      await people.untilReason('bad', 'GatewayUnreachable');
    });

    it('that took a customer but broke off its answer is asked what has become of it', async () => {
      proxy.fault = ({ path }) => (path === '/customer/new' ? { kind: 'breakAfter' } : undefined);
      await people.customer('a', { alias: 'A', maxBudget: 5 });
      await people.until('a', ({ status }) => status?.synced === true);
      expect(callsOf('/customer/new')).to.have.length(1);
    });
  });

  describe('deletion', () => {
    /** As the API server does when a deletion has begun before the finalizer was put on. */
    const vanish = async (name: string): Promise<void> => {
      await people.delete(name);
      await people.patch(name, { metadata: { finalizers: null } });
    };

    it('deletes the customer and exactly its own budget row', async () => {
      await people.customer('a', { maxBudget: 5 });
      const created = await people.untilReason('a', 'Created');
      await people.delete('a');
      await people.untilGone('a');
      expect(await atGateway('a')).to.equal(undefined);
      expect(await rowOf(created)).to.equal(undefined);
      expect(callsOf('/budget/delete').map(({ body }) => body)).to.deep.equal([
        { id: budgetRowId(created.metadata.uid) },
      ]);
      await untilEvent('a', 'Deleted');
    });

    it('that overtakes the finalizer leaves nothing at the gateway, also where that is away at first', async () => {
      let away = 0;
      proxy.fault = async ({ path }) => {
        if (path === '/customer/new') {
          await vanish('a');
        }
        return path === '/customer/delete' && ++away < 3 ? { kind: 'breakBefore' } : undefined;
      };
      await people.customer('a', { maxBudget: 5 });
      const { metadata } = await people.until('a', () => true);
      await eventually(async () => {
        expect(callsOf('/customer/delete').length).to.equal(3);
      });
      await eventually(async () => {
        expect(await admin.budgetInfo([budgetRowId(metadata.uid)])).to.deep.equal([]);
      });
      expect(callsOf('/customer/new')).to.have.length(1);
      expect(await atGateway('a')).to.equal(undefined);
      // Whoever has that name next is another.
      proxy.fault = noCalls;
      await people.customer('a', { alias: 'Next' });
      await people.untilReason('a', 'Created');
      await people.delete('a');
      await people.untilGone('a');
    });

    it('that comes while the gateway is looked at changes nothing there', async () => {
      proxy.fault = async ({ path }) => {
        if (path.startsWith('/customer/info') && path.endsWith('a')) {
          await people.delete('a');
          // By then the operator has heard of it.
          await people.customer('b', {});
          await people.untilReason('b', 'Created');
        }
        return undefined;
      };
      await admin.customerNew({ user_id: idOf('a'), alias: 'Made by a call' });
      await people.customer('a', { maxBudget: 5 });
      await people.untilReason('b', 'Created');
      await people.delete('b');
      await people.untilGone('b');
      expect(await people.get('a')).to.equal(undefined);
      expect(proxy.calls.filter(({ body }) => JSON.stringify(body).includes(idOf('a')))).to.deep.equal([]);
      expect(await atGateway('a')).to.include({ alias: 'Made by a call' });
    });

    for (const [what, spec, record] of [
      ['another customer', { customerId: 'another' }, undefined],
      ['the same customer', {}, { alias: 'Next' }],
    ] as const) {
      it(`that overtakes the finalizer is made up for when the name speaks of ${what} by then`, async () => {
        let uid = '';
        proxy.fault = async ({ path }) => {
          if (path === '/customer/new' && uid === '') {
            uid = (await people.get('a'))?.metadata.uid ?? '';
            await vanish('a');
            await people.customer('a', { alias: 'Next', ...spec });
          }
          return undefined;
        };
        await people.customer('a', { alias: 'First', maxBudget: 5 });
        await people.until('a', ({ status, metadata }) => metadata.uid !== uid && status?.synced === true);
        await eventually(async () => {
          expect(await admin.budgetInfo([budgetRowId(uid)])).to.deep.equal([]);
        });
        const left = await atGateway('a');
        if (record === undefined) expect(left).to.equal(undefined);
        else expect(left).to.include(record);
        await people.delete('a');
        await people.untilGone('a');
      });
    }

    it('that comes before the finalizer, and waits for that of somebody else, has nothing made', async () => {
      await operator.end();
      const network = await FaultProxy.start(cluster().kubeConfig());
      operator = new TestOperator(network.kubeConfig(), [people.namespace]);
      await operator.start();
      await people.customer('b', {});
      await people.untilReason('b', 'Created');
      // It looks at the resource, and before its finalizer comes there, things have changed.
      network.when(({ method, path }) => method === 'PATCH' && path.endsWith('/a'), { kind: 'delay', ms: 1_000 });
      await people.customer('a', { maxBudget: 5 });
      await people.patch('a', { metadata: { finalizers: ['example.com/theirs'] } });
      await people.delete('a');
      await eventually(() => {
        expect(network.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('/a'))).to.have.length(
          1,
        );
      });
      await people.customer('c', {});
      await people.untilReason('c', 'Created');
      await people.patch('a', { metadata: { finalizers: null } });
      await people.untilGone('a');
      expect(callsOf('/budget/new')).to.deep.equal([]);
      expect(await atGateway('a')).to.equal(undefined);
      await operator.end();
      await network.stop();
      operator = new TestOperator(cluster().kubeConfig(), [people.namespace]);
      await operator.start();
    });

    it('of a customer that is gone already is done', async () => {
      await people.customer('a', { budgetId: 'free' });
      await people.untilReason('a', 'Created');
      await admin.customerDelete(idOf('a'));
      await people.delete('a');
      await people.untilGone('a');
      expect(await admin.budgetInfo(['free'])).to.have.length(1);
    });

    it('leaves the customer where the policy says so', async () => {
      await people.customer('a', { alias: 'A', deletionPolicy: 'Orphan' });
      await people.untilReason('a', 'Created');
      await people.delete('a');
      await people.untilGone('a');
      expect(await atGateway('a')).to.include({ alias: 'A' });
      await untilEvent('a', 'Orphaned');
    });

    it('waits for a gateway that is away, and says so', async () => {
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      proxy.fault = () => ({ kind: 'breakBefore' });
      await people.delete('a');
      expect(message(await people.untilReason('a', 'DeletionFailed'))).to.contain('force-delete');
      proxy.fault = noCalls;
      await people.untilGone('a');
      expect(await atGateway('a')).to.equal(undefined);
    });

    it('does not take an address that is no gateway for one that has no such customer', async () => {
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      proxy.fault = () => answer(404, '{"message":"no Route matched with those values"}');
      await people.delete('a');
      const failed = await people.untilReason('a', 'DeletionFailed');
      expect(message(failed)).to.contain('"no Route matched with those values"').and.to.contain('spec.endpoint');
      for (const [status, body] of [
        [404, ''],
        [404, '{"detail":"Not Found"}'],
        [200, '{"error":"quota exceeded"}'],
      ] as const) {
        proxy.fault = ({ path }) => (path === '/customer/delete' ? answer(status, body) : undefined);
        proxy.calls.length = 0;
        await people.annotate('a', 'syncRequested', `${status} ${body.length}`);
        await eventually(() => {
          expect(callsOf('/customer/delete')).to.have.length(1);
        });
        await people.untilReason('a', 'DeletionFailed');
        expect(await atGateway('a')).to.include({ alias: 'A' });
      }
      proxy.fault = noCalls;
      await people.annotate('a', 'syncRequested', 'now');
      await people.untilGone('a');
      expect(await atGateway('a')).to.equal(undefined);
    });

    it('that can never succeed is let go by an annotation', async () => {
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      await people.delete('main', 'gatewayinstances');
      await people.delete('a');
      await people.untilReason('a', 'DeletionFailed');
      await people.annotate('a', 'forceDelete', 'true');
      await people.untilGone('a');
      await untilEvent('a', 'ForceDeleted');
    });

    for (const [what, deleteMore] of [
      ['the key', () => Promise.resolve()],
      ['the key and the instance', () => people.delete('main', 'gatewayinstances')],
    ] as const) {
      it(`in a namespace that is being deleted, with ${what} gone, is done with the key that is known`, async () => {
        await people.customer('a', { alias: 'A', maxBudget: 5 });
        const created = await people.untilReason('a', 'Created');
        proxy.fault = () => ({ kind: 'breakBefore' });
        await people.deleteNamespace();
        await people.deleteSecret('main');
        await deleteMore();
        // What was read a moment ago would still serve.
        operator.skip(61_000);
        await people.delete('a');
        const waiting = await people.untilReason('a', 'DeletionFailed');
        expect(message(waiting)).to.contain('cannot be reached').and.not.to.contain(masterKey);
        operator.skip(60 * 60_000);
        proxy.fault = noCalls;
        await people.untilGone('a');
        expect(await atGateway('a')).to.equal(undefined);
        expect(await rowOf(created)).to.equal(undefined);
      });
    }

    it('in a namespace that goes on living, with the key taken away, is not done with it', async () => {
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      await people.deleteSecret('main');
      operator.skip(61_000);
      proxy.calls.length = 0;
      await people.delete('a');
      expect(message(await people.untilReason('a', 'DeletionFailed'))).to.contain('There is no Secret main');
      expect(proxy.calls).to.deep.equal([]);
    });

    it('in a namespace that is being deleted, with the key gone, leaves the customer behind after five minutes', async () => {
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      // Another process does not know the key.
      await operator.end();
      await people.deleteSecret('main');
      await people.deleteNamespace();
      operator = new TestOperator(cluster().kubeConfig(), [people.namespace]);
      await operator.start();
      await people.delete('a');
      await people.until('a', (customer) => message(customer).includes('five minutes'));
      operator.skip(4 * 60_000);
      await people.annotate('a', 'syncRequested', 'four minutes');
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await people.get('a')).not.to.equal(undefined);
      operator.skip(2 * 60_000);
      await people.annotate('a', 'syncRequested', 'six minutes');
      await people.untilGone('a');
      expect(await atGateway('a')).to.include({ alias: 'A' });
      await eventually(async () => {
        expect(await people.events(people.namespace, 'default')).to.include('Orphaned');
      });
      expect(await operator.metrics.registry.metrics()).to.match(
        /customers_orphaned_total\{reason="namespace_deleted"\} 1/,
      );
    });

    it('in a namespace whose deletion began five minutes ago is over at once: the operator was restarted meanwhile', async () => {
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      await operator.end();
      await people.deleteSecret('main');
      await people.deleteNamespace();
      operator = new TestOperator(cluster().kubeConfig(), [people.namespace]);
      operator.advance(6 * 60_000);
      await operator.start();
      await people.delete('a');
      await people.untilGone('a');
      expect(await atGateway('a')).to.include({ alias: 'A' });
    });

    it('waits for no guardrail that the operator may not reach any more, as its namespace is being deleted', async () => {
      operator.guardrails = () => Promise.reject(new ApiError('secrets "x" is forbidden', { status: 403 }));
      await people.customer('a', { alias: 'A' });
      await people.untilReason('a', 'Created');
      await people.customer('b', { alias: 'B' });
      await people.untilReason('b', 'Created');
      await people.delete('a');
      await people.untilReason('a', 'ErasurePending');
      await people.deleteNamespace();
      await people.delete('b');
      await people.untilGone('b');
      expect(await atGateway('b')).to.equal(undefined);
    });

    it('of a resource that never did anything touches nothing', async () => {
      await admin.customerNew({ user_id: idOf('a'), alias: 'Of somebody else' });
      await people.customer('a', { instanceRef: { name: 'nowhere' } }, { 'gateway.guardrail.dev/paused': 'true' });
      await people.untilReason('a', 'Paused');
      await people.delete('a');
      await people.untilGone('a');
      expect(await atGateway('a')).to.include({ alias: 'Of somebody else' });
    });

    it('erases the sessions of the customer at every guardrail pod, and waits for each of them', async () => {
      const first = await startGuardrailPod();
      const second = await startGuardrailPod();
      const pods = [first, second];
      try {
        const endpoints = pods.map(({ url }) => ({ url, apiKey: 'gk-1' }));
        operator.guardrails = () => Promise.resolve(endpoints);
        await people.customer('a', { alias: 'A' });
        await people.untilReason('a', 'Created');
        second.status = 503;
        await people.delete('a');
        const waiting = await people.untilReason('a', 'ErasurePending');
        expect(message(waiting)).to.contain('503').and.not.to.contain(idOf('a'));
        second.status = 200;
        await people.untilGone('a');
        for (const pod of pods) expect(pod.erased).to.include(idOf('a'));
        await untilEvent('a', 'SessionsErased');
        expect(await people.events('a')).not.to.include('InternalError');
      } finally {
        for (const pod of pods) await pod.stop();
      }
    });
  });
});

interface GuardrailPod {
  readonly url: string;
  /** What it answers. */
  status: number;
  readonly erased: string[];
  stop(): Promise<void>;
}

/** Answers as a guardrail does, and can be made to fail. */
async function startGuardrailPod(): Promise<GuardrailPod> {
  const erased: string[] = [];
  const server: Server = createServer((incoming, outgoing) => {
    incoming.setEncoding('utf8').once('data', (text: string) => {
      const ours = incoming.url === '/subjects/erase' && incoming.headers['x-api-key'] === 'gk-1';
      if (ours && pod.status === 200) erased.push((JSON.parse(text) as { end_user_id: string }).end_user_id);
      outgoing.writeHead(ours ? pod.status : 404, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pod: GuardrailPod = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    status: 200,
    erased,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return pod;
}
