/** The identity of customer records across gateways, restores and copies, on a real API server. */
import { expect } from 'chai';
import { startDevGateway } from '../../hack/harness/gateway/gateway.ts';
import { annotations, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { GatewayClient, RateLimiter } from '../gateway/gateway.ts';
import { connectionOf } from './testing/testDependencies.ts';
import { masterKey, message, withTestbed } from './testing/testbed.ts';
import { eventually, type KubectlUser } from './testing/testOperator.ts';

describe('the identity of a customer', function () {
  this.timeout(120_000);
  const bed = withTestbed();
  let other: KubectlUser;
  beforeEach(async () => {
    other = await bed.watchSecondNamespace();
    await bed.user.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
  });

  /** What a backup contains of a customer: neither its uid nor its status. */
  const backupOf = (customer: GatewayCustomer): Pick<GatewayCustomer, 'spec'> & { marks: Record<string, string> } => ({
    spec: customer.spec,
    marks: customer.metadata.annotations ?? {},
  });

  it('is another one at another gateway: records there are adopted or refused as new ones', async () => {
    const elsewhere = await startDevGateway({ port: 0, masterKey, proxyName: 'litellm' });
    const connection = connectionOf(elsewhere.url, masterKey);
    const admin = new GatewayClient(connection, new RateLimiter(connection.rateLimit));
    try {
      await other.customer('a', { instanceRef: bed.main, alias: 'A', maxBudget: 5 });
      const created = await other.untilReason('a', 'Created');
      const id = created.spec.customerId;
      await admin.customerNew({ user_id: id, alias: 'Of others', max_budget: 42.5 });
      await bed.user.patch('main', { spec: { endpoint: elsewhere.url } }, 'gatewayinstances');
      await other.untilReason('a', 'AlreadyExists');
      await eventually(async () => {
        expect(await other.events('a')).to.include('Orphaned');
      });
      // Back at its gateway, it owns its record as before.
      await bed.user.patch('main', { spec: { endpoint: bed.proxy.url } }, 'gatewayinstances');
      await other.until('a', ({ status }) => status?.ownership === 'Owned' && status.synced === true);
      expect(await bed.admin.customerInfo(id)).to.include({ alias: 'A' });
      await bed.user.patch('main', { spec: { endpoint: elsewhere.url } }, 'gatewayinstances');
      await other.untilReason('a', 'AlreadyExists');
      await other.delete('a');
      await other.untilGone('a');
      expect(await admin.customerInfo(id)).to.include({ alias: 'Of others' });
    } finally {
      await admin.close();
      await elsewhere.stop();
    }
  });

  it('of a resource that is deleted before its first sync at a new gateway is not looked for there', async () => {
    await other.customer('a', { instanceRef: bed.main, alias: 'A' });
    const { spec } = await other.untilReason('a', 'Created');
    await other.annotate('a', 'paused', 'true');
    await other.untilReason('a', 'Paused');
    // The same server, by an address that the operator cannot know to be the same.
    const url = bed.proxy.url.replace('127.0.0.1', 'localhost');
    await bed.user.patch('main', { spec: { endpoint: url } }, 'gatewayinstances');
    bed.proxy.calls.length = 0;
    await other.delete('a');
    await other.annotate('a', 'paused', null);
    await other.untilGone('a');
    expect(bed.proxy.calls).to.deep.equal([]);
    expect(await bed.admin.customerInfo(spec.customerId)).to.include({ alias: 'A' });
  });

  for (const [what, spec] of [
    ['with limits', { alias: 'A', maxBudget: 5 }],
    ['without limits', { alias: 'A' }],
  ] as const) {
    it(`survives a restore without status, ${what}: the resource owns its record, and its deletion deletes it`, async () => {
      await other.customer('a', { instanceRef: bed.main, ...spec });
      const created = await other.untilReason('a', 'Created');
      const backup = backupOf(created);
      await other.patch('a', { spec: { deletionPolicy: 'Orphan' } });
      await other.until('a', ({ metadata, status }) => status?.observedGeneration === metadata.generation);
      await other.delete('a');
      await other.untilGone('a');
      // A copy on another name, or for another customer, owns nothing.
      await other.customer('copy', { ...backup.spec }, backup.marks);
      expect(message(await other.untilReason('copy', 'AlreadyExists'))).to.contain('spec.adoption');
      await other.delete('copy');
      await other.untilGone('copy');
      await bed.restartOperator();
      await other.customer('a', backup.spec, backup.marks);
      const restored = await other.until('a', ({ status }) => status?.synced === true);
      expect(restored.metadata.uid).not.to.equal(created.metadata.uid);
      expect(restored.status?.ownership).to.equal('Owned');
      const record = await bed.admin.customerInfo(restored.spec.customerId);
      expect(record).to.include({ alias: 'A' });
      if ('maxBudget' in spec) expect(await bed.rowOf(restored)).to.include({ max_budget: 5 });
      expect(await bed.rowOf(created)).to.equal(undefined);
      await other.delete('a');
      await other.untilGone('a');
      expect(await bed.admin.customerInfo(restored.spec.customerId)).to.equal(undefined);
      expect(await bed.rowOf(restored)).to.equal(undefined);
    });
  }

  it('is signed again if the mark was removed, and not written again while it is valid', async () => {
    await other.customer('a', { instanceRef: bed.main, alias: 'A' });
    const { metadata } = await other.untilReason('a', 'Created');
    await other.patch('a', { metadata: { annotations: { [annotations.ownerMark]: null } } });
    await other.annotate('a', 'syncRequested', 'now');
    const again = await other.until(
      'a',
      (customer) => customer.metadata.annotations?.[annotations.ownerMark] !== undefined,
    );
    expect(again.metadata.uid).to.equal(metadata.uid);
    await bed.operator.untilIdle();
    const before = await other.get('a');
    await bed.operator.skipInterval();
    await bed.operator.untilIdle();
    expect((await other.get('a'))?.metadata.resourceVersion).to.equal(before?.metadata.resourceVersion);
  });

  it('is not claimed by an instance that has lost the key of the gateway', async () => {
    await other.secret('mine', masterKey);
    await other.instance('mine', { endpoint: bed.proxy.url });
    await other.customer('a', { instanceRef: { name: 'mine' }, customerId: bed.idOf('a') });
    await other.untilReason('a', 'Created');
    await other.secret('mine', 'sk-wrong');
    const condition = { type: 'Reachable', status: 'False', reason: 'GatewayUnauthorized', message: '' };
    await other.patchStatus('mine', { conditions: [{ ...condition, lastTransitionTime: new Date().toISOString() }] });
    await bed.user.customer('a', { alias: 'Mine' });
    await bed.user.untilReason('a', 'Adopted');
    expect(bed.writes()).not.to.deep.equal([]);
  });
});
