/** Customers of several namespaces at one gateway, on a real API server. */
import { expect } from 'chai';
import { annotations, FINALIZER, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { budgetRowId } from '../gateway/gateway.ts';
import { answer, masterKey, message, withTestbed } from './testing/testbed.ts';
import type { KubectlUser } from './testing/testOperator.ts';

describe('customers of several namespaces', function () {
  this.timeout(120_000);
  const bed = withTestbed();

  describe('several namespaces at one gateway', () => {
    let other: KubectlUser;
    beforeEach(async () => {
      other = await bed.watchSecondNamespace();
      await bed.user.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
    });

    for (const [what, addressOf] of [
      ['of the same address', (url: string): string => `${url}//`],
      ['of another name', (url: string): string => url.replace('127.0.0.1', 'localhost')],
    ] as const) {
      it(`leave a record to its owner if an instance ${what} leads to the same gateway`, async () => {
        await bed.user.customer('a', { alias: 'Owner', maxBudget: 5 });
        await bed.user.untilReason('a', 'Created');
        await other.secret('mine', masterKey);
        await other.instance('mine', { endpoint: addressOf(bed.proxy.url) });
        bed.proxy.calls.length = 0;
        const theirs = { instanceRef: { name: 'mine' }, customerId: bed.idOf('a'), blocked: true, maxBudget: 0 };
        await other.customer('thief', { ...theirs, adoptionPolicy: 'Adopt' });
        const thief = await other.untilReason('thief', 'Conflict');
        expect(message(thief)).not.to.contain(bed.user.namespace);
        await other.delete('thief');
        await other.untilGone('thief');
        expect(bed.writes()).to.deep.equal([]);
        expect(await bed.recordOf('a')).to.include({ alias: 'Owner', blocked: false });
        expect((await bed.user.get('a'))?.status?.synced).to.equal(true);
      });
    }

    it('create nothing if the gateway does not report whether the record exists', async () => {
      bed.proxy.fault = ({ path }) =>
        path.startsWith('/customer/info') ? answer(404, '{"message":"nothing here"}') : undefined;
      await other.customer('a', { instanceRef: bed.main });
      await other.untilReason('a', 'GatewayRejected');
      expect(bed.writes()).to.deep.equal([]);
    });

    it('get their records despite another instance with a wrong key', async () => {
      await other.secret('mine', 'sk-wrong');
      await other.instance('mine', { endpoint: bed.proxy.url });
      await other.customer('squatter', { instanceRef: { name: 'mine' }, customerId: bed.idOf('a') });
      await other.untilReason('squatter', 'GatewayUnauthorized');
      await other.untilOlder('squatter');
      await bed.user.customer('a', { alias: 'Owner' });
      await bed.user.untilReason('a', 'Created');
    });

    it('adopt no record outside the namespace of the instance, unless the instance allows it', async () => {
      await bed.admin.customerNew({ user_id: bed.idOf('a'), alias: 'Before' });
      const spec = { instanceRef: bed.main, customerId: bed.idOf('a'), alias: 'After' };
      await other.customer('a', { ...spec, adoptionPolicy: 'Adopt' });
      expect(message(await other.untilReason('a', 'AlreadyExists'))).to.contain('spec.adoption');
      await other.delete('a');
      await other.untilGone('a');
      expect(bed.writes()).to.deep.equal([]);
      await bed.user.patch('main', { spec: { adoption: 'AllowedNamespaces' } }, 'gatewayinstances');
      await other.customer('b', { ...spec, adoptionPolicy: 'Refuse' });
      expect(message(await other.untilReason('b', 'AlreadyExists'))).to.contain('spec.adoptionPolicy is Refuse');
      expect(bed.writes()).to.deep.equal([]);
      await other.patch('b', { spec: { adoptionPolicy: 'Adopt' } });
      await other.untilReason('b', 'Adopted');
    });

    it('take over the record of a resource that the cluster does not have only if the instance allows it', async () => {
      const row = budgetRowId('of-a-lost-cluster');
      await bed.admin.budgetNew({ budget_id: row, max_budget: 9 });
      await bed.admin.customerNew({ user_id: bed.idOf('a'), alias: 'Before', budget_id: row });
      await other.customer('a', { instanceRef: bed.main, customerId: bed.idOf('a'), adoptionPolicy: 'Adopt' });
      const refused = message(await other.untilReason('a', 'AlreadyExists'));
      expect(refused).to.contain('a GatewayCustomer that this cluster does not have');
      await other.delete('a');
      await other.untilGone('a');
      expect(bed.writes()).to.deep.equal([]);
      await bed.user.patch('main', { spec: { adoption: 'AllowedNamespaces' } }, 'gatewayinstances');
      await other.customer('b', {
        instanceRef: bed.main,
        customerId: bed.idOf('a'),
        deletionPolicy: 'Orphan',
        rpmLimit: 2,
      });
      const theirs = await other.untilReason('b', 'Adopted');
      expect(await bed.rowOf(theirs)).to.include({ max_budget: 9, rpm_limit: 2 });
      await other.delete('b');
      await other.untilGone('b');
      await bed.user.patch('main', { spec: { adoption: null } }, 'gatewayinstances');
      await bed.user.customer('a', { tpmLimit: 3 });
      const adopted = await bed.user.untilReason('a', 'Adopted');
      expect(await bed.rowOf(adopted)).to.include({ max_budget: 9, tpm_limit: 3 });
      expect(await bed.admin.budgetInfo([row])).to.deep.equal([]);
    });

    it('use only the ids that the instance lists for them', async () => {
      const customerIdPrefixes = [{ namespace: other.namespace, prefixes: ['team-'] }];
      await bed.user.patch('main', { spec: { customerIdPrefixes } }, 'gatewayinstances');
      const customerId = `team2-${other.namespace}`;
      await other.customer('a', { instanceRef: bed.main, customerId });
      await other.customer('b', { instanceRef: bed.main, customerId: `team-${other.namespace}` });
      expect(message(await other.untilReason('a', 'CustomerIdNotAllowed'))).to.contain('spec.customerIdPrefixes');
      await other.untilReason('b', 'Created');
      // Not even the namespace of the instance may use a reserved prefix.
      await bed.user.customer('d', { customerId: `team-${bed.user.namespace}` });
      await bed.user.untilReason('d', 'CustomerIdNotAllowed');
      await bed.user.customer('c', {});
      await bed.user.untilReason('c', 'Created');
      expect(bed.proxy.calls.filter((call) => JSON.stringify(call).includes(customerId))).to.deep.equal([]);
      await other.delete('a');
      await other.untilGone('a');
    });

    it('leave a record to a resource that is deleted and applied again, also after a restart', async () => {
      const ownerDeleted = (customer: GatewayCustomer): boolean => message(customer).includes('was deleted');
      await bed.user.customer('a', { alias: 'First', maxBudget: 5 });
      await bed.user.untilReason('a', 'Created');
      await bed.user.untilOlder('a');
      await other.customer('dup', { instanceRef: bed.main, customerId: bed.idOf('a'), alias: 'Duplicate' });
      const dup = await other.untilReason('dup', 'Conflict');
      expect(message(dup)).to.contain('in another namespace manages').and.not.to.contain(bed.user.namespace);
      await bed.user.until('a', (customer) => message(customer).includes('the record and its spend are deleted'));
      expect(message((await bed.user.get('a')) ?? dup)).not.to.contain(other.namespace);
      await bed.user.delete('a');
      await bed.user.untilGone('a');
      await other.until('dup', ownerDeleted);
      await bed.restartOperator();
      await other.annotate('dup', 'syncRequested', 'after the restart');
      await other.customer('later', { instanceRef: bed.main });
      await other.untilReason('later', 'Created');
      await bed.user.customer('a', { alias: 'Again' });
      await bed.user.untilReason('a', 'Created');
      await other.until('dup', (customer) => !ownerDeleted(customer));
      expect(await bed.recordOf('a')).to.include({ alias: 'Again' });
      // The resource is not applied again in time: the record is free.
      await bed.user.delete('a');
      await bed.user.untilGone('a');
      await other.until('dup', ownerDeleted);
      bed.operator.skip(61_000);
      await other.annotate('dup', 'syncRequested', 'a minute later');
      await other.untilReason('dup', 'Created');
      expect(await bed.recordOf('a')).to.include({ alias: 'Duplicate' });
    });
  });

  describe('a customer without any call to the gateway', () => {
    let other: KubectlUser;
    beforeEach(async () => {
      other = await bed.watchSecondNamespace();
    });
    const nothingBegun = [
      ['a mistyped instanceRef', 'InstanceNotFound', (): object => ({ instanceRef: { name: 'mian' } })],
      ['no Secret', 'InstanceNotReady', (): object => ({ instanceRef: { name: 'keyless' } })],
      ['a namespace that is not allowed', 'NamespaceNotAllowed', (): object => ({ instanceRef: bed.main })],
    ] as const;

    for (const [what, reason, spec] of nothingBegun) {
      it(`because of ${what} has no mark, is deleted at once, and does not change other records`, async () => {
        const customerId = `of-others-${other.namespace}`;
        await bed.admin.customerNew({ user_id: customerId, alias: 'Of others' });
        await other.instance('keyless', { endpoint: bed.proxy.url });
        await other.customer('a', { customerId, maxBudget: 5, ...spec() });
        const { metadata } = await other.untilReason('a', reason);
        expect(metadata.finalizers).to.equal(undefined);
        expect(metadata.annotations ?? {}).not.to.have.property(annotations.ownerMark);
        await other.delete('a');
        await other.untilGone('a');
        // Nor does a mark that its author wrote prove anything.
        await other.customer('b', { customerId, maxBudget: 5, ...spec() });
        const { uid } = (await other.untilReason('b', reason)).metadata;
        const mark = JSON.stringify({ gateway: '', uid, fields: ['maxBudget'], signedAt: '', mac: '' });
        await other.patch('b', {
          metadata: { finalizers: [FINALIZER], annotations: { [annotations.ownerMark]: mark } },
        });
        await other.delete('b');
        await other.untilGone('b');
        await bed.user.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
        expect(bed.proxy.calls).to.deep.equal([]);
        expect(await bed.admin.customerInfo(customerId)).to.include({ alias: 'Of others' });
      });
    }

    it('delays its deletion if it owns a record, until its namespace is allowed again', async () => {
      const allow = (namespaces: string[] | null): Promise<void> =>
        bed.user.patch('main', { spec: { allowedNamespaces: namespaces } }, 'gatewayinstances');
      await allow([other.namespace]);
      await other.customer('a', { instanceRef: bed.main, alias: 'A' });
      await other.untilReason('a', 'Created');
      await allow(null);
      expect(message(await other.untilReason('a', 'NamespaceNotAllowed'))).to.contain(
        'a deletion of this resource waits',
      );
      bed.proxy.calls.length = 0;
      await other.delete('a');
      expect(message(await other.untilReason('a', 'DeletionFailed'))).to.contain('spec.allowedNamespaces');
      expect(bed.proxy.calls).to.deep.equal([]);
      await allow([other.namespace]);
      await other.untilGone('a');
      expect(await bed.admin.customerInfo(`${other.namespace}.a`)).to.equal(undefined);
    });
  });
});
