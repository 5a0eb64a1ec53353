/** The life cycle of a budget, on a real API server and a gateway that behaves like LiteLLM. */
import { expect } from 'chai';
import { budgets } from '../api/kinds.ts';
import { FINALIZER, type GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import { eventually } from '../customer/testing/testOperator.ts';
import { answer, message, noFault, withTestbed } from '../customer/testing/testbed.ts';
import { conditionOf } from './status.ts';

describe('budget reconcile', function () {
  this.timeout(120_000);
  const bed = withTestbed();
  const { plural } = budgets;
  /** Ids are global at the gateway, which all tests share. */
  const idOf = (name: string): string => `${bed.user.namespace}-${name}`;
  const rowOf = async (name: string): Promise<Record<string, unknown> | undefined> =>
    (await bed.admin.budgetInfo([idOf(name)]))[0];
  const messageOf = (budget: GatewayBudget): string => conditionOf(budget, 'Ready')?.message ?? '';
  const typesOf = ({ status }: GatewayBudget): readonly string[] =>
    (status?.conditions ?? []).map(({ type, status: state }) => `${type} ${state}`);
  let requests = 0;
  const syncNow = async (name: string): Promise<GatewayBudget> => {
    const token = String(++requests);
    await bed.user.annotate(name, 'syncRequested', token, plural);
    return await bed.user.untilBudget(name, ({ status }) => status?.lastHandledSyncRequest === token);
  };

  describe('create and update', () => {
    it('creates the budget, and reports it in status, columns and an event', async () => {
      await bed.user.budget('gold', {
        budgetId: idOf('gold'),
        maxBudget: 12.5,
        softBudget: 10,
        budgetDuration: '30d',
        tpmLimit: 100,
        rpmLimit: 0,
        maxParallelRequests: 4,
      });
      const budget = await bed.user.untilBudgetReason('gold', 'Created');
      expect(budget.metadata.finalizers).to.deep.equal([FINALIZER]);
      expect(typesOf(budget)).to.deep.equal(['Ready True']);
      expect(budget.status).to.include({
        budgetId: idOf('gold'),
        customers: 0,
        ownership: 'Owned',
        observedGeneration: 1,
      });
      expect(await rowOf('gold')).to.include({
        max_budget: 12.5,
        soft_budget: 10,
        budget_duration: '30d',
        tpm_limit: 100,
        rpm_limit: 0,
        max_parallel_requests: 4,
      });
      const [, line = ''] = (await bed.cluster().kubectl(['get', 'gbud', `-n${bed.user.namespace}`])).split('\n');
      expect(line.trim().split(/\s+/).slice(0, 6)).to.deep.equal(['gold', idOf('gold'), 'main', '12.5', '0', 'True']);
      await bed.untilEvent('gold', 'Created');
    });

    it('uses the name of the resource as the id', async () => {
      await bed.user.budget(idOf('named'), { maxBudget: 1 });
      await bed.user.untilBudgetReason(idOf('named'), 'Created');
      expect(await rowOf('named')).to.include({ max_budget: 1 });
    });

    it('applies every change of the spec, clears removed fields, and sends only changes', async () => {
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5, budgetDuration: '30d', rpmLimit: 3 });
      await bed.user.untilBudgetReason('gold', 'Created');
      await bed.user.patch('gold', { spec: { maxBudget: 0, rpmLimit: null, softBudget: 1 } }, plural);
      await bed.user.untilBudgetReason('gold', 'Updated');
      expect(await rowOf('gold')).to.include({
        max_budget: 0,
        budget_duration: '30d',
        rpm_limit: null,
        soft_budget: 1,
      });
      // A duration that is sent again would start a new period.
      expect(bed.callsOf('/budget/update').at(-1)?.body).to.not.have.property('budget_duration');
      await bed.untilEvent('gold', 'Updated');
    });

    it('corrects changes of others, and creates a budget again that others deleted', async () => {
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
      await bed.user.untilBudgetReason('gold', 'Created');
      await bed.admin.budgetUpdate({ budget_id: idOf('gold'), max_budget: 500, rpm_limit: 7 });
      expect(conditionOf(await syncNow('gold'), 'Ready')?.status).to.equal('True');
      expect(await rowOf('gold'), 'a field without a value in the spec').to.include({ max_budget: 5, rpm_limit: 7 });
      await bed.untilEvent('gold', 'DriftCorrected');
      await bed.admin.budgetDelete(idOf('gold'));
      await syncNow('gold');
      expect(await rowOf('gold')).to.include({ max_budget: 5 });
    });

    it('writes nothing while nothing changes', async () => {
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
      const created = await bed.user.untilBudgetReason('gold', 'Created');
      const calls = bed.proxy.calls.length;
      // A change that is no change of the spec causes a reconcile.
      await bed.user.patch('gold', { metadata: { labels: { any: 'thing' } } }, plural);
      await eventually(() => {
        expect(bed.proxy.calls.length).to.be.greaterThan(calls);
      });
      await bed.operator.untilIdle();
      expect((await bed.user.getBudget('gold'))?.status).to.deep.equal(created.status);
      expect(bed.proxy.calls.slice(calls).map(({ path }) => path)).to.not.include.members(['/budget/update']);
    });

    it('finishes after a crash, at any call', async () => {
      for (const kind of ['breakBefore', 'breakAfter'] as const) {
        let broken = false;
        bed.proxy.fault = ({ path }) => {
          if (broken || path !== '/budget/new') return undefined;
          broken = true;
          return { kind };
        };
        await bed.user.budget(kind.toLowerCase(), { budgetId: idOf(kind), maxBudget: 5, adoptionPolicy: 'Refuse' });
        await bed.user.untilBudgetReason(kind.toLowerCase(), 'Created');
        expect(broken).to.equal(true);
        expect(await rowOf(kind)).to.include({ max_budget: 5 });
      }
    });

    it('waits for its instance, and reports what the gateway rejects', async () => {
      await bed.user.budget('early', { budgetId: idOf('early'), instanceRef: { name: 'later' } });
      const early = await bed.user.untilBudgetReason('early', 'InstanceNotFound');
      expect(typesOf(early)).to.deep.equal(['Ready False', 'Reconciling True']);
      await bed.user.budget('models', { budgetId: idOf('models'), modelMaxBudget: { a: { maxBudget: 1 } } });
      const models = await bed.user.untilBudgetReason('models', 'GatewayRejected');
      expect(typesOf(models)).to.deep.equal(['Ready False', 'Stalled True']);
      expect(messageOf(models)).to.contain('spec.modelMaxBudget only with an enterprise licence');
      expect(await rowOf('models')).to.equal(undefined);
    });

    it('reports an unreachable gateway only after a minute once it is in sync', async () => {
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
      await bed.user.untilBudgetReason('gold', 'Created');
      bed.proxy.fault = () => answer(503);
      const before = bed.proxy.calls.length;
      await bed.user.patch('gold', { metadata: { labels: { any: 'thing' } } }, plural);
      await eventually(() => {
        expect(bed.proxy.calls.length).to.be.greaterThan(before + 1);
      });
      await bed.user.untilBudget('gold', (budget) => conditionOf(budget, 'Ready')?.status === 'True');
      bed.operator.skip(61_000);
      await bed.user.untilBudgetReason('gold', 'GatewayUnreachable');
      bed.proxy.fault = noFault;
      await bed.user.untilBudgetReason('gold', 'UpToDate');
    });

    it('reports a gateway without a /budget API', async () => {
      bed.proxy.fault = ({ path }) => (path.startsWith('/budget') ? answer(404, '{"detail":"Not Found"}') : undefined);
      await bed.user.budget('gold', { budgetId: idOf('gold') });
      expect(typesOf(await bed.user.untilBudgetReason('gold', 'NotSupported'))).to.include('Stalled True');
    });

    it('reports a gateway that ignores a field', async () => {
      bed.proxy.fault = ({ path, body }) => {
        if (path !== '/budget/new') return undefined;
        const { tpm_limit: _ignored, ...others } = body;
        return { kind: 'rewrite', body: others };
      };
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 1, tpmLimit: 5 });
      const budget = await bed.user.untilBudgetReason('gold', 'NotConverged');
      expect(messageOf(budget)).to.contain('tpmLimit').and.not.contain('maxBudget');
      expect(typesOf(budget)).to.include('Stalled True');
    });

    it('pauses, and resumes', async () => {
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
      await bed.user.untilBudgetReason('gold', 'Created');
      await bed.user.annotate('gold', 'paused', 'true', plural);
      await bed.user.untilBudgetReason('gold', 'Paused');
      await bed.user.patch('gold', { spec: { maxBudget: 6 } }, plural);
      await bed.user.untilBudgetReason('gold', 'Paused');
      expect(await rowOf('gold')).to.include({ max_budget: 5 });
      await bed.user.annotate('gold', 'paused', null, plural);
      await bed.user.untilBudgetReason('gold', 'Updated');
      expect(await rowOf('gold')).to.include({ max_budget: 6 });
    });
  });

  describe('ownership', () => {
    it('adopts an existing budget, and does not change fields that the spec does not name', async () => {
      await bed.admin.budgetNew({ budget_id: idOf('gold'), max_budget: 1, rpm_limit: 5 });
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 2 });
      await bed.user.untilBudgetReason('gold', 'Adopted');
      expect(await rowOf('gold')).to.include({ max_budget: 2, rpm_limit: 5 });
      await bed.untilEvent('gold', 'Adopted');
    });

    it('refuses an existing budget if the policy is Refuse, and never changes or deletes it', async () => {
      await bed.admin.budgetNew({ budget_id: idOf('gold'), max_budget: 1 });
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 2, adoptionPolicy: 'Refuse' });
      const refused = await bed.user.untilBudgetReason('gold', 'AlreadyExists');
      expect(typesOf(refused)).to.deep.equal(['Ready False', 'Stalled True']);
      expect(refused.status).to.not.have.property('budgetId');
      await bed.user.delete('gold', plural);
      await bed.user.untilBudgetGone('gold');
      expect(await rowOf('gold')).to.include({ max_budget: 1 });
    });

    it('refuses a budget that another client creates at the same moment', async () => {
      bed.proxy.fault = async ({ path }) => {
        if (path === '/budget/new')
          await bed.admin.budgetNew({ budget_id: idOf('gold'), max_budget: 9 }).catch(noFault);
        return undefined;
      };
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 2, adoptionPolicy: 'Refuse' });
      await bed.user.untilBudgetReason('gold', 'AlreadyExists');
      await bed.user.delete('gold', plural);
      await bed.user.untilBudgetGone('gold');
      expect(await rowOf('gold')).to.include({ max_budget: 9 });
    });

    it('never adopts outside the namespace of the instance, whatever the policy', async () => {
      const other = await bed.watchSecondNamespace();
      await bed.user.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
      const foreign = `${other.namespace}.${idOf('shared')}`;
      await bed.admin.budgetNew({ budget_id: foreign, max_budget: 1 });
      const instanceRef = { name: 'main', namespace: bed.user.namespace };
      await other.budget('shared', { instanceRef, budgetId: idOf('shared'), maxBudget: 99, adoptionPolicy: 'Adopt' });
      const refused = await other.untilBudgetReason('shared', 'AlreadyExists');
      expect(messageOf(refused)).to.contain('only a GatewayBudget in the namespace of the instance');
      expect((await bed.admin.budgetInfo([foreign]))[0]).to.include({ max_budget: 1 });
      await other.budget('own', { instanceRef, budgetId: idOf('own'), maxBudget: 3 });
      await other.untilBudgetReason('own', 'Created');
    });

    it('keeps no other namespace out of an id', async () => {
      const other = await bed.watchSecondNamespace();
      await bed.user.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
      const instanceRef = { name: 'main', namespace: bed.user.namespace };
      await other.budget('first', { instanceRef, budgetId: idOf('gold'), maxBudget: 99 });
      const { status } = await other.untilBudgetReason('first', 'Created');
      expect(status?.budgetId).to.equal(`${other.namespace}.${idOf('gold')}`);
      await bed.user.budget('second', { budgetId: idOf('gold'), maxBudget: 1 });
      await bed.user.untilBudgetReason('second', 'Created');
      // A customer of the instance's namespace gets the limits of its own namespace, not of the tenant.
      await bed.user.customer('a', { budgetId: idOf('gold') });
      await bed.user.untilReason('a', 'Created');
      await bed.user.customer('b', { budgetId: `${other.namespace}.${idOf('gold')}` });
      const refused = await bed.user.untilReason('b', 'BudgetNotAllowed');
      expect(message(refused)).to.contain('neither in namespace');
    });

    it('survives a restore without status', async () => {
      const other = await bed.watchSecondNamespace();
      await bed.user.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
      const instanceRef = { name: 'main', namespace: bed.user.namespace };
      const spec = { instanceRef, maxBudget: 3, deletionPolicy: 'Orphan' } as const;
      await other.budget('gold', spec);
      const created = await other.untilBudgetReason('gold', 'Created');
      const marked = await other.untilBudget('gold', ({ metadata }) => metadata.annotations !== undefined);
      await other.delete('gold', plural);
      await other.untilBudgetGone('gold');
      await other.budget('gold', { ...spec, deletionPolicy: 'Delete' });
      await other.untilBudgetReason('gold', 'AlreadyExists');
      await other.delete('gold', plural);
      await other.untilBudgetGone('gold');
      await other.budget('gold', { ...spec, deletionPolicy: 'Delete' }, marked.metadata.annotations);
      await other.untilBudgetReason('gold', 'Adopted');
      await other.delete('gold', plural);
      await other.untilBudgetGone('gold');
      expect(await bed.admin.budgetInfo([created.status?.budgetId ?? ''])).to.deep.equal([]);
    });

    it('belongs to the older of two resources, and then to the other', async () => {
      await bed.user.budget('one', { budgetId: idOf('gold'), maxBudget: 1 });
      await bed.user.untilBudgetReason('one', 'Created');
      await bed.user.budget('two', { budgetId: idOf('gold'), maxBudget: 2 });
      expect(messageOf(await bed.user.untilBudgetReason('two', 'Conflict'))).to.contain('/one manages budget');
      expect(await rowOf('gold')).to.include({ max_budget: 1 });
      await bed.user.delete('two', plural);
      await bed.user.untilBudgetGone('two');
      expect(await rowOf('gold')).to.include({ max_budget: 1 });
      await bed.user.budget('three', { budgetId: idOf('gold'), maxBudget: 3 });
      await bed.user.untilBudgetReason('three', 'Conflict');
      await bed.user.delete('one', plural);
      await bed.user.untilBudgetReason('three', 'Created');
      expect(await rowOf('gold')).to.include({ max_budget: 3 });
    });
  });

  describe('deletion', () => {
    it('deletes the budget at the gateway', async () => {
      await bed.user.budget('gold', { budgetId: idOf('gold') });
      await bed.user.untilBudgetReason('gold', 'Created');
      await bed.user.delete('gold', plural);
      await bed.user.untilBudgetGone('gold');
      expect(await rowOf('gold')).to.equal(undefined);
      await bed.untilEvent('gold', 'Deleted');
    });

    it('leaves the budget at the gateway if the policy is Orphan', async () => {
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 4, deletionPolicy: 'Orphan' });
      await bed.user.untilBudgetReason('gold', 'Created');
      await bed.user.delete('gold', plural);
      await bed.user.untilBudgetGone('gold');
      expect(await rowOf('gold')).to.include({ max_budget: 4 });
    });

    it('does not wait for strangers', async () => {
      const other = await bed.watchSecondNamespace();
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 1 });
      await bed.user.untilBudgetReason('gold', 'Created');
      const budgetId = idOf('gold');
      // A namespace that the instance does not admit, and an instance at the same gateway with a wrong key.
      const main = { name: 'main', namespace: bed.user.namespace };
      await other.customer('refused', { instanceRef: main, budgetId });
      await other.untilReason('refused', 'NamespaceNotAllowed');
      await other.secret('mine', 'sk-wrong');
      await other.instance('mine', { endpoint: bed.proxy.url, defaultCustomerBudget: { budgetId } });
      await other.customer('unsynced', { instanceRef: { name: 'mine' }, budgetId });
      await other.untilReason('unsynced', 'GatewayUnauthorized');
      await bed.user.delete('gold', plural);
      await bed.user.untilBudgetGone('gold');
      expect(await bed.admin.budgetInfo([budgetId])).to.deep.equal([]);
    });

    it('waits while an instance has it as its default budget, unless the instance is being deleted too', async () => {
      await bed.user.budget('gold', { budgetId: idOf('gold') });
      await bed.user.untilBudgetReason('gold', 'Created');
      const finalizers = ['example.com/test'];
      const defaultCustomerBudget = { budgetRef: { name: 'gold' } };
      await bed.user.patch('main', { metadata: { finalizers }, spec: { defaultCustomerBudget } }, 'gatewayinstances');
      await bed.user.delete('gold', plural);
      const waiting = await bed.user.untilBudgetReason('gold', 'InUse');
      expect(messageOf(waiting)).to.contain(`GatewayInstance ${bed.user.namespace}/main`);
      await bed.user.delete('main', 'gatewayinstances');
      await bed.user.untilBudgetGone('gold');
      await bed.user.patch('main', { metadata: { finalizers: null } }, 'gatewayinstances');
    });

    it('in a namespace that is being deleted, without the key, orphans the budget after five minutes', async () => {
      await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 4 });
      await bed.user.untilBudgetReason('gold', 'Created');
      // A restarted operator does not know the key.
      await bed.stopOperator();
      await bed.user.deleteSecret('main');
      await bed.user.deleteNamespace();
      await bed.startOperator();
      await bed.user.delete('gold', plural);
      await bed.user.untilBudget('gold', (budget) => messageOf(budget).includes('five minutes'));
      bed.operator.skip(6 * 60_000);
      await bed.user.annotate('gold', 'syncRequested', 'six minutes', plural);
      await bed.user.untilBudgetGone('gold');
      expect(await rowOf('gold')).to.include({ max_budget: 4 });
      await eventually(async () => {
        expect(await bed.user.events(bed.user.namespace, 'default')).to.include('Orphaned');
      });
    });

    it('waits for an unreachable gateway, unless it is forced', async () => {
      await bed.user.budget('gold', { budgetId: idOf('gold') });
      await bed.user.untilBudgetReason('gold', 'Created');
      bed.proxy.fault = () => answer(503);
      await bed.user.delete('gold', plural);
      await bed.user.untilBudgetReason('gold', 'DeletionFailed');
      await bed.user.annotate('gold', 'forceDelete', 'true', plural);
      await bed.user.untilBudgetGone('gold');
      await bed.untilEvent('gold', 'ForceDeleted');
    });
  });
});
