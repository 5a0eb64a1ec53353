/** The ownership of records, on a real API server. */
import { expect } from 'chai';
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { budgetRowId } from '../gateway/gateway.ts';
import { FaultProxy } from '../runtime/testing/testing.ts';
import { conditionOf } from './status.ts';
import { eventually } from './testing/testOperator.ts';
import { message, noFault, withTestbed } from './testing/testbed.ts';

describe('ownership of a record', function () {
  this.timeout(120_000);
  const bed = withTestbed();

  describe('one resource', () => {
    it('adopts an existing record, and does not change fields that the spec does not name', async () => {
      await bed.admin.customerNew({ user_id: bed.idOf('a'), alias: 'Before', blocked: true, models: ['x'] });
      await bed.user.customer('a', { alias: 'After' });
      await bed.user.untilReason('a', 'Adopted');
      expect(await bed.recordOf('a'))
        .to.include({ alias: 'After', blocked: true })
        .and.deep.include({ models: ['x'] });
      await bed.user.patch('a', { spec: { alias: null } });
      await bed.user.untilReason('a', 'Updated');
      expect(await bed.recordOf('a')).to.include({ alias: '', blocked: true });
      await bed.untilEvent('a', 'Adopted');
    });

    it('reports limits copied from a shared budget until the spec names them or the budget', async () => {
      await bed.admin.customerNew({ user_id: bed.idOf('a'), budget_id: 'free' });
      await bed.user.customer('a', { rpmLimit: 5 });
      const adopted = await bed.user.untilReason('a', 'Adopted');
      expect(conditionOf(adopted, 'FullyApplied')).to.include({ status: 'True', reason: 'LimitsCopied' });
      expect(message(adopted, 'FullyApplied')).to.contain('from budget free');
      expect(await bed.rowOf(adopted)).to.include({ max_budget: 1, tpm_limit: 10, rpm_limit: 5 });
      await bed.user.annotate('a', 'syncRequested', 'again');
      const again = await bed.user.until('a', ({ status }) => status?.lastHandledSyncRequest === 'again');
      expect(conditionOf(again, 'FullyApplied')?.reason).to.equal('LimitsCopied');
      for (const spec of [
        { maxBudget: 2, tpmLimit: 3 },
        { maxBudget: null, tpmLimit: null, rpmLimit: null, budgetId: 'free' },
      ]) {
        await bed.user.patch('a', { spec });
        const next = await bed.user.until(
          'a',
          ({ status, metadata }) => status?.observedGeneration === metadata.generation,
        );
        expect(conditionOf(next, 'FullyApplied')?.reason).to.equal('AllFieldsApplied');
        expect(next.status).not.to.have.property('copiedBudget');
      }
    });

    it('adopts a record that a paid call creates at the same moment, and creates it once', async () => {
      bed.proxy.fault = async ({ path }) => {
        if (path === '/customer/new') await bed.admin.customerNew({ user_id: bed.idOf('a') }).catch(noFault);
        return undefined;
      };
      await bed.user.customer('a', { alias: 'A', maxBudget: 4 });
      await bed.user.untilReason('a', 'Adopted');
      expect(bed.callsOf('/customer/new')).to.have.length(1);
      expect(await bed.recordOf('a')).to.include({ alias: 'A' });
    });

    it('refuses an existing record if the policy is Refuse, and never changes it', async () => {
      await bed.admin.customerNew({ user_id: bed.idOf('a'), alias: 'Before' });
      await bed.user.customer('a', { alias: 'After', adoptionPolicy: 'Refuse' });
      expect(message(await bed.user.untilReason('a', 'AlreadyExists'))).to.contain('adoptionPolicy');
      await bed.user.delete('a');
      await bed.user.untilGone('a');
      expect(await bed.recordOf('a')).to.include({ alias: 'Before' });
    });

    it('creates its own record if the policy is Refuse', async () => {
      await bed.user.customer('a', { alias: 'A', adoptionPolicy: 'Refuse' });
      await bed.user.untilReason('a', 'Created');
      await bed.user.patch('a', { spec: { alias: 'B' } });
      await bed.user.untilReason('a', 'Updated');
      expect(await bed.recordOf('a')).to.include({ alias: 'B' });
    });

    describe('of two resources of one namespace', () => {
      const limits = { customerId: '', maxBudget: 5, tpmLimit: 7 };
      let old: GatewayCustomer;
      beforeEach(async () => {
        limits.customerId = bed.idOf('shared');
        await bed.user.customer('old', { ...limits, alias: 'Old' });
        old = await bed.user.untilReason('old', 'Created');
        await bed.user.untilOlder('old');
        await bed.user.customer('young', { customerId: bed.idOf('shared'), maxBudget: 6, models: ['fast'] });
        await bed.user.untilReason('young', 'Conflict');
      });

      it('belongs to the older one; the other one changes nothing, and both report the effect of a deletion', async () => {
        const young = await bed.user.untilReason('young', 'Conflict');
        expect(message(young)).to.contain(`${bed.user.namespace}/old manages`).and.to.contain('takes over the record');
        await bed.user.until('old', (customer) => message(customer).includes('young takes over the record'));
        expect((await bed.user.get('old'))?.status?.synced).to.equal(true);
        await bed.user.customer('youngest', { customerId: bed.idOf('shared') });
        await bed.user.untilReason('youngest', 'Conflict');
        await bed.user.delete('youngest');
        await bed.user.untilGone('youngest');
        expect(await bed.recordOf('shared')).to.include({ alias: 'Old', budget_id: budgetRowId(old.metadata.uid) });
        await bed.untilEvent('young', 'Conflict');
      });

      it('goes to the successor with its spend, and nothing of the first resource remains', async () => {
        bed.proxy.calls.length = 0;
        await bed.user.delete('old');
        await bed.user.untilGone('old');
        const young = await bed.user.untilReason('young', 'Adopted');
        expect([...bed.callsOf('/customer/delete'), ...bed.callsOf('/customer/new')]).to.deep.equal([]);
        expect(await bed.recordOf('shared'))
          .to.include({ alias: '', budget_id: budgetRowId(young.metadata.uid) })
          .and.deep.include({ models: ['fast'] });
        expect(await bed.rowOf(young)).to.include({ max_budget: 6, tpm_limit: null });
        expect(await bed.rowOf(old)).to.equal(undefined);
        await bed.untilEvent('old', 'TakenOver');
        await bed.user.delete('young');
        await bed.user.untilGone('young');
        expect(await bed.recordOf('shared')).to.equal(undefined);
        expect(await bed.rowOf(young)).to.equal(undefined);
      });

      it('goes to a successor that writes its own status at the same moment', async () => {
        const network = await FaultProxy.start(bed.cluster().kubeConfig());
        await bed.restartOperator({ kubeConfig: network.kubeConfig() });
        // This write arrives after the transfer, and was computed before it.
        network.when(
          ({ method, path }) => method === 'PUT' && path.endsWith('/young/status'),
          { kind: 'delay', ms: 1_500 },
          1,
        );
        try {
          await bed.user.patch('young', { spec: { maxBudget: 7 } });
          await eventually(() => {
            expect(network.requests.some(({ path }) => path.endsWith('/young/status'))).to.equal(true);
          });
          await bed.user.delete('old');
          await bed.user.untilGone('old');
          const young = await bed.user.untilReason('young', 'Adopted');
          expect(await bed.recordOf('shared')).to.include({ alias: '', budget_id: budgetRowId(young.metadata.uid) });
          expect(await bed.rowOf(young)).to.include({ max_budget: 7, tpm_limit: null });
          expect(await bed.rowOf(old)).to.equal(undefined);
          await bed.user.delete('young');
          await bed.user.untilGone('young');
        } finally {
          await bed.stopOperator();
          await network.stop();
        }
      });

      it('goes back to the first resource if it is soon applied again, also after a restart', async () => {
        await bed.user.delete('old');
        await bed.user.untilGone('old');
        const young = await bed.user.untilReason('young', 'Adopted');
        await bed.stopOperator();
        bed.proxy.calls.length = 0;
        await bed.user.customer('old', { ...limits, alias: 'Again' });
        await bed.startOperator();
        const again = await bed.user.untilReason('old', 'Adopted');
        await bed.user.untilReason('young', 'Conflict');
        expect([...bed.callsOf('/customer/delete'), ...bed.callsOf('/customer/new')]).to.deep.equal([]);
        expect(await bed.recordOf('shared'))
          .to.include({ alias: 'Again', budget_id: budgetRowId(again.metadata.uid) })
          .and.deep.include({ models: [] });
        expect(await bed.rowOf(young)).to.equal(undefined);
        for (const name of ['young', 'old']) {
          await bed.user.delete(name);
          await bed.user.untilGone(name);
        }
        expect(await bed.recordOf('shared')).to.equal(undefined);
        expect(await bed.rowOf(again)).to.equal(undefined);
      });
    });

    it('serves customers of another namespace only if the instance allows it', async () => {
      const other = await bed.watchSecondNamespace();
      await other.customer('a', { instanceRef: { name: 'main', namespace: bed.user.namespace } });
      await other.untilReason('a', 'NamespaceNotAllowed');
      await bed.user.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
      await other.untilReason('a', 'Created');
    });
  });
});
