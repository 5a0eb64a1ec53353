import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectCache, compareVersions, type Change } from './cache.ts';
import type { KubeObject } from '../objects.ts';
import { keyOf, keyText } from '../objects.ts';

type Thing = KubeObject & { readonly color: string };

function thing(
  name: string,
  version: number,
  options: { uid?: string; namespace?: string; color?: string } = {},
): Thing {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: {
      namespace: options.namespace ?? 'ns',
      name,
      uid: options.uid ?? `uid-${name}`,
      resourceVersion: String(version),
    },
    color: options.color ?? 'red',
  };
}

function told(change: Change<Thing>): string {
  const object = change.type === 'deleted' ? change.before : change.after;
  if (change.type === 'ownWrite')
    return `wrote ${object.metadata.name}@${change.guardedBy}..${object.metadata.resourceVersion}`;
  return `${change.type} ${object.metadata.name} ${object.metadata.uid}@${object.metadata.resourceVersion}`;
}

function newCache(): { cache: ObjectCache<Thing>; changes: string[] } {
  const cache = new ObjectCache<Thing>();
  const changes: string[] = [];
  cache.subscribe((change) => changes.push(told(change)));
  return { cache, changes };
}

const AS_IT_IS = { rewound: false, initial: false };

describe('the cache', () => {
  it('compares resourceVersions as numbers', () => {
    expect(compareVersions('9', '10')).to.be.below(0);
    expect(compareVersions('123456789012345678902', '123456789012345678901')).to.be.above(0);
    expect(compareVersions('7', '7')).to.equal(0);
    expect(compareVersions('opaque', '7')).to.equal(undefined);
  });

  it('reports added, updated and deleted objects, and nothing else', () => {
    const { cache, changes } = newCache();
    cache.upsert(thing('a', 1));
    cache.upsert(thing('a', 1));
    cache.upsert(thing('a', 3));
    cache.upsert(thing('a', 2));
    cache.remove(thing('a', 4));
    cache.remove(thing('a', 5));
    expect(changes).to.deep.equal(['added a uid-a@1', 'updated a uid-a@3', 'deleted a uid-a@3']);
  });

  it('treats the same name with another uid as a deletion and a new object', () => {
    const { cache, changes } = newCache();
    cache.upsert(thing('a', 1, { uid: 'old' }));
    cache.upsert(thing('a', 5, { uid: 'new' }));
    cache.remove(thing('a', 4, { uid: 'old' }));
    expect(changes).to.deep.equal(['added a old@1', 'deleted a old@1', 'added a new@5']);
    expect(cache.get({ namespace: 'ns', name: 'a' })?.metadata.uid).to.equal('new');
  });

  it('detects from a list which objects were deleted, changed or recreated in the meantime', () => {
    const { cache, changes } = newCache();
    cache.replace([thing('gone', 1), thing('same', 2), thing('changed', 3), thing('again', 4)], '4', undefined, {
      rewound: false,
      initial: true,
    });
    expect(cache.synced).to.equal(true);
    changes.length = 0;
    cache.replace(
      [thing('same', 2), thing('changed', 8), thing('again', 9, { uid: 'other' })],
      '10',
      undefined,
      AS_IT_IS,
    );
    expect(changes.sort()).to.deep.equal([
      'added again other@9',
      'deleted again uid-again@4',
      'deleted gone uid-gone@1',
      'updated changed uid-changed@8',
    ]);
  });

  it('replaces only the namespace of the list, and is synced after a list of each namespace', () => {
    const cache = new ObjectCache<Thing>(2);
    cache.replace([thing('a', 1, { namespace: 'one' })], '1', 'one', { rewound: false, initial: true });
    expect(cache.synced).to.equal(false);
    cache.replace([thing('b', 2, { namespace: 'two' })], '2', 'two', { rewound: false, initial: true });
    expect(cache.synced).to.equal(true);
    cache.replace([], '3', 'one', AS_IT_IS);
    expect(cache.list().map(({ metadata }) => metadata.name)).to.deep.equal(['b']);
  });

  it('keeps objects that are newer than a list', () => {
    const { cache } = newCache();
    cache.upsert(thing('a', 5));
    cache.applyOwnWrite(thing('a', 9), '5');
    cache.replace([thing('a', 5)], '7', undefined, AS_IT_IS);
    expect(cache.get({ namespace: 'ns', name: 'a' })?.metadata.resourceVersion).to.equal('9');
  });

  it('accepts a server whose resourceVersion went back', () => {
    const { cache } = newCache();
    cache.upsert(thing('kept', 50, { color: 'new' }));
    cache.upsert(thing('lost', 60));
    cache.replace([thing('kept', 10, { color: 'restored' })], '20', undefined, { rewound: true, initial: false });
    expect(cache.list().map(({ color }) => color)).to.deep.equal(['restored']);
  });

  it('has one index for callers with the same function', () => {
    const { cache } = newCache();
    const colors = ({ color }: Thing): readonly string[] => [color];
    const index = cache.indexBy(colors);
    cache.upsert(thing('a', 1, { color: 'red' }));
    expect(cache.indexBy(colors)).to.equal(index);
    expect(cache.indexBy((one) => colors(one))).to.not.equal(index);
    expect(index.keys('red')).to.have.length(1);
  });

  it('continues after an error of a listener or an index, and reports it', () => {
    const reported: unknown[] = [];
    const cache = new ObjectCache<Thing>(1, (error) => reported.push(error));
    const index = cache.indexBy(({ color }) => {
      if (color === 'bad') throw new Error('index');
      return [color];
    });
    cache.subscribe(() => {
      throw new Error('listener');
    });
    cache.upsert(thing('a', 1, { color: 'bad' }));
    cache.upsert(thing('b', 2));
    cache.upsert(thing('a', 3));
    expect(cache.size).to.equal(2);
    expect(index.get('red')).to.have.length(2);
    expect(reported.map((error) => (error as Error).message)).to.include.members(['index', 'listener']);
  });

  describe('our own writes', () => {
    it('are visible at once, and the later watch event reports no change', () => {
      const { cache, changes } = newCache();
      cache.upsert(thing('a', 1));
      cache.applyOwnWrite(thing('a', 2, { color: 'blue' }), '1');
      expect(cache.get({ namespace: 'ns', name: 'a' })?.color).to.equal('blue');
      changes.length = 0;
      cache.upsert(thing('a', 2, { color: 'blue' }));
      expect(changes).to.deep.equal([]);
    });

    it('are kept without their managed fields', () => {
      const { cache } = newCache();
      cache.upsert(thing('a', 1));
      const written = thing('a', 2, { color: 'blue' });
      const managedFields = [{ manager: 'kubectl', operation: 'Update' }];
      cache.applyOwnWrite({ ...written, metadata: { ...written.metadata, managedFields } }, '1');
      expect(cache.get({ namespace: 'ns', name: 'a' })).to.deep.equal(written);
    });

    it('never restore a deleted object', () => {
      const { cache } = newCache();
      cache.upsert(thing('a', 1));
      cache.remove(thing('a', 3));
      cache.applyOwnWrite(thing('a', 2), '1');
      expect(cache.size).to.equal(0);
    });

    it('report the version that guarded them, before or after the watch event', () => {
      const { cache, changes } = newCache();
      cache.upsert(thing('a', 1));
      cache.applyOwnWrite(thing('a', 2), '1');
      cache.upsert(thing('a', 3));
      cache.applyOwnWrite(thing('a', 3), '2');
      cache.applyOwnWrite(thing('a', 4), undefined);
      expect(changes.slice(1)).to.deep.equal([
        'updated a uid-a@2',
        'wrote a@1..2',
        'updated a uid-a@3',
        'wrote a@2..3',
        'updated a uid-a@4',
        'wrote a@undefined..4',
      ]);
    });
  });

  /**
   * A server whose history only moves forward, and a reader with gaps: watches break anywhere, lists come from any moment,
   * responses to own writes come early or late. One undisturbed list and watch ends each run.
   */
  it('has the state of the server after any sequence of faults, and reports a consistent history', () => {
    interface Entry {
      readonly type: 'set' | 'deleted';
      readonly object: Thing;
    }
    const name = fc.constantFrom('a', 'b', 'c');
    const script = fc.array(
      fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({ do: fc.constant('change' as const), name, color: fc.constantFrom('red', 'blue') }),
        },
        { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), name }) },
        { weight: 4, arbitrary: fc.record({ do: fc.constant('watch' as const), count: fc.nat(4) }) },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('list' as const), behind: fc.nat(3) }) },
        { weight: 2, arbitrary: fc.record({ do: fc.constant('ourWrite' as const), name, late: fc.nat(3) }) },
      ),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(script, (steps) => {
        const history: Entry[] = [];
        const server = new Map<string, Thing>();
        let born = 0;
        const put = (type: Entry['type'], object: Thing): void => {
          history.push({ type, object });
          if (type === 'set') server.set(object.metadata.name, object);
          else server.delete(object.metadata.name);
        };
        const stateAt = (version: number): Thing[] => {
          const state = new Map<string, Thing>();
          for (const { type, object } of history.slice(0, version)) {
            if (type === 'set') state.set(object.metadata.name, object);
            else state.delete(object.metadata.name);
          }
          return [...state.values()];
        };

        const cache = new ObjectCache<Thing>();
        const byColor = cache.indexBy(({ color }) => [color]);
        // The state that a listener computes from changes alone.
        const believed = new Map<string, Thing>();
        cache.subscribe((change) => {
          if (change.type === 'ownWrite') return;
          const object = change.type === 'deleted' ? change.before : change.after;
          const key = object.metadata.name;
          const before = believed.get(key);
          if (change.type === 'added') expect(before).to.equal(undefined);
          else expect(before).to.equal(change.before);
          if (change.type === 'updated') expect(change.after.metadata.uid).to.equal(change.before.metadata.uid);
          if (change.type === 'deleted') believed.delete(key);
          else believed.set(key, object);
        });
        let position = 0;
        const late: { after: number; write: () => void }[] = [];
        const watch = (count: number): void => {
          for (const { type, object } of history.slice(position, position + count)) {
            if (type === 'set') cache.upsert(object);
            else cache.remove(object);
            position += 1;
          }
        };
        const list = (version: number): void => {
          cache.replace(stateAt(version), String(version), undefined, { rewound: false, initial: !cache.synced });
          position = version;
        };
        list(0);
        for (const step of steps) {
          const version = history.length + 1;
          if (step.do === 'change') {
            const uid = server.get(step.name)?.metadata.uid ?? `uid-${++born}`;
            put('set', thing(step.name, version, { uid, color: step.color }));
          } else if (step.do === 'delete') {
            const held = server.get(step.name);
            if (held !== undefined)
              put('deleted', { ...held, metadata: { ...held.metadata, resourceVersion: String(version) } });
          } else if (step.do === 'watch') watch(step.count);
          else if (step.do === 'list') list(Math.max(position, history.length - step.behind));
          else {
            const held = server.get(step.name);
            if (held === undefined) continue;
            const written = thing(step.name, version, { uid: held.metadata.uid, color: 'ours' });
            put('set', written);
            late.push({
              after: step.late,
              write: () => {
                cache.applyOwnWrite(written, held.metadata.resourceVersion);
              },
            });
          }
          for (const one of late.splice(0)) {
            if (one.after <= 0) one.write();
            else late.push({ after: one.after - 1, write: one.write });
          }
        }
        watch(history.length);
        for (const { write } of late) write();

        const expected = new Map([...server].map(([key, object]) => [key, object]));
        expect(new Map(cache.list().map((object) => [object.metadata.name, object]))).to.deep.equal(expected);
        expect(believed).to.deep.equal(expected);
        expect(cache.size).to.equal(expected.size);
        for (const color of ['red', 'blue', 'ours']) {
          const found = byColor.get(color).map((object) => keyText(keyOf(object)));
          const expected = [...server.values()]
            .filter((object) => object.color === color)
            .map((o) => keyText(keyOf(o)));
          expect(found.sort()).to.deep.equal(expected.sort());
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
