/** The life cycle of a customer, on a real API server and a gateway that behaves like LiteLLM. */
import { expect } from 'chai';
import { withoutInstanceRules } from '../api/testing/installCrds.ts';
import { instances } from '../api/kinds.ts';
import { annotations, FINALIZER } from '../api/v1alpha1/v1alpha1.ts';
import { budgetRowId } from '../gateway/gateway.ts';
import { conditionOf } from './status.ts';
import { eventually } from './testing/testOperator.ts';
import { masterKey, message, noFault, withTestbed } from './testing/testbed.ts';

describe('customer reconcile', function () {
  this.timeout(120_000);
  const bed = withTestbed();

  describe('create and update', () => {
    it('creates the record, and reports it in status, columns and an event', async () => {
      await bed.user.customer('a', {
        alias: 'A',
        maxBudget: 12.5,
        budgetDuration: '30d',
        tpmLimit: 100,
        blocked: true,
      });
      await bed
        .cluster()
        .kubectl(['wait', '--for=condition=Synced', 'gcust/a', `-n${bed.user.namespace}`, '--timeout=20s']);
      await bed
        .cluster()
        .kubectl(['wait', '--for=condition=Ready', 'gcust/a', `-n${bed.user.namespace}`, '--timeout=20s']);
      const customer = await bed.user.untilReason('a', 'Created');
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
      expect(await bed.recordOf('a')).to.include({
        alias: 'A',
        blocked: true,
        budget_id: budgetRowId(customer.metadata.uid),
      });
      expect(await bed.rowOf(customer)).to.include({ max_budget: 12.5, budget_duration: '30d', tpm_limit: 100 });
      const [, line = ''] = (await bed.cluster().kubectl(['get', 'gcust', `-n${bed.user.namespace}`])).split('\n');
      expect(line.trim().split(/\s+/).slice(0, 5)).to.deep.equal(['a', bed.idOf('a'), '12.5', '0', 'true']);
      await bed.untilEvent('a', 'Created');
    });

    it('applies every change of the spec, and clears removed fields', async () => {
      await bed.user.customer('a', { alias: 'A', maxBudget: 5, models: ['fast'], blocked: true });
      const created = await bed.user.untilReason('a', 'Created');
      await bed.user.patch('a', { spec: { alias: null, maxBudget: 0, models: null, blocked: null, rpmLimit: 3 } });
      const updated = await bed.user.untilReason('a', 'Updated');
      expect(await bed.recordOf('a'))
        .to.include({ alias: '', blocked: false })
        .and.deep.include({ models: [] });
      expect(await bed.rowOf(created)).to.include({ max_budget: 0, rpm_limit: 3 });
      expect(updated.status?.specHash).not.to.equal(created.status?.specHash);
      await bed.user.patch('a', { spec: { maxBudget: null, rpmLimit: null } });
      await bed.user.until('a', ({ status, metadata }) => status?.observedGeneration === metadata.generation);
      expect((await bed.recordOf('a'))?.budget_id).to.equal(null);
      expect(await bed.rowOf(created)).to.equal(undefined);
      await bed.untilEvent('a', 'Updated');
    });

    it('reports fields that the gateway does not support or clear, and sends them once', async () => {
      await bed.user.customer('a', { metadata: { plan: 'gold' }, allowedModelRegion: 'eu' });
      const created = await bed.user.untilReason('a', 'Created');
      expect(message(created, 'FullyApplied')).to.contain('metadata');
      await bed.user.patch('a', { spec: { metadata: null, allowedModelRegion: null } });
      const updated = await bed.user.untilReason('a', 'Updated');
      expect(conditionOf(updated, 'FullyApplied')).to.include({ status: 'False', reason: 'FieldsNotCleared' });
      const written = bed.callsOf('/customer/update').length;
      await bed.user.annotate('a', 'paused', 'true');
      await bed.user.untilReason('a', 'Paused');
      await bed.user.annotate('a', 'paused', null);
      await bed.user.untilReason('a', 'UpToDate');
      expect(bed.callsOf('/customer/update')).to.have.length(written);
    });

    it('reports fields that the gateway records and does not enforce, while Synced stays True', async () => {
      await bed.user.customer('a', { alias: 'A', blocked: true });
      const blocked = await bed.user.untilReason('a', 'Created');
      expect(conditionOf(blocked, 'FullyApplied')).to.include({ status: 'False', reason: 'FieldsNotEnforced' });
      expect(blocked.status).to.include({ synced: true, blocked: true });
    });

    it('reports no such field that a callback in the configuration of the proxy enforces', async () => {
      const inline = 'litellm_settings: {callbacks: [prometheus, blocked_user_check]}';
      const proxyConfig = { configMapName: 'proxy', base: { inline } };
      await bed.user.patch('main', { spec: { proxyConfig } }, 'gatewayinstances');
      await bed.user.customer('a', { blocked: true });
      await bed.user.until('a', (customer) => conditionOf(customer, 'FullyApplied')?.reason === 'AllFieldsApplied');
    });

    it('reports a missing tier with a remedy, and uses it once it exists', async () => {
      await bed.user.customer('a', { budgetId: `later-${bed.user.namespace}` });
      const refused = await bed.user.untilReason('a', 'GatewayRejected');
      expect(message(refused)).to.contain('The gateway has no budget with the id in spec.budgetId');
      expect(await bed.recordOf('a')).to.equal(undefined);
      await bed.admin.budgetNew({ budget_id: `later-${bed.user.namespace}` });
      await bed.user.annotate('a', 'syncRequested', 'now');
      // A retry can find the tier before the request arrives.
      await bed.user.until('a', ({ status }) => status?.lastHandledSyncRequest === 'now');
      expect(await bed.recordOf('a')).to.not.equal(undefined);
    });

    it('gives limits without a budget the default budget of the instance, and removes it again', async () => {
      const setDefault = (budget: object | null): Promise<void> =>
        bed.user.patch('main', { spec: { defaultCustomerBudget: budget } }, 'gatewayinstances');
      await setDefault({ maxBudget: 3, budgetDuration: '30d' });
      // A field that the gateway does not support must not prevent the removal of others.
      await bed.user.customer('a', { tpmLimit: 50, metadata: { plan: 'gold' } });
      const created = await bed.user.untilReason('a', 'Created');
      expect(conditionOf(created, 'FullyApplied')?.reason).to.equal('FieldsNotSupported');
      expect(await bed.rowOf(created)).to.include({ max_budget: 3, budget_duration: '30d', tpm_limit: 50 });
      await bed.admin.budgetUpdate({ budget_id: budgetRowId(created.metadata.uid), budget_duration: '1d' });
      await bed.user.annotate('a', 'syncRequested', 'now');
      await bed.user.until('a', ({ status }) => status?.lastHandledSyncRequest === 'now');
      expect(await bed.rowOf(created)).to.include({ max_budget: 3, budget_duration: '30d' });
      await setDefault({ maxBudget: 3, budgetDuration: null });
      await eventually(async () => {
        expect(await bed.rowOf(created)).to.include({ max_budget: 3, budget_duration: null, budget_reset_at: null });
      });
      await setDefault(null);
      await eventually(async () => {
        expect(await bed.rowOf(created)).to.include({ max_budget: null, budget_duration: null, tpm_limit: 50 });
      });
    });
  });

  describe('drift', () => {
    it('is corrected at a sync request, and reported in an event', async () => {
      await bed.user.customer('a', { alias: 'A', maxBudget: 5, models: ['fast'] });
      const created = await bed.user.untilReason('a', 'Created');
      await bed.admin.customerUpdate({ user_id: bed.idOf('a'), alias: 'Edited', models: ['other'] });
      await bed.admin.budgetUpdate({ budget_id: budgetRowId(created.metadata.uid), max_budget: 1000 });
      await bed.user.annotate('a', 'syncRequested', 'one');
      await bed.user.until('a', ({ status }) => status?.lastHandledSyncRequest === 'one');
      expect(await bed.recordOf('a'))
        .to.include({ alias: 'A' })
        .and.deep.include({ models: ['fast'] });
      expect(await bed.rowOf(created)).to.include({ max_budget: 5 });
      await bed.admin.customerDelete(bed.idOf('a'));
      await bed.user.annotate('a', 'syncRequested', 'two');
      await bed.user.until('a', ({ status }) => status?.lastHandledSyncRequest === 'two');
      expect(await bed.recordOf('a')).to.include({ alias: 'A', budget_id: budgetRowId(created.metadata.uid) });
      await bed.untilEvent('a', 'DriftCorrected');
    });

    it('that another client causes in each interval is reported, until it ends', async () => {
      // Without limits, the record has no budget row that names its cluster.
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      const overwrite = async (): Promise<void> => {
        await bed.admin.customerUpdate({ user_id: bed.idOf('a'), alias: 'Of another cluster', blocked: true });
        await bed.operator.skipInterval();
        await eventually(async () => {
          expect(await bed.recordOf('a')).to.include({ alias: 'A' });
        });
        // The operator reads the record again after its write.
        await bed.operator.untilIdle();
      };
      for (let interval = 0; interval < 3; interval += 1) await overwrite();
      const reported = await bed.user.untilReason('a', 'Overwritten');
      expect(reported.status?.synced).to.equal(false);
      expect(message(reported)).to.contain('alias').and.contain('managementPolicy');
      await bed.untilEvent('a', 'Overwritten');
      // The condition is written once.
      await overwrite();
      expect((await bed.user.get('a'))?.metadata.resourceVersion).to.equal(reported.metadata.resourceVersion);
      bed.operator.skip(61 * 60_000);
      await bed.user.untilReason('a', 'UpToDate');
    });

    it('that recurs at once ends in NotConverged, and is corrected once per interval', async () => {
      bed.proxy.fault = ({ path, body }) =>
        path === '/customer/new' || path === '/customer/update'
          ? { kind: 'rewrite', body: { ...body, alias: 'Ignored' } }
          : undefined;
      await bed.user.customer('a', { alias: 'A' });
      const stuck = await bed.user.untilReason('a', 'NotConverged');
      expect(message(stuck)).to.contain('alias');
      for (let intervals = 0; intervals < 2; intervals++) {
        await bed.skipInterval();
        await eventually(() => {
          expect(bed.callsOf('/customer/update').length).to.be.at.least(1);
        });
        await bed.operator.untilIdle();
        expect(bed.callsOf('/customer/update')).to.have.length(1);
      }
      // Reported once, although it is corrected in each interval.
      expect((await bed.user.get('a'))?.metadata.resourceVersion).to.equal(stuck.metadata.resourceVersion);
      expect((await bed.user.events('a')).filter((reason) => reason === 'NotConverged').length).to.be.at.most(1);
      bed.proxy.fault = noFault;
      await bed.operator.skipInterval();
      await bed.user.until('a', ({ status }) => status?.synced === true);
      expect(await bed.recordOf('a')).to.include({ alias: 'A' });
    });
  });

  describe('pause', () => {
    it('delays the reconcile and the deletion of a customer until it ends', async () => {
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      await bed.user.annotate('a', 'paused', 'true');
      await bed.user.untilReason('a', 'Paused');
      bed.proxy.calls.length = 0;
      await bed.user.patch('a', { spec: { alias: 'B' } });
      await bed.user.untilReason('a', 'Paused');
      await bed.user.delete('a');
      await bed.user.until('a', (customer) => message(customer).includes('deletion waits'));
      expect(bed.proxy.calls).to.deep.equal([]);
      expect(await bed.recordOf('a')).to.include({ alias: 'A' });
      await bed.user.annotate('a', 'paused', null);
      await bed.user.untilGone('a');
      expect(await bed.recordOf('a')).to.equal(undefined);
    });

    it('changes nothing at the gateway if a user removes the finalizer', async () => {
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      await bed.user.annotate('a', 'paused', 'true');
      await bed.user.untilReason('a', 'Paused');
      bed.proxy.calls.length = 0;
      await bed.user.patch('a', { metadata: { finalizers: null } });
      await bed.user.delete('a');
      await bed.user.untilGone('a');
      // Once another customer is created, the deletion of the first one has been handled.
      await bed.user.customer('b', {});
      await bed.user.untilReason('b', 'Created');
      expect(
        bed.proxy.calls.filter(({ path, body }) => `${path} ${JSON.stringify(body)}`.includes(bed.idOf('a'))),
      ).to.deep.equal([]);
      expect(await bed.recordOf('a')).to.include({ alias: 'A' });
    });

    it('of the instance does not pause its customers', async () => {
      const mark = { metadata: { annotations: { [annotations.paused]: 'true' } } };
      await bed.user.patch('main', mark, 'gatewayinstances');
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      await bed.user.delete('a');
      await bed.user.untilGone('a');
      expect(await bed.recordOf('a')).to.equal(undefined);
    });

    it('has an event at its start and at its end', async () => {
      await bed.user.customer('a', {}, { 'gateway.guardrail.dev/paused': 'true' });
      await bed.user.untilReason('a', 'Paused');
      expect((await bed.user.get('a'))?.metadata.finalizers).to.equal(undefined);
      await bed.user.annotate('a', 'paused', null);
      await bed.user.untilReason('a', 'Created');
      await bed.untilEvent('a', 'Paused');
      await bed.untilEvent('a', 'Resumed');
    });
  });

  it('reports an unexpected error once and without a value, and recovers', async () => {
    await withoutInstanceRules(bed.cluster(), ['syncInterval/x-kubernetes-validations'], async () => {
      await eventually(() => bed.user.instance('odd', { endpoint: bed.proxy.url, syncInterval: 'sk-soon' }));
    });
    await bed.user.secret('odd', masterKey);
    await bed.user.customer('a', { instanceRef: { name: 'odd' } });
    expect(message(await bed.user.untilReason('a', 'InternalError')))
      .to.contain('(RangeError)')
      .and.not.contain('sk-soon');
    await bed.user.patch('odd', { spec: { syncInterval: '5m' } }, instances.plural);
    await bed.user.until('a', ({ status }) => status?.synced === true);
    expect((await bed.user.events('a')).filter((reason) => reason === 'InternalError')).to.have.length(1);
  });
});
