import { expect } from 'chai';
import { isNotFound } from '../client/errors.ts';
import { systemClock } from '../clock.ts';
import { keyOf } from '../objects.ts';
import { withTestCluster } from '../testing/cluster.ts';
import { widget, type Widget, widgets } from '../testing/widgets.ts';
import { FinalizerRaceTracker, GuardedFinalizer } from './guardedWriters.ts';

const OURS = 'test.guardrail.dev/ours';
const THEIRS = 'example.com/theirs';

describe('the finalizer', () => {
  const cluster = withTestCluster();
  const ours = (): GuardedFinalizer<Widget> => new GuardedFinalizer(cluster().client, widgets, OURS);
  const now = (): Promise<Widget> => cluster().direct.get(widgets, { namespace: cluster().namespace, name: 'a' });
  const create = (): Promise<Widget> => cluster().direct.create(widgets, widget(cluster().namespace, 'a'));
  const setFinalizers = (finalizers: string[]): Promise<Widget> =>
    cluster().direct.patch(widgets, { namespace: cluster().namespace, name: 'a' }, { metadata: { finalizers } });
  const patches = (): number => cluster().proxy.requests.filter(({ method }) => method === 'PATCH').length;

  it('adds the finalizer and annotations in one write, and then writes nothing', async () => {
    const created = await create();
    const added = await ours().add(created, { 'test/pending': 'yes' });
    expect(added.metadata.finalizers).to.deep.equal([OURS]);
    expect(added.metadata.annotations).to.include({ 'test/pending': 'yes' });
    expect(ours().isSet(added)).to.equal(true);
    await ours().add(added, { 'test/pending': 'yes' });
    expect(patches()).to.equal(1);
    const cleared = await ours().add(added, { 'test/pending': null });
    expect(cleared.metadata.annotations ?? {}).to.not.have.property('test/pending');
  });

  it('keeps the finalizers of others, including those added after the read', async () => {
    const created = await create();
    await setFinalizers([THEIRS]);
    const added = await ours().add(created);
    expect(added.metadata.finalizers).to.deep.equal([THEIRS, OURS]);
    await setFinalizers([OURS, THEIRS, 'example.com/late']);
    await ours().remove(added);
    expect((await now()).metadata.finalizers).to.deep.equal([THEIRS, 'example.com/late']);
  });

  it('removes the finalizer from an object that is being deleted', async () => {
    const added = await ours().add(await create());
    await cluster().direct.delete(widgets, { namespace: cluster().namespace, name: 'a' });
    const deleting = await now();
    expect(deleting.metadata.deletionTimestamp).to.be.a('string');
    await ours().remove(added);
    expect(isNotFound(await now().catch((error: unknown) => error))).to.equal(true);
    await ours().remove(deleting);
  });

  it('does not add the finalizer to an object that is being deleted', async () => {
    await create();
    await setFinalizers([THEIRS]);
    await cluster().direct.delete(widgets, { namespace: cluster().namespace, name: 'a' });
    await ours().add(await now());
    expect((await now()).metadata.finalizers).to.deep.equal([THEIRS]);
    await setFinalizers([]);
  });

  it('does not change another object of the same name', async () => {
    const created = await create();
    await cluster().direct.delete(widgets, { namespace: cluster().namespace, name: 'a' });
    await create();
    await setFinalizers([OURS]);
    const error: unknown = await ours()
      .add({ ...created, metadata: { ...created.metadata, finalizers: [] } })
      .catch((reason: unknown) => reason);
    expect(isNotFound(error)).to.equal(true);
    await ours().remove({ ...created, metadata: { ...created.metadata, finalizers: [OURS] } });
    expect((await now()).metadata.finalizers).to.deep.equal([OURS]);
    await setFinalizers([]);
  });

  it('tracks the object even if the response to its write is lost', async () => {
    const created = await create();
    let cached: Widget | undefined = created;
    const raceTracker = new FinalizerRaceTracker<Widget>({ get: () => cached }, systemClock);
    const finalizer = new GuardedFinalizer(cluster().client, widgets, OURS, { raceTracker });
    cluster().proxy.when(({ method }) => method === 'PATCH', { kind: 'loseAnswer' });
    const error: unknown = await finalizer.add(created).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error);
    // The watch shows the write, and the next reconcile starts its work.
    cached = await now();
    expect(finalizer.isSet(cached)).to.equal(true);
    finalizer.beforeExternalWrite(await finalizer.add(cached));
    // The object disappears without a visible deletion.
    await setFinalizers([]);
    cached = undefined;
    expect(finalizer.lostObjects(keyOf(created)).map(({ metadata }) => metadata.uid)).to.deep.equal([
      created.metadata.uid,
    ]);
  });

  it('throws when the removal fails', async () => {
    const added = await ours().add(await create());
    cluster().proxy.when(({ method }) => method === 'PATCH', { kind: 'answer', status: 500 });
    const error: unknown = await ours()
      .remove(added)
      .catch((reason: unknown) => reason);
    expect(error).to.have.property('status', 500);
    expect((await now()).metadata.finalizers).to.deep.equal([OURS]);
    await setFinalizers([]);
  });
});
