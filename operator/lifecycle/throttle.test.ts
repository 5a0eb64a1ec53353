import { expect } from 'chai';
import type { ObjectMeta } from '../api/v1alpha1/v1alpha1.ts';
import { Throttle } from './lifecycle.ts';

describe('the throttle of reconciles', () => {
  const resource = (changes: Partial<ObjectMeta> = {}): { metadata: ObjectMeta } => ({
    metadata: {
      ...{ name: 'a', namespace: 'b', uid: 'uid-1', resourceVersion: '1', generation: 1 },
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...changes,
    },
  });
  let now: number;
  let throttle: Throttle;
  beforeEach(() => {
    now = 0;
    throttle = new Throttle(() => now);
    throttle.reconciled(resource());
  });

  it('delays the next reconcile of an unchanged resource by a second, whatever its version', () => {
    now = 250.5;
    expect(throttle.waitMs(resource({ resourceVersion: '2' }))).to.equal(750);
    now = 1_500;
    expect(throttle.waitMs(resource())).to.equal(0);
  });

  for (const [what, changes] of [
    ['another spec', { generation: 2 }],
    ['another annotation', { annotations: { a: '1' } }],
    ['another uid', { uid: 'uid-2' }],
    ['another name', { name: 'c' }],
  ] as const) {
    it(`does not delay a resource with ${what}`, () => {
      expect(throttle.waitMs(resource(changes))).to.equal(0);
    });
  }

  it('forgets a resource', () => {
    throttle.forget({ namespace: 'b', name: 'a' });
    expect(throttle.waitMs(resource())).to.equal(0);
  });
});
