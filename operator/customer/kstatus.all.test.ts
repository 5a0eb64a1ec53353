/** What kstatus and Argo CD make of resources as a real API server stores them, from their creation to their deletion. */
import { expect } from 'chai';
import { ensureKstatus, readStatus } from '../../hack/harness/kstatus.ts';
import { answer, noFault, withTestbed } from './testing/testbed.ts';

describe('the stored status', function () {
  this.timeout(120_000);
  const bed = withTestbed();
  before(async function () {
    this.timeout(10 * 60_000);
    await ensureKstatus();
  });

  it('of a customer tells what it waits for', async () => {
    await bed.stopOperator();
    await bed.user.customer('a', { alias: 'A' });
    expect(await readStatus((await bed.user.get('a')) ?? {})).to.equal('InProgress, Progressing');
    await bed.startOperator();
    expect(await readStatus(await bed.user.untilReason('a', 'Created'))).to.equal('Current, Healthy');

    await bed.user.customer('other', { customerId: bed.idOf('a') });
    expect(await readStatus(await bed.user.untilReason('other', 'Conflict'))).to.equal('Failed, Degraded');

    bed.proxy.fault = () => answer(503, '{}');
    await bed.user.patch('a', { spec: { alias: 'B' } });
    expect(await readStatus(await bed.user.untilReason('a', 'GatewayUnreachable'))).to.equal('InProgress, Progressing');
    bed.proxy.fault = noFault;
    expect(await readStatus(await bed.user.untilReason('a', 'Updated'))).to.equal('Current, Healthy');

    await bed.user.annotate('a', 'paused', 'true');
    expect(await readStatus(await bed.user.untilReason('a', 'Paused'))).to.equal('InProgress, Suspended');
    await bed.user.delete('a');
    expect(await readStatus((await bed.user.get('a')) ?? {})).to.equal('Terminating, Progressing');
  });

  it('of a customer that takes over has the conditions of its own generation', async () => {
    await bed.user.customer('a', { alias: 'A' });
    await bed.user.untilReason('a', 'Created');
    await bed.user.customer('b', { customerId: bed.idOf('a'), alias: 'A' });
    await bed.user.untilReason('b', 'Conflict');
    bed.proxy.fault = () => answer(503, '{}');
    await bed.user.delete('a');
    const successor = await bed.user.until('b', ({ status }) => status?.ownership === 'TakingOver');
    expect(await readStatus(successor)).to.equal('InProgress, Progressing');
    bed.proxy.fault = noFault;
    expect(await readStatus(await bed.user.untilReason('b', 'Adopted'))).to.equal('Current, Healthy');
  });

  it('of a budget tells what it waits for', async () => {
    await bed.user.budget('gold', { maxBudget: 5 });
    expect(await readStatus(await bed.user.untilBudgetReason('gold', 'Created'))).to.equal('Current, Healthy');
    await bed.user.budget('silver', { budgetId: 'gold' });
    expect(await readStatus(await bed.user.untilBudgetReason('silver', 'Conflict'))).to.equal('Failed, Degraded');
    await bed.user.customer('a', { budgetRef: { name: 'gold' } });
    await bed.user.untilReason('a', 'Created');
    await bed.user.delete('gold', 'gatewaybudgets');
    expect(await readStatus(await bed.user.untilBudgetReason('gold', 'InUse'))).to.equal('Terminating, Progressing');
  });
});
