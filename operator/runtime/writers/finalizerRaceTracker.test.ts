import { expect } from 'chai';
import type { KubeObject, ObjectKey } from '../objects.ts';
import { FinalizerRaceTracker } from './finalizerRaceTracker.ts';
import { TestClock } from '../testing/testClock.ts';

const key: ObjectKey = { namespace: 'default', name: 'a' };

function object(uid: string, deletionTimestamp?: string): KubeObject {
  const deleting = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return { apiVersion: 'v1', kind: 'Thing', metadata: { ...key, uid, resourceVersion: '1', ...deleting } };
}

type Step = 'putOn' | 'begin' | 'forget' | 'gone' | 'deleting' | 'recreated' | { readonly wait: number };

const cases: readonly (readonly [what: string, steps: readonly Step[], lost: readonly string[]])[] = [
  ['an object that is still there', ['putOn', 'begin'], []],
  ['an object that is gone before anything was begun', ['putOn', 'gone'], []],
  ['an object that is gone after something was begun', ['putOn', 'begin', 'gone'], ['one']],
  [
    'the same until it is made up for, however long that takes',
    ['putOn', 'begin', 'gone', { wait: 3_600_000 }],
    ['one'],
  ],
  ['an object that was made up for', ['putOn', 'begin', 'gone', 'forget'], []],
  ['an object in whose place there is another', ['putOn', 'begin', 'recreated'], ['one']],
  ['an object whose deletion can be seen: it waits for the finalizer', ['putOn', 'begin', 'deleting', 'gone'], []],
  ['an object whose finalizer is older than a deletion can be', ['putOn', 'begin', { wait: 61_000 }, 'gone'], []],
  ['an object that had the finalizer all along', ['begin', 'gone'], []],
];

describe('what is tracker by its deletion', () => {
  let there: KubeObject | undefined;
  let clock: TestClock;
  let tracker: FinalizerRaceTracker<KubeObject>;
  const one = object('one');
  beforeEach(() => {
    there = one;
    clock = new TestClock();
    tracker = new FinalizerRaceTracker({ get: () => there }, clock);
  });

  const does: Readonly<Record<Extract<Step, string>, () => void>> = {
    putOn: () => {
      tracker.finalizerAdded(one);
    },
    begin: () => {
      tracker.beforeExternalWrite(one);
    },
    forget: () => {
      tracker.markCleanedUp(one);
    },
    gone: () => (there = undefined),
    deleting: () => (there = object('one', '2026-01-01T00:00:00Z')),
    recreated: () => (there = object('two')),
  };

  for (const [what, steps, lost] of cases) {
    it(`is ${lost.length === 0 ? 'not ' : ''}${what}`, async () => {
      for (const step of steps) {
        if (typeof step === 'string') does[step]();
        else await clock.advance(step.wait);
        tracker.lostObjects(key);
        // Others come and go meanwhile.
        const { name, ...other } = one.metadata;
        tracker.finalizerAdded({ ...one, metadata: { ...other, name: `${name}-not` } });
      }
      expect(tracker.lostObjects(key).map(({ metadata }) => metadata.uid)).to.deep.equal(lost);
    });
  }

  it('is both of two of one name', () => {
    for (const uid of ['one', 'two']) {
      there = object(uid);
      tracker.finalizerAdded(there);
      tracker.beforeExternalWrite(there);
    }
    there = undefined;
    expect(tracker.lostObjects(key).map(({ metadata }) => metadata.uid)).to.deep.equal(['one', 'two']);
  });

  for (const [what, now] of [
    ['is gone', undefined],
    ['has given its name to another', object('two')],
  ] as const) {
    it(`lets nothing be begun for an object that ${what}`, () => {
      tracker.finalizerAdded(one);
      there = now;
      expect(() => {
        tracker.beforeExternalWrite(one);
      })
        .to.throw()
        .with.property('status', 404);
      expect(tracker.lostObjects(key)).to.deep.equal([]);
    });
  }
});
