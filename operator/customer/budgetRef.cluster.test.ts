/** Customers that refer to a GatewayBudget, on a real API server and a gateway that behaves like LiteLLM. */
import { expect } from 'chai';
import { budgets } from '../api/kinds.ts';
import type { GatewayBudget, GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { message, withTestbed } from './testing/testbed.ts';
import { eventually } from './testing/testOperator.ts';

describe('budgetRef of a customer', function () {
  this.timeout(120_000);
  const bed = withTestbed();
  const { plural } = budgets;
  /** Ids are global at the gateway, which all tests share. */
  const idOf = (name: string): string => `${bed.user.namespace}-${name}`;
  const linkOf = async (name: string): Promise<unknown> => (await bed.recordOf(name))?.budget_id;
  const readyOf = ({ status }: GatewayBudget): string =>
    status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
  const untilCustomers = async (name: string, count: number): Promise<GatewayBudget> =>
    await bed.user.untilBudget(name, ({ status }) => status?.customers === count);
  const inSync = ({ metadata, status }: GatewayCustomer): boolean =>
    status?.synced === true && status.observedGeneration === metadata.generation;

  it('waits for the budget, and is then linked to it', async () => {
    await bed.user.customer('a', { budgetRef: { name: 'gold' } });
    const waiting = await bed.user.untilReason('a', 'BudgetNotFound');
    expect(message(waiting)).to.contain(`GatewayBudget ${bed.user.namespace}/gold does not exist`);
    expect(await bed.recordOf('a')).to.equal(undefined);
    await bed.untilEvent('a', 'WaitingForBudget');
    await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
    const created = await bed.user.untilReason('a', 'Created');
    expect(created.status).to.include({ budgetId: idOf('gold') });
    expect(await linkOf('a')).to.equal(idOf('gold'));
    await untilCustomers('gold', 1);
  });

  it('waits for a budget that is not Ready, and says why', async () => {
    await bed.admin.budgetNew({ budget_id: idOf('gold'), max_budget: 1 });
    await bed.user.budget('gold', { budgetId: idOf('gold'), adoptionPolicy: 'Refuse' });
    await bed.user.untilBudgetReason('gold', 'AlreadyExists');
    await bed.user.customer('a', { budgetRef: { name: 'gold' } });
    expect(message(await bed.user.untilReason('a', 'BudgetNotReady'))).to.contain('is not Ready (AlreadyExists)');
    await bed.user.patch('gold', { spec: { adoptionPolicy: 'Adopt' } }, plural);
    await bed.user.untilReason('a', 'Created');
    expect(await linkOf('a')).to.equal(idOf('gold'));
  });

  it('moves between a budget, an id and its own limits', async () => {
    await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
    await bed.user.customer('a', { maxBudget: 1 });
    await bed.user.untilReason('a', 'Created');
    await bed.user.patch('a', { spec: { maxBudget: null, budgetRef: { name: 'gold' } } });
    await bed.user.until('a', inSync);
    expect(await linkOf('a')).to.equal(idOf('gold'));
    await untilCustomers('gold', 1);
    await bed.user.patch('a', { spec: { budgetRef: null, budgetId: 'free' } });
    const tiered = await bed.user.until('a', inSync);
    expect(tiered.status).to.include({ budgetId: 'free' });
    await untilCustomers('gold', 0);
    await bed.user.patch('a', { spec: { budgetId: idOf('gold') } });
    await untilCustomers('gold', 1);
    await bed.user.patch('a', { spec: { budgetId: null, rpmLimit: 3 } });
    expect((await bed.user.until('a', inSync)).status).to.not.have.property('budgetId');
    await untilCustomers('gold', 0);
  });

  it('stays in sync while its budget is paused, and new customers wait', async () => {
    await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
    await bed.user.customer('a', { budgetRef: { name: 'gold' } });
    await bed.user.untilReason('a', 'Created');
    await bed.user.annotate('gold', 'paused', 'true', plural);
    await bed.user.untilBudgetReason('gold', 'Paused');
    await bed.user.patch('a', { spec: { alias: 'A' } });
    await bed.user.untilReason('a', 'Updated');
    await bed.user.customer('b', { budgetRef: { name: 'gold' } });
    expect(message(await bed.user.untilReason('b', 'BudgetNotReady'))).to.contain('(Paused)');
    await bed.user.annotate('gold', 'paused', null, plural);
    await bed.user.untilReason('b', 'Created');
  });

  it('is linked again after the budget was deleted at the gateway and created again', async () => {
    await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
    await bed.user.customer('a', { budgetRef: { name: 'gold' } });
    await bed.user.untilReason('a', 'Created');
    await bed.admin.budgetDelete(idOf('gold'));
    expect(await linkOf('a')).to.equal(null);
    await bed.user.annotate('gold', 'syncRequested', '1', plural);
    await eventually(async () => {
      expect(await linkOf('a')).to.equal(idOf('gold'));
    });
  });

  it('is written again after each change of the budget, because the gateway caches limits, and only then', async () => {
    await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
    await bed.user.untilBudgetReason('gold', 'Created');
    await bed.user.customer('by-name', { budgetRef: { name: 'gold' } });
    await bed.user.customer('by-id', { budgetId: idOf('gold') });
    for (const name of ['by-name', 'by-id']) await bed.user.untilReason(name, 'Created');
    const written = (): unknown[] =>
      bed
        .callsOf('/customer/update')
        .map(({ body }) => [body.user_id, body.budget_id])
        .sort();
    const once = ['by-id', 'by-name'].map((name) => [bed.idOf(name), idOf('gold')]);
    await bed.user.patch('gold', { spec: { maxBudget: 6 } }, plural);
    await eventually(() => {
      expect(written()).to.deep.equal(once);
    });
    await bed.admin.budgetUpdate({ budget_id: idOf('gold'), max_budget: 600 });
    await bed.user.annotate('gold', 'syncRequested', '1', plural);
    await eventually(() => {
      expect(written()).to.deep.equal([...once, ...once].sort());
    });
    await bed.operator.untilIdle();
    bed.proxy.calls.length = 0;
    for (const name of ['by-name', 'by-id']) {
      await bed.user.annotate(name, 'syncRequested', '2');
      await bed.user.until(name, ({ status }) => status?.lastHandledSyncRequest === '2');
    }
    await bed.user.annotate('gold', 'syncRequested', '2', plural);
    await bed.user.untilBudget('gold', ({ status }) => status?.lastHandledSyncRequest === '2');
    await bed.operator.untilIdle();
    expect(bed.proxy.calls.filter(({ path }) => /\/(?:update|new|delete)$/.test(path))).to.deep.equal([]);
  });

  it('is written again although the operator lost the answer to the change of the budget', async () => {
    await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
    await bed.user.customer('a', { budgetRef: { name: 'gold' } });
    await bed.user.untilReason('a', 'Created');
    let broken = false;
    bed.proxy.fault = ({ path }) => {
      if (broken || path !== '/budget/update') return undefined;
      broken = true;
      return { kind: 'breakAfter' };
    };
    await bed.user.patch('gold', { spec: { maxBudget: 6 } }, plural);
    await eventually(() => {
      expect(bed.callsOf('/customer/update')).to.have.length(1);
    });
    expect(bed.callsOf('/budget/update'), 'the change was made').to.have.length(1);
  });

  it('keeps its budget from being deleted, which then lists it', async () => {
    await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
    const names = Array.from({ length: 12 }, (_, index) => `c${String(index).padStart(2, '0')}`);
    for (const name of names) await bed.user.customer(name, { budgetRef: { name: 'gold' } });
    await untilCustomers('gold', 12);
    for (const name of names) await bed.user.untilReason(name, 'Created');
    await bed.user.delete('gold', plural);
    const waiting = await bed.user.untilBudgetReason('gold', 'InUse');
    expect(readyOf(waiting))
      .to.contain('in use by 12 GatewayCustomers')
      .and.contain(`${bed.user.namespace}/c09 and 2 more`)
      .and.not.contain('/c10');
    expect((await bed.admin.budgetInfo([idOf('gold')]))[0]).to.include({ max_budget: 5 });
    // A customer that refers to it now must wait. It is not linked, and still keeps the budget.
    await bed.user.customer('late', { budgetRef: { name: 'gold' } });
    expect(message(await bed.user.untilReason('late', 'BudgetNotReady'))).to.contain('is being deleted');
    for (const name of names.slice(1)) await bed.user.delete(name);
    await bed.user.delete('late');
    // A changed reference counts only when the customer is linked to another budget.
    await bed.user.patch('c00', { spec: { budgetRef: null, maxBudget: 1 } });
    await bed.user.untilBudgetGone('gold');
    expect((await bed.admin.budgetInfo([idOf('gold')]))[0]).to.equal(undefined);
    expect((await bed.recordOf('c00'))?.budget_id).to.match(/^gcust-/);
  });

  it('keeps the budget at the gateway if the deletion is forced', async () => {
    await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
    await bed.user.customer('a', { budgetRef: { name: 'gold' } });
    await bed.user.untilReason('a', 'Created');
    await bed.user.annotate('gold', 'forceDelete', 'true', plural);
    await bed.user.delete('gold', plural);
    await bed.user.untilBudgetGone('gold');
    await bed.user.untilReason('a', 'BudgetNotFound');
    expect(await linkOf('a')).to.equal(idOf('gold'));
  });

  it('may lead to the namespace of the instance, and to no third one or other instance', async () => {
    const other = await bed.watchSecondNamespace();
    await bed.user.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
    const instanceRef = { name: 'main', namespace: bed.user.namespace };
    await bed.user.budget('gold', { budgetId: idOf('gold'), maxBudget: 5 });
    await other.customer('a', { instanceRef, budgetRef: { name: 'gold', namespace: bed.user.namespace } });
    await other.untilReason('a', 'Created');
    await untilCustomers('gold', 1);
    await other.customer('short', { instanceRef, budgetRef: { name: 'gold' } });
    await other.untilReason('short', 'BudgetNotFound');

    await other.budget('theirs', { instanceRef, budgetId: idOf('theirs') });
    await other.untilBudgetReason('theirs', 'Created');
    await bed.user.customer('third', { budgetRef: { name: 'theirs', namespace: other.namespace } });
    expect(message(await bed.user.untilReason('third', 'BudgetNotAllowed'))).to.contain('is neither in namespace');
    // A reference that is not allowed does not keep the budget.
    await other.delete('theirs', plural);
    await other.untilBudgetGone('theirs');

    await bed.user.instance('second', { endpoint: bed.proxy.url, masterKeySecretRef: { name: 'main', key: 'key' } });
    await bed.user.customer('wrong', { instanceRef: { name: 'second' }, budgetRef: { name: 'gold' } });
    const wrong = await bed.user.untilReason('wrong', 'BudgetNotAllowed');
    expect(message(wrong)).to.contain('belongs to another GatewayInstance');
  });
});
