/** Customers whose instance is not ready or whose gateway fails, on a real API server. */
import { expect } from 'chai';
import { startDevGateway } from '../../hack/harness/gateway/gateway.ts';
import type { Fault } from '../gateway/testing/testProxy.ts';
import { conditionOf } from './status.ts';
import { eventually } from './testing/testOperator.ts';
import { answer, masterKey, message, noFault, withTestbed } from './testing/testbed.ts';

describe('customers and faults', function () {
  this.timeout(120_000);
  const bed = withTestbed();

  describe('an instance that is not ready', () => {
    it('is named in the condition, and its customers are synced once it is ready', async () => {
      await bed.user.customer('a', { instanceRef: { name: 'late' } });
      expect(message(await bed.user.untilReason('a', 'InstanceNotFound'))).to.contain('late');
      await bed.user.instance('late', { endpoint: bed.proxy.url, masterKeySecretRef: { name: 'late', key: 'key' } });
      expect(message(await bed.user.untilReason('a', 'InstanceNotReady'))).to.contain('Secret late');
      await bed.user.secret('late', masterKey);
      await bed.user.annotate('a', 'syncRequested', 'now');
      await bed.user.untilReason('a', 'Created');
      // Applying resources in any order is not a failure.
      await bed.untilEvent('a', 'Created');
      expect(await bed.user.events('a'))
        .to.include('WaitingForInstance')
        .and.not.include('SyncFailed');
    });

    it('with a rejected key is reported, and a rotated key is read at the first rejection', async () => {
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      const other = await startDevGateway({ port: 0, masterKey: 'sk-rotated', proxyName: 'litellm' });
      try {
        await bed.user.patch('main', { spec: { endpoint: other.url } }, 'gatewayinstances');
        const refused = await bed.user.untilReason('a', 'GatewayUnauthorized');
        expect(message(refused)).to.contain('masterKeySecretRef').and.not.to.contain(masterKey);
        await bed.user.secret('main', 'sk-rotated');
        // The key is cached for a minute: only the rejection makes the operator read it again.
        await bed.user.annotate('a', 'syncRequested', 'now');
        await bed.user.untilReason('a', 'Created');
      } finally {
        await other.stop();
      }
    });
  });

  describe('a faulty gateway', () => {
    // One for each kind of error. The tests of the client say which kind a response is.
    const faults: readonly { name: string; fault: Fault; reason: string }[] = [
      { name: 'that is down', fault: { kind: 'breakBefore' }, reason: 'GatewayUnreachable' },
      { name: 'that answers 401', fault: answer(401), reason: 'GatewayUnauthorized' },
      { name: 'that answers 422', fault: answer(422, '{"detail":[]}'), reason: 'GatewayRejected' },
    ];
    for (const { name, fault, reason } of faults) {
      it(`${name} is reported in the condition until it is over`, async () => {
        bed.proxy.fault = () => fault;
        await bed.user.customer('a', { alias: 'A', maxBudget: 5 });
        const failed = await bed.user.untilReason('a', reason);
        expect(failed.status?.synced).to.equal(false);
        expect(message(failed)).to.match(/^[A-Z].*\.$/);
        expect(conditionOf(failed, 'FullyApplied')).to.include({ status: 'Unknown', reason: 'NotSynced' });
        await bed.untilEvent('a', 'SyncFailed');
        // The status is written once, however often the operator retries.
        await eventually(async () => {
          if (reason === 'GatewayUnreachable') expect(bed.proxy.calls.length).to.be.at.least(4);
        });
        expect((await bed.user.get('a'))?.metadata.resourceVersion).to.equal(failed.metadata.resourceVersion);
        bed.proxy.fault = noFault;
        await bed.user.annotate('a', 'syncRequested', 'now');
        await bed.user.until('a', ({ status }) => status?.synced === true);
        expect(await bed.recordOf('a')).to.include({ alias: 'A' });
        expect(bed.callsOf('/customer/new')).to.have.length(1);
      });
    }

    it('whose 404 for a missing customer has an unknown form gets few calls, and the deletion completes at once', async () => {
      const isLookup = (path: string): boolean => path.startsWith('/customer/info?');
      bed.proxy.fault = async ({ method, path }) => {
        const id = new URLSearchParams(path.split('?')[1]).get('end_user_id') ?? '';
        if (path.includes('gcust-no-such-path')) return answer(404, '{"error":"no such path"}');
        if (path === '/customer/delete') return { kind: 'breakAfter' };
        if (method !== 'GET' || !isLookup(path)) return undefined;
        const row = await bed.admin.customerInfo(id);
        return row === undefined
          ? answer(404, JSON.stringify({ error: `No customer has key=${id}` }))
          : answer(200, JSON.stringify({ user_id: id, alias: row.alias, blocked: false }));
      };
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      bed.proxy.calls.length = 0;
      await bed.user.delete('a');
      await bed.user.untilGone('a');
      expect(await bed.recordOf('a')).to.equal(undefined);
      // The deletion is confirmed once.
      expect(bed.callsOf('/customer/info/gcust-no-such-path')).to.have.length(1);
    });

    it('that is unreachable changes conditions only after a minute, and again at the recovery', async () => {
      await bed.user.customer('a', { alias: 'A' });
      const created = await bed.user.untilReason('a', 'Created');
      bed.proxy.fault = () => ({ kind: 'breakBefore' });
      bed.proxy.calls.length = 0;
      await bed.operator.skipInterval();
      await eventually(async () => {
        expect(bed.proxy.calls.length).to.be.at.least(4);
      });
      expect((await bed.user.get('a'))?.metadata.resourceVersion).to.equal(created.metadata.resourceVersion);
      bed.operator.skip(61_000);
      await bed.user.untilReason('a', 'GatewayUnreachable');
      await bed.untilEvent('a', 'SyncFailed');
      bed.proxy.fault = noFault;
      await bed.user.untilReason('a', 'UpToDate');
      await bed.untilEvent('a', 'Recovered');
      // The next outage is tolerated for a minute again.
      bed.proxy.fault = () => ({ kind: 'breakBefore' });
      bed.proxy.calls.length = 0;
      await bed.operator.skipInterval();
      await eventually(async () => {
        expect(bed.proxy.calls.length).to.be.at.least(4);
      });
      expect((await bed.user.get('a'))?.status?.synced).to.equal(true);
      // A changed spec is not in sync, so the outage is reported at once.
      await bed.user.patch('a', { spec: { alias: 'B' } });
      await bed.user.untilReason('a', 'GatewayUnreachable');
    });

    it('that requests a delay is called later, without a reported failure', async () => {
      let left = 2;
      bed.proxy.fault = () => (left-- > 0 ? answer(429, '{}', { 'retry-after': '0.3' }) : undefined);
      await bed.user.customer('a', { alias: 'A' });
      await bed.user.untilReason('a', 'Created');
      const [first, second, third] = bed.proxy.calls.map(({ at }) => at);
      // The operator waits after a response, so that a busy machine only makes this longer.
      expect((second ?? 0) - (first ?? 0)).to.be.greaterThan(280);
      expect((third ?? 0) - (second ?? 0)).to.be.greaterThan(280);
      expect(await bed.user.events('a')).not.to.include('SyncFailed');
    });

    it('that limits the rate for an hour is reported at once and called once a minute; customers in sync stay so', async () => {
      await bed.user.customer('synced', { alias: 'A' });
      const synced = await bed.user.untilReason('synced', 'Created');
      await bed.user.customer('going', {});
      await bed.user.untilReason('going', 'Created');
      bed.proxy.fault = () =>
        answer(429, '{"error":{"message":"slow down","type":"throttling_error","param":null,"code":"429"}}', {
          'retry-after': '3600',
        });
      bed.proxy.calls.length = 0;
      await bed.operator.skipInterval();
      await bed.user.customer('a', {});
      const limited = await bed.user.untilReason('a', 'RateLimited');
      expect(message(limited)).to.match(/accepts no calls until 20\S+Z: .*"slow down"/);
      await bed.user.customer('b', {});
      await bed.user.untilReason('b', 'RateLimited');
      // The operator has created nothing for b.
      await bed.user.delete('b');
      await bed.user.untilGone('b');
      await bed.user.delete('going');
      await bed.user.until('going', (customer) => message(customer).includes('force-delete'));
      // Calls for other resources were in flight when the first one was rejected.
      await bed.operator.untilIdle();
      const asked = bed.proxy.calls.length;
      expect(asked).to.be.at.most(3);
      for (let minute = 1; minute <= 3; minute++) {
        bed.operator.skipForGateway(60_000);
        await bed.user.annotate('a', 'syncRequested', `minute ${minute}`);
        await eventually(() => {
          expect(bed.proxy.calls).to.have.length(asked + minute);
        });
        // The next minute begins when the operator has processed the response.
        await bed.operator.untilIdle();
      }
      expect((await bed.user.get('a'))?.status).to.deep.equal(limited.status);
      expect((await bed.user.get('synced'))?.status).to.deep.equal(synced.status);
      expect((await bed.user.events('a')).filter((reason) => reason === 'SyncFailed')).to.have.length(1);
      bed.proxy.fault = noFault;
      bed.operator.skipForGateway(60_000);
      await bed.user.annotate('a', 'syncRequested', 'over');
      await bed.user.untilReason('a', 'Created');
      await bed.user.annotate('going', 'syncRequested', 'over');
      await bed.user.untilGone('going');
    });

    it('that fails for one customer serves all others', async () => {
      bed.proxy.fault = ({ path, body }) =>
        path.includes('bad') || body.user_id === bed.idOf('bad') ? answer(500) : undefined;
      await bed.user.customer('bad', {});
      await Promise.all(Array.from({ length: 20 }, (_, at) => bed.user.customer(`good${at}`, {})));
      for (let at = 0; at < 20; at++) await bed.user.untilReason(`good${at}`, 'Created');
      await bed.user.untilReason('bad', 'GatewayUnreachable');
    });

    it('that breaks off its response to a creation is observed again', async () => {
      bed.proxy.fault = ({ path }) => (path === '/customer/new' ? { kind: 'breakAfter' } : undefined);
      await bed.user.customer('a', { alias: 'A', maxBudget: 5 });
      await bed.user.until('a', ({ status }) => status?.synced === true);
      expect(bed.callsOf('/customer/new')).to.have.length(1);
    });
  });
});
