/** Customers in steady state, on a real API server. */
import { expect } from 'chai';
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { minListedCustomers } from '../gateway/gateway.ts';
import { answer, noFault, withTestbed } from './testing/testbed.ts';
import { eventually } from './testing/testOperator.ts';

describe('customers without changes', function () {
  this.timeout(120_000);
  const bed = withTestbed();

  it('update the time of the last success once an hour if nothing changes', async () => {
    await bed.user.customer('a', { alias: 'A' });
    const created = await bed.user.untilReason('a', 'Created');
    const first = created.status;
    await bed.untilObserved(['a']);
    await bed.untilObserved(['a']);
    expect((await bed.user.get('a'))?.metadata.resourceVersion).to.equal(created.metadata.resourceVersion);

    const hour = 60 * 60_000;
    bed.operator.advance(hour);
    await bed.operator.skipInterval();
    const moved = await bed.user.until('a', ({ status }) => status?.lastSyncTime !== first?.lastSyncTime);
    expect(Date.parse(moved.status?.lastSyncTime ?? '')).to.be.at.least(Date.parse(first?.lastSyncTime ?? '') + hour);
    expect(moved.status?.conditions).to.deep.equal(first?.conditions);

    const unmoved = ({ status }: GatewayCustomer): void => {
      expect(status?.synced).to.equal(false);
      expect(status?.lastSyncTime).to.equal(moved.status?.lastSyncTime);
    };
    bed.operator.advance(2 * hour);
    bed.proxy.fault = () => answer(400, '{"error": {"message": "no"}}');
    await bed.operator.skipInterval();
    unmoved(await bed.user.untilReason('a', 'GatewayRejected'));
    await bed.user.annotate('a', 'paused', 'true');
    unmoved(await bed.user.untilReason('a', 'Paused'));
    bed.proxy.fault = noFault;
    await bed.user.annotate('a', 'paused', null);
    const back = await bed.user.until('a', ({ status }) => status?.synced === true);
    expect(Date.parse(back.status?.lastSyncTime ?? '')).to.be.at.least(
      Date.parse(first?.lastSyncTime ?? '') + 3 * hour,
    );
  });

  describe('steady state', () => {
    it('are observed once per interval, and nothing is written', async () => {
      const names = Array.from({ length: 30 }, (_, at) => `c${at}`);
      await Promise.all(
        names.map((name, at) =>
          bed.user.customer(
            name,
            at % 3 === 0 ? { budgetId: 'free', metadata: { a: 'b' } } : { maxBudget: at, alias: name },
          ),
        ),
      );
      for (const name of names) await bed.user.untilReason(name, 'Created');
      await bed.untilEvent('c29', 'Created');
      const versions = async (): Promise<string[]> =>
        (await bed.user.list()).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
      const before = await versions();
      const events = (await Promise.all(names.map((name) => bed.user.events(name)))).flat().length;
      for (let intervals = 0; intervals < 3; intervals++) await bed.untilObserved(names);
      expect(await versions()).to.deep.equal(before);
      expect((await Promise.all(names.map((name) => bed.user.events(name)))).flat().length).to.equal(events);
    });

    it('are compared with one list after a restart, and only what differs is looked up and written', async () => {
      const names = Array.from({ length: minListedCustomers + 20 }, (_, at) => `c${at}`);
      await Promise.all(names.map((name) => bed.user.customer(name, { alias: name })));
      const versions = async (): Promise<Map<string, string | undefined>> =>
        new Map((await bed.user.list()).map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
      await eventually(async () => {
        const waiting = (await bed.user.list()).filter(({ status }) => status?.synced !== true);
        expect(waiting).to.deep.equal([]);
      }, 60_000);
      await bed.stopOperator();
      const before = await versions();
      await bed.admin.customerUpdate({ user_id: bed.idOf('c7'), alias: 'Edited' });
      await bed.admin.customerDelete(bed.idOf('c8'));
      bed.proxy.calls.length = 0;
      await bed.startOperator();
      await bed.untilEvent('c7', 'DriftCorrected');
      await eventually(async () => {
        expect(await bed.recordOf('c8')).to.include({ alias: 'c8' });
      });
      await bed.operator.untilIdle();

      const calls = bed.proxy.calls.map(({ path }) => path);
      expect(calls.filter((path) => path.startsWith('/customer/list'))).to.have.length(1);
      // Before and after the write.
      for (const name of ['c7', 'c8']) {
        expect(calls.filter((path) => path.endsWith(`=${bed.idOf(name)}`))).to.have.length(2);
      }
      expect(calls.filter((path) => path.startsWith('/customer/info'))).to.have.length(4);
      const changed = [...(await versions())].filter(([name, version]) => before.get(name) !== version);
      expect(changed.map(([name]) => name).sort()).to.deep.equal(['c7', 'c8']);
    });

    it('report the spend of the gateway, and are not reconciled after their own status writes', async () => {
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      // The spend at the gateway cannot be set, so the response is changed.
      const row = await bed.recordOf('a');
      bed.proxy.fault = ({ path }) =>
        path.startsWith('/customer/info') ? answer(200, JSON.stringify({ ...row, spend: 1.25 })) : undefined;
      bed.proxy.calls.length = 0;
      await bed.user.annotate('a', 'syncRequested', 'spend');
      const spent = await bed.user.until('a', ({ status }) => status?.currentSpend === 1.25);
      expect(spent.status?.synced).to.equal(true);
      await bed.user.annotate('a', 'syncRequested', 'again');
      await bed.user.until('a', ({ status }) => status?.lastHandledSyncRequest === 'again');
      expect(bed.callsOf(`/customer/info?end_user_id=${bed.idOf('a')}`)).to.have.length(2);
    });
  });
});
