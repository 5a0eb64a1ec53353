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
  ['an object that still exists', ['putOn', 'begin'], []],
  ['an object that is gone before its external write started', ['putOn', 'gone'], []],
  ['an object that is gone after its external write started', ['putOn', 'begin', 'gone'], ['one']],
  [
    'an object that is not cleaned up yet, after any time',
    ['putOn', 'begin', 'gone', { wait: 3_600_000 }],
    ['one'],
  ],
  ['an object after its cleanup', ['putOn', 'begin', 'gone', 'forget'], []],
  ['an object that was replaced by another one', ['putOn', 'begin', 'recreated'], ['one']],
  ['an object whose deletion has a timestamp, and so respects the finalizer', ['putOn', 'begin', 'deleting', 'gone'], []],
  ['an object whose finalizer is older than the longest deletion', ['putOn', 'begin', { wait: 61_000 }, 'gone'], []],
  ['an object that already had the finalizer', ['begin', 'gone'], []],
];

describe('lost objects', () => {
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
    it(`${lost.length === 0 ? 'do not include' : 'include'} ${what}`, async () => {
      for (const step of steps) {
        if (typeof step === 'string') does[step]();
        else await clock.advance(step.wait);
        tracker.lostObjects(key);
        // Other objects are tracked in the meantime.
        const { name, ...other } = one.metadata;
        tracker.finalizerAdded({ ...one, metadata: { ...other, name: `${name}-not` } });
      }
      expect(tracker.lostObjects(key).map(({ metadata }) => metadata.uid)).to.deep.equal(lost);
    });
  }

  it('include two objects of the same name', () => {
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
    ['was replaced by another one', object('two')],
  ] as const) {
    it(`rejects an external write for an object that ${what}`, () => {
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
