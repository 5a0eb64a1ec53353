import { expect } from 'chai';
import { ApiError, isNotFound } from '../client/errors.ts';
import { withTestCluster } from '../testing/cluster.ts';
import { widget, widgets } from '../testing/widgets.ts';
import { GuardedStatusWriter } from './guardedWriters.ts';

describe('the status writer', () => {
  const cluster = withTestCluster();
  const statusWrites = (): number =>
    cluster().proxy.requests.filter(({ method, path }) => method === 'PUT' && path.endsWith('/status')).length;

  it('writes new fields, removes absent ones, and writes nothing when there is no difference', async () => {
    const { client, namespace } = cluster();
    const writer = new GuardedStatusWriter(client, widgets);
    const created = await client.create(widgets, widget(namespace));
    const first = await writer.write(created, {
      synced: true,
      spend: 1.5,
      note: undefined,
      conditions: [{ type: 'A' }],
    });
    expect(first.status).to.deep.equal({ synced: true, spend: 1.5, conditions: [{ type: 'A' }] });
    const second = await writer.write(first, { conditions: [{ type: 'A' }], spend: 1.5, synced: true });
    expect(second).to.equal(first);
    const third = await writer.write(second, { synced: false });
    expect(third.status).to.deep.equal({ synced: false });
    expect(statusWrites()).to.equal(2);
  });

  it('keeps concurrent changes of the object', async () => {
    const { client, direct, namespace } = cluster();
    const writer = new GuardedStatusWriter(client, widgets);
    const created = await client.create(widgets, widget(namespace));
    await direct.patch(
      widgets,
      { namespace, name: created.metadata.name },
      { spec: { size: 77 }, metadata: { labels: { theirs: 'yes' } } },
    );
    const written = await writer.write(created, { synced: true });
    expect(written.status).to.deep.equal({ synced: true });
    expect(written.spec?.size).to.equal(77);
    expect(written.metadata.labels).to.deep.equal({ theirs: 'yes' });
  });

  it('takes nothing of the spec and the labels away from their field managers', async () => {
    const { client, direct, namespace } = cluster();
    const labels = { theirs: 'yes' };
    const spec = { size: 3 };
    const applied = await direct.apply(widgets, { metadata: { namespace, name: 'applied', labels }, spec } as object, {
      fieldManager: 'gitops',
    });
    const written = await new GuardedStatusWriter(client, widgets).write(applied, { synced: true });
    expect(written.spec).to.deep.equal(spec);
    expect(written.metadata.labels).to.deep.equal(labels);
    expect(written.metadata.managedFields?.filter(({ manager }) => manager === 'gitops')).to.deep.equal(
      applied.metadata.managedFields,
    );
  });

  it('leaves the fields of other writers as they are, also after a conflict', async () => {
    const { client, namespace } = cluster();
    const own = new GuardedStatusWriter(client, widgets, { except: ['note'] });
    const theirs = new GuardedStatusWriter(client, widgets, { only: ['note'] });
    const created = await client.create(widgets, widget(namespace));
    await theirs.write(created, { note: 'mine', spend: 9 });
    const written = await own.write(created, { synced: true });
    expect(written.status).to.deep.equal({ synced: true, note: 'mine' });
    expect((await theirs.write(written, {})).status).to.deep.equal({ synced: true });
  });

  it('gives up after repeated conflicts', async () => {
    const { client, namespace, proxy } = cluster();
    const created = await client.create(widgets, widget(namespace));
    proxy.when(({ method }) => method === 'PUT', {
      kind: 'answer',
      status: 409,
      body: { kind: 'Status', reason: 'Conflict' },
    });
    const error: unknown = await new GuardedStatusWriter(client, widgets)
      .write(created, { synced: true })
      .catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(ApiError).and.to.have.property('status', 409);
    expect(statusWrites()).to.be.within(2, 10);
  });

  it('never writes to another object of the same name', async () => {
    const { client, direct, namespace } = cluster();
    const created = await client.create(widgets, widget(namespace, 'a'));
    await direct.delete(widgets, { namespace, name: 'a' });
    await direct.create(widgets, widget(namespace, 'a'));
    const error: unknown = await new GuardedStatusWriter(client, widgets)
      .write(created, { synced: true })
      .catch((reason: unknown) => reason);
    expect(isNotFound(error)).to.equal(true);
    expect((await direct.get(widgets, { namespace, name: 'a' })).status).to.equal(undefined);
  });
});
