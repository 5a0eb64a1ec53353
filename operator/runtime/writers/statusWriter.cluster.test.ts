import { expect } from 'chai';
import fc from 'fast-check';
import type { MergePatch } from '../contract.ts';
import { ApiError, isNotFound } from '../client/errors.ts';
import { MergingStatusWriter, mergePatch } from './statusWriter.ts';
import { withTestCluster } from '../testing/cluster.ts';
import { widget, widgets } from '../testing/widgets.ts';

/** Applies a merge patch as in RFC 7386, section 2. */
function applyPatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Record<string, unknown> = isObject ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, name);
    else result[name] = applyPatch(result[name], value);
  }
  return result;
}

describe('a merge patch', () => {
  const cases: [string, MergePatch, MergePatch, MergePatch | undefined][] = [
    ['nothing', { a: 1, b: { c: [1] } }, { a: 1, b: { c: [1] } }, undefined],
    ['a field', { a: 1 }, { a: 2 }, { a: 2 }],
    ['a field that goes', { a: 1, b: 2 }, { b: 2 }, { a: null }],
    ['an undefined field', { a: 1 }, { a: undefined }, { a: null }],
    ['a nested field', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
    ['a list, as a whole', { a: [1, 2] }, { a: [1] }, { a: [1] }],
    ['an object instead of a list', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
  ];
  for (const [name, from, to, patch] of cases) {
    it(`is minimal: ${name}`, () => {
      expect(mergePatch(from, to)).to.deep.equal(patch);
    });
  }

  it('property: turns one object into the other, and is empty only for equal objects', () => {
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }));
    const { tree } = fc.letrec<{ tree: Record<string, unknown>; node: unknown }>((tie) => ({
      tree: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node'), { maxKeys: 3 }),
      node: fc.oneof({ depthSize: 'small' }, leaf, tie('tree')),
    }));
    fc.assert(
      fc.property(tree, tree, (from, to) => {
        const patch = mergePatch(from, to);
        expect(patch === undefined ? from : applyPatch(from, patch)).to.deep.equal(to);
      }),
    );
  });
});

describe('the status writer', () => {
  const cluster = withTestCluster();
  const statusWrites = (): number =>
    cluster().proxy.requests.filter(({ method, path }) => method === 'PATCH' && path.endsWith('/status')).length;

  it('writes new fields, removes absent ones, and writes nothing when there is no difference', async () => {
    const { client, namespace } = cluster();
    const writer = new MergingStatusWriter(client, widgets);
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
    const writer = new MergingStatusWriter(client, widgets);
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

  it('leaves the fields of other writers as they are, also after a conflict', async () => {
    const { client, namespace } = cluster();
    const own = new MergingStatusWriter(client, widgets, { except: ['note'] });
    const theirs = new MergingStatusWriter(client, widgets, { only: ['note'] });
    const created = await client.create(widgets, widget(namespace));
    await theirs.write(created, { note: 'mine', spend: 9 });
    const written = await own.write(created, { synced: true });
    expect(written.status).to.deep.equal({ synced: true, note: 'mine' });
    expect((await theirs.write(written, {})).status).to.deep.equal({ synced: true });
  });

  it('gives up after repeated conflicts', async () => {
    const { client, namespace, proxy } = cluster();
    const created = await client.create(widgets, widget(namespace));
    proxy.when(({ method }) => method === 'PATCH', {
      kind: 'answer',
      status: 409,
      body: { kind: 'Status', reason: 'Conflict' },
    });
    const error: unknown = await new MergingStatusWriter(client, widgets)
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
    const error: unknown = await new MergingStatusWriter(client, widgets)
      .write(created, { synced: true })
      .catch((reason: unknown) => reason);
    expect(isNotFound(error)).to.equal(true);
    expect((await direct.get(widgets, { namespace, name: 'a' })).status).to.equal(undefined);
  });
});
