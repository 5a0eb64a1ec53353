import { expect } from 'chai';
import type { KubeObject, ObjectKey } from '../objects.ts';
import { FinalizerRaceTracker } from './guardedWriters.ts';
import { TestClock } from '../testing/testClock.ts';

const key: ObjectKey = { namespace: 'default', name: 'a' };

function object(uid: string, deletionTimestamp?: string): KubeObject {
  const deleting = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return { apiVersion: 'v1', kind: 'Thing', metadata: { ...key, uid, resourceVersion: '1', ...deleting } };
}

type Step =
  'finalizerAdded' | 'externalWrite' | 'cleanedUp' | 'gone' | 'deleting' | 'recreated' | { readonly wait: number };

const cases: readonly (readonly [what: string, steps: readonly Step[], lost: readonly string[]])[] = [
  ['an object that still exists', ['finalizerAdded', 'externalWrite'], []],
  ['an object that is gone before its external write started', ['finalizerAdded', 'gone'], []],
  ['an object that is gone after its external write started', ['finalizerAdded', 'externalWrite', 'gone'], ['one']],
  [
    'an object that is not cleaned up yet, after any time',
    ['finalizerAdded', 'externalWrite', 'gone', { wait: 3_600_000 }],
    ['one'],
  ],
  ['an object after its cleanup', ['finalizerAdded', 'externalWrite', 'gone', 'cleanedUp'], []],
  ['an object that was replaced by another one', ['finalizerAdded', 'externalWrite', 'recreated'], ['one']],
  [
    'an object whose deletion has a timestamp, and so respects the finalizer',
    ['finalizerAdded', 'externalWrite', 'deleting', 'gone'],
    [],
  ],
  [
    'an object whose finalizer is older than the longest deletion',
    ['finalizerAdded', 'externalWrite', { wait: 61_000 }, 'gone'],
    [],
  ],
  ['an object that already had the finalizer', ['externalWrite', 'gone'], []],
];

describe('lost objects', () => {
  let current: KubeObject | undefined;
  let clock: TestClock;
  let tracker: FinalizerRaceTracker<KubeObject>;
  const one = object('one');
  beforeEach(() => {
    current = one;
    clock = new TestClock();
    tracker = new FinalizerRaceTracker({ get: () => current }, clock);
  });

  const actions: Readonly<Record<Extract<Step, string>, () => void>> = {
    finalizerAdded: () => {
      tracker.finalizerAdded(one);
    },
    externalWrite: () => {
      tracker.beforeExternalWrite(one);
    },
    cleanedUp: () => {
      tracker.markCleanedUp(one);
    },
    gone: () => (current = undefined),
    deleting: () => (current = object('one', '2026-01-01T00:00:00Z')),
    recreated: () => (current = object('two')),
  };

  for (const [what, steps, lost] of cases) {
    it(`${lost.length === 0 ? 'do not include' : 'include'} ${what}`, async () => {
      for (const step of steps) {
        if (typeof step === 'string') actions[step]();
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
      current = object(uid);
      tracker.finalizerAdded(current);
      tracker.beforeExternalWrite(current);
    }
    current = undefined;
    expect(tracker.lostObjects(key).map(({ metadata }) => metadata.uid)).to.deep.equal(['one', 'two']);
  });

  for (const [what, now] of [
    ['is gone', undefined],
    ['was replaced by another one', object('two')],
  ] as const) {
    it(`rejects an external write for an object that ${what}`, () => {
      tracker.finalizerAdded(one);
      current = now;
      expect(() => {
        tracker.beforeExternalWrite(one);
      })
        .to.throw()
        .with.property('status', 404);
      expect(tracker.lostObjects(key)).to.deep.equal([]);
    });
  }
});
