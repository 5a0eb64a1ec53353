/** Customers and budgets that are only observed, on a real API server: nothing is written at the gateway. */
import { expect } from 'chai';
import { budgets } from '../api/kinds.ts';
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { budgetRowId } from '../gateway/gateway.ts';
import { message, withTestbed } from './testing/testbed.ts';

describe('customers and budgets that are only observed', function () {
  this.timeout(120_000);
  const bed = withTestbed();
  const observe = { managementPolicy: 'Observe' } as const;
  const manage = { managementPolicy: 'Manage' } as const;
  const { plural } = budgets;

  /** The calls that change something at the gateway. */
  const writes = (): string[] =>
    bed.proxy.calls.map(({ path }) => path).filter((path) => /\/(new|update|delete|block|unblock)$/.test(path));
  const syncNow = async (name: string, token: string): Promise<GatewayCustomer> => {
    await bed.user.annotate(name, 'syncRequested', token);
    return await bed.user.until(name, ({ status }) => status?.lastHandledSyncRequest === token);
  };

  it('report the record, and what differs from the spec, without a write, also when they are deleted', async () => {
    await bed.admin.customerNew({ user_id: bed.idOf('a'), alias: 'Acme', max_budget: 5, rpm_limit: 7, blocked: true });
    const before = await bed.recordOf('a');
    await bed.user.customer('a', { ...observe, alias: 'Acme', maxBudget: 5, blocked: true });
    const same = await bed.user.untilReason('a', 'Observed');
    expect(same.status).to.include({ synced: true, blocked: true, currentSpend: 0, ownership: 'Observed' });
    expect(same.status?.budgetId).to.equal(before?.budget_id);
    expect(same.metadata.finalizers ?? []).to.deep.equal([]);

    await bed.user.patch('a', { spec: { alias: 'Other', maxBudget: 6, metadata: { a: 'b' } } });
    const other = await bed.user.untilReason('a', 'Differs');
    expect(message(other)).to.contain('differs from the spec in alias, maxBudget, metadata, and');
    expect(other.status?.synced).to.equal(false);

    await bed.user.delete('a');
    await bed.user.untilGone('a');
    await bed.user.customer('none', observe);
    expect(message(await bed.user.untilReason('none', 'NotAtGateway'))).to.contain('The gateway has no such customer');
    await bed.user.delete('none');
    await bed.user.untilGone('none');
    expect(writes()).to.deep.equal([]);
    expect(await bed.recordOf('a')).to.deep.equal(before);
  });

  it('cost no status write while nothing changes', async () => {
    await bed.admin.customerNew({ user_id: bed.idOf('idle'), alias: 'A' });
    await bed.user.customer('idle', { ...observe, alias: 'A' });
    const first = await bed.user.untilReason('idle', 'Observed');
    await bed.untilObserved(['idle']);
    await bed.untilObserved(['idle']);
    expect((await bed.user.get('idle'))?.metadata.resourceVersion).to.equal(first.metadata.resourceVersion);
  });

  it('never compete with a resource that manages the record', async () => {
    await bed.user.customer('watch', { ...observe, customerId: bed.idOf('owner'), alias: 'A' });
    await bed.user.untilReason('watch', 'NotAtGateway');
    await bed.user.customer('owner', { alias: 'A', maxBudget: 1 });
    const owner = await bed.user.untilReason('owner', 'Created');
    expect((await syncNow('watch', '1')).status).to.include({ synced: true, ownership: 'Observed' });
    await bed.user.delete('watch');
    await bed.user.untilGone('watch');
    expect((await syncNow('owner', '1')).status).to.include({ synced: true, ownership: 'Owned' });
    expect((await bed.recordOf('owner'))?.budget_id).to.equal(budgetRowId(owner.metadata.uid));

    await bed.user.customer('later', { ...observe, customerId: bed.idOf('owner') });
    await bed.user.untilReason('later', 'Observed');
    await bed.user.delete('owner');
    await bed.user.untilGone('owner');
    expect(await bed.recordOf('owner')).to.equal(undefined);
    expect((await syncNow('later', '1')).status?.synced).to.equal(false);
  });

  it('adopt the record when they begin to manage it, and keep it when they end, also at the deletion', async () => {
    await bed.admin.customerNew({ user_id: bed.idOf('b'), alias: 'B' });
    await bed.user.customer('b', { ...observe, alias: 'B' });
    await bed.user.untilReason('b', 'Observed');
    await bed.user.patch('b', { spec: manage });
    await bed.user.untilReason('b', 'Adopted');
    expect(writes()).to.deep.equal([]);
    await bed.user.patch('b', { spec: { alias: 'C', maxBudget: 3 } });
    await bed.user.untilReason('b', 'Updated');
    const kept = await bed.recordOf('b');
    expect(kept).to.include({ alias: 'C' });

    await bed.user.patch('b', { spec: { ...observe, alias: 'D' } });
    const observed = await bed.user.untilReason('b', 'Differs');
    expect(observed.status).to.not.have.any.keys('specHash', 'appliedFields', 'gateway');
    bed.proxy.calls.length = 0;
    await bed.user.patch('b', { spec: { alias: 'C' } });
    await bed.user.untilReason('b', 'Observed');
    await bed.user.delete('b');
    await bed.user.untilGone('b');
    expect(writes()).to.deep.equal([]);
    expect(await bed.recordOf('b')).to.deep.equal(kept);
  });

  it('leave the record to the next claimant when they end to manage it, and do not take it back', async () => {
    await bed.user.customer('first', { customerId: bed.idOf('c'), maxBudget: 1 });
    await bed.user.untilReason('first', 'Created');
    await bed.user.customer('second', { customerId: bed.idOf('c'), maxBudget: 1 });
    await bed.user.untilReason('second', 'Conflict');
    await bed.user.patch('first', { spec: observe });
    await bed.user.untilReason('first', 'Observed');
    bed.operator.skip(60_000);
    await bed.user.annotate('second', 'syncRequested', 'now');
    const second = await bed.user.until('second', ({ status }) => status?.synced === true);
    expect((await bed.recordOf('c'))?.budget_id).to.equal(budgetRowId(second.metadata.uid));
    await bed.user.patch('first', { spec: manage });
    await bed.user.untilReason('first', 'Conflict');
    expect((await bed.recordOf('c'))?.budget_id).to.equal(budgetRowId(second.metadata.uid));
  });

  it('refuse the record in another way than they observe it if adoptionPolicy is Refuse', async () => {
    await bed.admin.customerNew({ user_id: bed.idOf('d'), alias: 'D' });
    await bed.user.customer('d', { ...observe, adoptionPolicy: 'Refuse', alias: 'E' });
    await bed.user.untilReason('d', 'Differs');
    await bed.user.patch('d', { spec: manage });
    await bed.user.untilReason('d', 'AlreadyExists');
    expect(writes()).to.deep.equal([]);
  });

  it('are paused as others', async () => {
    await bed.user.customer('p', observe, { 'gateway.guardrail.dev/paused': 'true' });
    await bed.user.untilReason('p', 'Paused');
    await bed.user.delete('p');
    await bed.user.untilGone('p');
  });

  it('are budgets too, which customers may refer to', async () => {
    await bed.admin.budgetNew({ budget_id: `${bed.user.namespace}-t`, max_budget: 5, rpm_limit: 7 });
    await bed.admin.customerNew({ user_id: bed.idOf('t'), budget_id: `${bed.user.namespace}-t` });
    await bed.user.budget('t', { ...observe, budgetId: `${bed.user.namespace}-t`, maxBudget: 5 });
    const tier = await bed.user.untilBudgetReason('t', 'Observed');
    expect(tier.status).to.include({ budgetId: `${bed.user.namespace}-t`, ownership: 'Observed' });
    await bed.user.customer('t', { budgetRef: { name: 't' }, adoptionPolicy: 'Adopt' });
    await bed.user.untilReason('t', 'Adopted');
    await bed.user.customer('o', { ...observe, customerId: bed.idOf('t'), budgetRef: { name: 't' } });
    await bed.user.untilReason('o', 'Observed');

    await bed.user.patch('t', { spec: { rpmLimit: 8 } }, plural);
    const other = await bed.user.untilBudgetReason('t', 'Differs');
    expect(other.status?.conditions?.map(({ type, status }) => `${type} ${status}`)).to.deep.equal([
      'Ready False',
      'Stalled True',
    ]);
    expect(other.status?.conditions?.[0]?.message).to.contain('in rpmLimit, and');
    await bed.user.delete('t', plural);
    await bed.user.untilBudgetGone('t');
    await bed.user.budget('gone', observe);
    await bed.user.untilBudgetReason('gone', 'NotAtGateway');
    expect(writes()).to.deep.equal([]);
    expect((await bed.admin.budgetInfo([`${bed.user.namespace}-t`])).length).to.equal(1);
  });

  it('leave a budget to a resource that manages it', async () => {
    await bed.user.budget('m', { maxBudget: 1, budgetId: `${bed.user.namespace}-m` });
    await bed.user.untilBudgetReason('m', 'Created');
    await bed.user.budget('w', { ...observe, budgetId: `${bed.user.namespace}-m`, maxBudget: 1 });
    await bed.user.untilBudgetReason('w', 'Observed');
    await bed.user.patch('m', { spec: observe }, plural);
    await bed.user.untilBudgetReason('m', 'Observed');
    bed.proxy.calls.length = 0;
    await bed.user.delete('m', plural);
    await bed.user.untilBudgetGone('m');
    await bed.user.patch('w', { spec: manage }, plural);
    await bed.user.untilBudgetReason('w', 'Adopted');
    expect(writes()).to.deep.equal([]);
  });
});
