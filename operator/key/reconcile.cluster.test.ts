/** The life cycle of a key, on a real API server and a gateway that behaves like LiteLLM. */
import { expect } from 'chai';
import { keys } from '../api/kinds.ts';
import { annotations, FINALIZER, type GatewayKey } from '../api/v1alpha1/v1alpha1.ts';
import { eventually } from '../customer/testing/testOperator.ts';
import { withTestbed } from '../customer/testing/testbed.ts';
import { KeyBed } from './testing/keyBed.ts';

describe('key reconcile', function () {
  this.timeout(120_000);
  const bed = withTestbed();
  const { plural } = keys;
  const at = new KeyBed(
    () => bed.user,
    () => bed.admin,
  );
  const hourMs = 3_600_000;
  const readyOf = (key: GatewayKey): string | undefined =>
    key.status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  const untilKeyGone = async (name: string): Promise<void> => {
    await eventually(async () => {
      expect(await bed.user.getKey(name)).to.equal(undefined);
    });
  };

  describe('create and update', () => {
    it('creates the key and its Secret, and reports it in status, columns and an event, without the key', async () => {
      const spec = { models: ['fast'], maxBudget: 5, budgetDuration: '30d', tpmLimit: 100, rpmLimit: 0, teamId: 't' };
      await bed.user.key('app', { ...spec, maxParallelRequests: 3 });
      const key = await bed.user.untilKeyReason('app', 'Created');
      const value = (await at.valueOf('app')) ?? '';
      expect(value).to.match(/^sk-/);
      expect(await at.onlyRowOf(key)).to.deep.include({
        ...{ models: ['fast'], max_budget: 5, budget_duration: '30d', tpm_limit: 100, rpm_limit: 0, team_id: 't' },
        max_parallel_requests: 3,
      });
      expect(key.metadata.finalizers).to.deep.equal([FINALIZER]);
      expect(key.status).to.include({ ownership: 'Owned', liveKeys: 1 });
      expect(key.status?.keyId).to.match(/^[0-9a-f]{64}$/);
      const secret = await bed.user.readSecret('app');
      expect(secret?.metadata?.ownerReferences?.map(({ uid }) => uid)).to.deep.equal([key.metadata.uid]);
      await bed.untilEvent('app', 'Created');
      const [head = '', line = ''] = (await bed.cluster().kubectl(['get', 'gkey', `-n${bed.user.namespace}`])).split(
        '\n',
      );
      expect(head.split(/\s+/)).to.deep.equal(['NAME', 'SECRET', 'INSTANCE', 'MAXBUDGET', 'ROTATED', 'READY', 'AGE']);
      expect(line).to.match(/^app\s+app\s+main\s+5\s+\d+s\s+True/);
      const events = await bed.cluster().kubectl(['get', 'events.events.k8s.io', `-n${bed.user.namespace}`, '-oyaml']);
      expect(JSON.stringify(key) + events).to.not.include(value.slice(3));
    });

    it('applies every change of the spec, clears removed fields, and sends only changes', async () => {
      await bed.user.key('app', { maxBudget: 5, budgetDuration: '30d', models: ['fast'], rpmLimit: 3 });
      const { token } = await at.onlyRowOf(await bed.user.untilKeyReason('app', 'Created'));
      await bed.user.patch('app', { spec: { maxBudget: 0, rpmLimit: null, models: null, tpmLimit: 1 } }, plural);
      const row = await at.onlyRowOf(await bed.user.untilKeyReason('app', 'Updated'));
      const after = { max_budget: 0, budget_duration: '30d', rpm_limit: null, tpm_limit: 1, token };
      expect(row).to.deep.include({ ...after, models: [] });
      // A duration that is sent again would start a new period.
      expect(bed.callsOf('/key/update').at(-1)?.body).to.not.have.property('budget_duration');
    });

    it('writes nothing while nothing changes', async () => {
      await bed.user.key('app', { maxBudget: 5 });
      await bed.user.untilKeyReason('app', 'Created');
      bed.proxy.calls.length = 0;
      await at.syncNow('app');
      expect(bed.proxy.calls.map(({ method }) => method)).to.deep.equal(['GET']);
    });

    it('corrects changes of others, and replaces a key that was deleted, at the gateway or with its Secret', async () => {
      await bed.user.key('app', { maxBudget: 5 });
      const key = await bed.user.untilKeyReason('app', 'Created');
      const first = await at.onlyRowOf(key);
      await bed.admin.keyUpdate({ key: first.token, max_budget: 500, rpm_limit: 7 });
      await at.syncNow('app');
      expect(await at.onlyRowOf(key)).to.include({ max_budget: 5, rpm_limit: 7 });
      await bed.untilEvent('app', 'DriftCorrected');

      // Who revokes a key at the gateway must not find it valid again.
      await bed.admin.keyDelete([first.token]);
      await at.syncNow('app');
      const second = await at.onlyRowOf(key);
      expect(second.token).to.not.equal(first.token);

      await bed.user.deleteSecret('app');
      expect((await at.syncNow('app')).status?.liveKeys).to.equal(2);
      expect(await at.valueOf('app')).to.match(/^sk-/);
      bed.operator.advance(hourMs);
      await at.syncNow('app');
      expect((await at.onlyRowOf(key)).token).to.not.equal(second.token);
    });

    it('never writes over a Secret of others, and makes no key for it', async () => {
      await bed.user.secret('app', 'mine');
      await bed.user.key('app');
      const key = await bed.user.untilKeyReason('app', 'NameTaken');
      expect(readyOf(key)).to.include('Secret app exists and does not belong to this GatewayKey');
      expect(bed.callsOf('/key/generate')).to.deep.equal([]);
      expect((await bed.user.readSecret('app'))?.data).to.have.all.keys('key');
    });
  });

  describe('rotation', () => {
    it('replaces the key in its Secret, keeps the previous one for the grace period, and keeps the identity', async () => {
      await bed.user.key('app', { maxBudget: 5, rotationInterval: '24h', rotationGracePeriod: '2h' });
      const key = await bed.user.untilKeyReason('app', 'Created');
      const first = await at.onlyRowOf(key);
      await bed.admin.keyUpdate({ key: first.token, spend: 1.5 });
      bed.operator.advance(23 * hourMs);
      await at.syncNow('app');
      expect((await at.onlyRowOf(key)).token).to.equal(first.token);

      bed.operator.advance(hourMs);
      const rotated = await at.syncNow('app');
      expect(rotated.status).to.include({ liveKeys: 2, keyId: key.status?.keyId });
      expect(readyOf(rotated)).to.equal("The gateway's key matches the spec.");
      await bed.untilEvent('app', 'Rotated');
      const [second, previous] = await at.rowsOf(key);
      expect(previous?.token).to.equal(first.token);
      expect(second).to.include({ user_id: previous?.user_id, max_budget: 5, spend: 1.5 });

      bed.operator.advance(1.9 * hourMs);
      await at.syncNow('app');
      expect(await at.rowsOf(key)).to.have.length(2);
      bed.operator.advance(0.1 * hourMs);
      expect((await at.syncNow('app')).status).to.include({ liveKeys: 1 });
      expect((await at.onlyRowOf(key)).token).to.equal(second?.token);
    });

    it('replaces the key once for each request', async () => {
      await bed.user.key('app', {}, { [annotations.rotateKey]: 'one' });
      const key = await bed.user.untilKeyReason('app', 'Created');
      await at.onlyRowOf(key);
      await bed.user.annotate('app', 'rotateKey', 'two', plural);
      await bed.user.untilKey('app', ({ status }) => status?.liveKeys === 2);
      await at.syncNow('app');
      expect(await at.rowsOf(key)).to.have.length(2);
    });
  });

  describe('deletion', () => {
    it('deletes all generations at the gateway', async () => {
      await bed.user.key('app');
      const key = await bed.user.untilKeyReason('app', 'Created');
      await bed.user.annotate('app', 'rotateKey', 'now', plural);
      await bed.user.untilKey('app', ({ status }) => status?.liveKeys === 2);
      await bed.user.delete('app', plural);
      await untilKeyGone('app');
      expect(await at.rowsOf(key)).to.deep.equal([]);
    });

    it('leaves key and Secret with Orphan, which a new resource of the same name adopts', async () => {
      await bed.user.key('app', { deletionPolicy: 'Orphan' });
      const key = await bed.user.untilKeyReason('app', 'Created');
      const { token } = await at.onlyRowOf(key);
      expect((await bed.user.readSecret('app'))?.metadata?.ownerReferences).to.equal(undefined);
      await bed.user.delete('app', plural);
      await untilKeyGone('app');
      expect(await at.rowsOf(key)).to.have.length(1);
      await bed.user.key('app');
      const again = await bed.user.untilKeyReason('app', 'Adopted');
      expect((await at.onlyRowOf(again)).token).to.equal(token);
      const owners = (await bed.user.readSecret('app'))?.metadata?.ownerReferences;
      expect(owners?.map(({ uid }) => uid)).to.deep.equal([again.metadata.uid]);
    });
  });

  describe('walls between namespaces', () => {
    it('an instance lets other namespaces have keys only within its grants', async () => {
      const other = await bed.watchSecondNamespace();
      const instanceRef = bed.main;
      await bed.user.patch('main', { spec: { allowedNamespaces: [other.namespace] } }, 'gatewayinstances');
      await other.key('app', { instanceRef, models: ['fast'], maxBudget: 5 });
      const refused = await other.untilKeyReason('app', 'KeyNotAllowed');
      expect(readyOf(refused)).to.include(`does not let namespace ${other.namespace} have keys`);
      expect(bed.callsOf('/key/generate')).to.deep.equal([]);

      const grant = { namespaces: [other.namespace], models: ['fast'], maxBudget: 5 };
      await bed.user.patch('main', { spec: { keyGrants: [grant] } }, 'gatewayinstances');
      const key = await other.untilKeyReason('app', 'Created');
      expect(await at.rowsOf(key)).to.have.length(1);

      await other.patch('app', { spec: { maxBudget: 6 } }, plural);
      const wide = await other.untilKeyReason('app', 'KeyNotAllowed');
      expect(wide.status?.ownership).to.equal('NotAllowed');
      expect((await at.rowsOf(key))[0]).to.include({ max_budget: 5 });
      await other.delete('app', plural);
      await eventually(async () => {
        expect(await other.getKey('app')).to.equal(undefined);
      });
      expect(await at.rowsOf(key)).to.deep.equal([]);
    });
  });

  it('is restored from a backup without status, with the key that its Secret has', async () => {
    await bed.user.key('app', { deletionPolicy: 'Orphan', maxBudget: 5 });
    const key = await bed.user.untilKeyReason('app', 'Created');
    const { token } = await at.onlyRowOf(key);
    await bed.stopOperator();
    await bed.user.patch('app', { metadata: { finalizers: null } }, plural);
    await bed.user.delete('app', plural);
    await bed.user.key('app', { deletionPolicy: 'Orphan', maxBudget: 5 }, { ...key.metadata.annotations });
    await bed.startOperator();
    const restored = await bed.user.untilKeyReason('app', 'Adopted');
    expect(restored.status?.keyId).to.equal(key.status?.keyId);
    expect((await at.onlyRowOf(restored)).token).to.equal(token);
  });
});
