/** The deletion of customers, on a real API server. */
import { expect } from 'chai';
import { FINALIZER } from '../api/v1alpha1/v1alpha1.ts';
import { budgetRowId } from '../gateway/gateway.ts';
import { ApiError } from '../runtime/runtime.ts';
import { FaultProxy } from '../runtime/testing/testing.ts';
import { startGuardrailPod } from './testing/guardrailPod.ts';
import { answer, masterKey, message, noFault, withTestbed } from './testing/testbed.ts';
import { eventually } from './testing/testOperator.ts';

describe('customer finalization', function () {
  this.timeout(120_000);
  const bed = withTestbed();

  describe('deletion', () => {
    /** Simulates a deletion that begins before the finalizer is written. */
    const vanish = async (name: string): Promise<void> => {
      await bed.user.delete(name);
      await bed.user.patch(name, { metadata: { finalizers: null } });
    };

    it('deletes the customer and exactly its own budget row', async () => {
      await bed.user.customer('a', { maxBudget: 5 });
      const created = await bed.user.untilReason('a', 'Created');
      await bed.user.delete('a');
      await bed.user.untilGone('a');
      expect(await bed.recordOf('a')).to.equal(undefined);
      expect(await bed.rowOf(created)).to.equal(undefined);
      expect(bed.callsOf('/budget/delete').map(({ body }) => body)).to.deep.equal([
        { id: budgetRowId(created.metadata.uid) },
      ]);
      await bed.untilEvent('a', 'Deleted');
    });

    it('before the finalizer takes effect leaves nothing at the gateway, also after an outage', async () => {
      let away = 0;
      bed.proxy.fault = async ({ path }) => {
        if (path === '/customer/new') {
          await vanish('a');
        }
        return path === '/customer/delete' && ++away < 3 ? { kind: 'breakBefore' } : undefined;
      };
      await bed.user.customer('a', { maxBudget: 5 });
      const { metadata } = await bed.user.until('a', () => true);
      await eventually(async () => {
        expect(bed.callsOf('/customer/delete').length).to.equal(3);
      });
      await eventually(async () => {
        expect(await bed.admin.budgetInfo([budgetRowId(metadata.uid)])).to.deep.equal([]);
      });
      expect(bed.callsOf('/customer/new')).to.have.length(1);
      expect(await bed.recordOf('a')).to.equal(undefined);
      // A new resource with the same name.
      bed.proxy.fault = noFault;
      await bed.user.customer('a', { alias: 'Next' });
      await bed.user.untilReason('a', 'Created');
      await bed.user.delete('a');
      await bed.user.untilGone('a');
    });

    it('during the observation of the record changes nothing at the gateway', async () => {
      bed.proxy.fault = async ({ path }) => {
        if (path.startsWith('/customer/info') && path.endsWith('a')) {
          await bed.user.delete('a');
          // The operator has seen the deletion.
          await bed.user.customer('b', {});
          await bed.user.untilReason('b', 'Created');
        }
        return undefined;
      };
      await bed.admin.customerNew({ user_id: bed.idOf('a'), alias: 'Made by a call' });
      await bed.user.customer('a', { maxBudget: 5 });
      await bed.user.untilReason('b', 'Created');
      await bed.user.delete('b');
      await bed.user.untilGone('b');
      expect(await bed.user.get('a')).to.equal(undefined);
      expect(bed.proxy.calls.filter(({ body }) => JSON.stringify(body).includes(bed.idOf('a')))).to.deep.equal([]);
      expect(await bed.recordOf('a')).to.include({ alias: 'Made by a call' });
    });

    for (const [what, spec, record] of [
      ['another customer', { customerId: 'another' }, undefined],
      ['the same customer', {}, { alias: 'Next' }],
    ] as const) {
      it(`before the finalizer takes effect is cleaned up when a new resource of the name has ${what}`, async () => {
        let uid = '';
        bed.proxy.fault = async ({ path }) => {
          if (path === '/customer/new' && uid === '') {
            uid = (await bed.user.get('a'))?.metadata.uid ?? '';
            await vanish('a');
            await bed.user.customer('a', { alias: 'Next', ...spec });
          }
          return undefined;
        };
        await bed.user.customer('a', { alias: 'First', maxBudget: 5 });
        await bed.user.until('a', ({ status, metadata }) => metadata.uid !== uid && status?.synced === true);
        await eventually(async () => {
          expect(await bed.admin.budgetInfo([budgetRowId(uid)])).to.deep.equal([]);
        });
        const left = await bed.recordOf('a');
        if (record === undefined) expect(left).to.equal(undefined);
        else expect(left).to.include(record);
        await bed.user.delete('a');
        await bed.user.untilGone('a');
      });
    }

    it("before the finalizer is written creates nothing, even if another controller's finalizer delays the deletion", async () => {
      const network = await FaultProxy.start(bed.cluster().kubeConfig());
      await bed.restartOperator({ kubeConfig: network.kubeConfig() });
      await bed.user.customer('b', {});
      await bed.user.untilReason('b', 'Created');
      // The resource changes between the operator's read and its write of the finalizer.
      network.when(({ method, path }) => method === 'PATCH' && path.endsWith('/a'), { kind: 'delay', ms: 1_000 });
      await bed.user.customer('a', { maxBudget: 5 });
      await bed.user.patch('a', { metadata: { finalizers: ['example.com/theirs'] } });
      await bed.user.delete('a');
      await eventually(() => {
        expect(network.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('/a'))).to.have.length(
          1,
        );
      });
      await bed.user.customer('c', {});
      await bed.user.untilReason('c', 'Created');
      await bed.user.patch('a', { metadata: { finalizers: null } });
      await bed.user.untilGone('a');
      expect(bed.callsOf('/budget/new')).to.deep.equal([]);
      expect(await bed.recordOf('a')).to.equal(undefined);
      await bed.stopOperator();
      await network.stop();
    });

    it('of a customer that is missing at the gateway succeeds', async () => {
      await bed.user.customer('a', { budgetId: 'free' });
      await bed.user.untilReason('a', 'Created');
      await bed.admin.customerDelete(bed.idOf('a'));
      await bed.user.delete('a');
      await bed.user.untilGone('a');
      expect(await bed.admin.budgetInfo(['free'])).to.have.length(1);
    });

    it('orphans the record if the policy is Orphan', async () => {
      await bed.user.customer('a', { alias: 'A', deletionPolicy: 'Orphan' });
      await bed.user.untilReason('a', 'Created');
      await bed.user.delete('a');
      await bed.user.untilGone('a');
      expect(await bed.recordOf('a')).to.include({ alias: 'A' });
      await bed.untilEvent('a', 'Orphaned');
    });

    it('waits for an unreachable gateway, and reports it', async () => {
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      bed.proxy.fault = () => ({ kind: 'breakBefore' });
      await bed.user.delete('a');
      expect(message(await bed.user.untilReason('a', 'DeletionFailed'))).to.contain('force-delete');
      bed.proxy.fault = noFault;
      await bed.user.untilGone('a');
      expect(await bed.recordOf('a')).to.equal(undefined);
    });

    it('does not succeed at an address that is not a gateway', async () => {
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      bed.proxy.fault = () => answer(404, '{"message":"no Route matched with those values"}');
      await bed.user.delete('a');
      const failed = await bed.user.untilReason('a', 'DeletionFailed');
      expect(message(failed)).to.contain('returned 404').and.to.contain('spec.endpoint').and.not.contain('no Route');
      for (const [status, body] of [
        [404, ''],
        [404, '{"detail":"Not Found"}'],
        [200, '{"error":"quota exceeded"}'],
      ] as const) {
        bed.proxy.fault = ({ path }) => (path === '/customer/delete' ? answer(status, body) : undefined);
        bed.proxy.calls.length = 0;
        await bed.user.annotate('a', 'syncRequested', `${status} ${body.length}`);
        await eventually(() => {
          expect(bed.callsOf('/customer/delete')).to.have.length(1);
        });
        await bed.user.untilReason('a', 'DeletionFailed');
        expect(await bed.recordOf('a')).to.include({ alias: 'A' });
      }
      bed.proxy.fault = noFault;
      await bed.user.annotate('a', 'syncRequested', 'now');
      await bed.user.untilGone('a');
      expect(await bed.recordOf('a')).to.equal(undefined);
    });

    it('is forced by an annotation if it cannot succeed', async () => {
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      await bed.user.delete('main', 'gatewayinstances');
      await bed.user.delete('a');
      await bed.user.untilReason('a', 'DeletionFailed');
      await bed.user.annotate('a', 'forceDelete', 'true');
      await bed.user.untilGone('a');
      await bed.untilEvent('a', 'ForceDeleted');
    });

    for (const [what, deleteMore] of [
      ['the key', () => Promise.resolve()],
      ['the key and the instance', () => bed.user.delete('main', 'gatewayinstances')],
    ] as const) {
      it(`in a namespace that is being deleted, without ${what}, uses the last known key`, async () => {
        await bed.user.customer('a', { alias: 'A', maxBudget: 5 });
        const created = await bed.user.untilReason('a', 'Created');
        bed.proxy.fault = () => ({ kind: 'breakBefore' });
        await bed.user.deleteNamespace();
        await bed.user.deleteSecret('main');
        await deleteMore();
        // The cached key expires.
        bed.operator.skip(61_000);
        await bed.user.delete('a');
        const waiting = await bed.user.untilReason('a', 'DeletionFailed');
        expect(message(waiting)).to.contain('is unreachable').and.not.to.contain(masterKey);
        bed.operator.skip(60 * 60_000);
        bed.proxy.fault = noFault;
        await bed.user.untilGone('a');
        expect(await bed.recordOf('a')).to.equal(undefined);
        expect(await bed.rowOf(created)).to.equal(undefined);
      });
    }

    it('in a namespace that remains, without the key, does not use the last known key', async () => {
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      await bed.user.deleteSecret('main');
      bed.operator.skip(61_000);
      bed.proxy.calls.length = 0;
      await bed.user.delete('a');
      expect(message(await bed.user.untilReason('a', 'DeletionFailed'))).to.contain('Secret main does not exist');
      expect(bed.proxy.calls).to.deep.equal([]);
    });

    it('in a namespace that is being deleted, without the key, orphans the record after five minutes', async () => {
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      // A restarted operator does not know the key.
      await bed.stopOperator();
      await bed.user.deleteSecret('main');
      await bed.user.deleteNamespace();
      await bed.startOperator();
      await bed.user.delete('a');
      await bed.user.until('a', (customer) => message(customer).includes('five minutes'));
      bed.operator.skip(4 * 60_000);
      await bed.operator.untilIdle();
      expect(await bed.user.get('a')).not.to.equal(undefined);
      bed.operator.skip(2 * 60_000);
      await bed.user.untilGone('a');
      expect(await bed.recordOf('a')).to.include({ alias: 'A' });
      await eventually(async () => {
        expect(await bed.user.events(bed.user.namespace, 'default')).to.include('Orphaned');
      });
      expect(await bed.operator.metrics.registry.metrics()).to.match(
        /customers_orphaned_total\{reason="namespace_deleted"\} 1/,
      );
    });

    it('in a namespace whose deletion began five minutes ago orphans the record at once after a restart', async () => {
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      await bed.stopOperator();
      await bed.user.deleteSecret('main');
      await bed.user.deleteNamespace();
      await bed.startOperator({ advanceMs: 6 * 60_000 });
      await bed.user.delete('a');
      await bed.user.untilGone('a');
      expect(await bed.recordOf('a')).to.include({ alias: 'A' });
    });

    for (const [what, advanceMs] of [
      ['waits for five minutes', 0],
      ['ends at once if the deletion of that namespace began five minutes ago', 6 * 60_000],
    ] as const) {
      it(`whose instance is in another namespace that is being deleted, without the key, ${what}`, async () => {
        const other = await bed.watchSecondNamespace();
        await bed.user.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
        const instanceRef = { name: 'main', namespace: bed.user.namespace };
        await other.customer('a', { instanceRef, alias: 'A' });
        const { spec } = await other.untilReason('a', 'Created');
        await bed.stopOperator();
        await bed.user.deleteSecret('main');
        await bed.user.deleteNamespace();
        await bed.startOperator({ advanceMs });
        await other.delete('a');
        if (advanceMs === 0) {
          await other.until('a', (customer) =>
            message(customer).includes(`Namespace ${bed.user.namespace} is being deleted`),
          );
          bed.operator.skip(4 * 60_000);
          await bed.operator.untilIdle();
          expect(await other.get('a')).not.to.equal(undefined);
          bed.operator.skip(2 * 60_000);
        }
        await other.untilGone('a');
        expect(await bed.admin.customerInfo(spec.customerId)).to.include({ alias: 'A' });
        await eventually(async () => {
          expect(await other.events('a')).to.include('Orphaned');
        });
      });
    }

    it('does not wait for a guardrail whose namespace is being deleted', async () => {
      bed.operator.guardrails = () => Promise.reject(new ApiError('secrets "x" is forbidden', { status: 403 }));
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      await bed.user.customer('b', { alias: 'B' });
      await bed.user.untilReason('b', 'Created');
      await bed.user.delete('a');
      await bed.user.untilReason('a', 'ErasurePending');
      await bed.user.deleteNamespace();
      await bed.user.delete('b');
      await bed.user.untilGone('b');
      expect(await bed.recordOf('b')).to.equal(undefined);
    });

    it('does not wait for a guardrail that a terminating instance no longer requests', async () => {
      const pod = await startGuardrailPod();
      try {
        bed.operator.guardrails = () => Promise.resolve([{ url: pod.url, apiKey: 'gk-1' }]);
        const instance = (patch: object): Promise<unknown> => bed.user.patch('main', patch, 'gatewayinstances');
        await instance({ metadata: { finalizers: [FINALIZER] }, spec: { guardrail: {} } });
        for (const name of ['a', 'b']) {
          await bed.user.customer(name, { alias: 'A' });
          await bed.user.untilReason(name, 'Created');
        }
        await bed.cluster().kubectl(['delete', 'ginst/main', '-n', bed.user.namespace, '--wait=false']);
        pod.status = 503;
        await bed.user.delete('a');
        await bed.user.untilReason('a', 'ErasurePending');
        await instance({ spec: { guardrail: null } });
        await bed.user.untilGone('a');
        await bed.untilEvent('a', 'SessionsNotErased');
        expect(await bed.recordOf('a')).to.equal(undefined);
        // One that still runs is called.
        pod.status = 200;
        await bed.user.delete('b');
        await bed.user.untilGone('b');
        expect(pod.erased).to.deep.equal([bed.idOf('b')]);
        await instance({ metadata: { finalizers: null } });
      } finally {
        await pod.stop();
      }
    });

    it('of a resource that was never synced changes nothing', async () => {
      await bed.admin.customerNew({ user_id: bed.idOf('a'), alias: 'Of somebody else' });
      await bed.user.customer('a', { instanceRef: { name: 'nowhere' } }, { 'gateway.guardrail.dev/paused': 'true' });
      await bed.user.untilReason('a', 'Paused');
      await bed.user.delete('a');
      await bed.user.untilGone('a');
      expect(await bed.recordOf('a')).to.include({ alias: 'Of somebody else' });
    });

    it('erases the sessions of the customer at every guardrail pod, and waits for all', async () => {
      const first = await startGuardrailPod();
      const second = await startGuardrailPod();
      const pods = [first, second];
      try {
        const endpoints = pods.map(({ url }) => ({ url, apiKey: 'gk-1' }));
        bed.operator.guardrails = () => Promise.resolve(endpoints);
        await bed.user.customer('a', { alias: 'A' });
        await bed.user.untilReason('a', 'Created');
        second.status = 503;
        await bed.user.delete('a');
        const waiting = await bed.user.untilReason('a', 'ErasurePending');
        expect(message(waiting)).to.contain('503').and.not.to.contain(bed.idOf('a'));
        second.status = 200;
        await bed.user.untilGone('a');
        for (const pod of pods) expect(pod.erased).to.include(bed.idOf('a'));
        await bed.untilEvent('a', 'SessionsErased');
        expect(await bed.user.events('a')).not.to.include('InternalError');
      } finally {
        for (const pod of pods) await pod.stop();
      }
    });
  });
});
