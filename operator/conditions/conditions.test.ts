import { expect } from 'chai';
import fc from 'fast-check';
import type { Condition } from '../api/v1alpha1/v1alpha1.ts';
import { readyConditions, type ReadyState } from './conditions.ts';

const at = (time: number): Date => new Date(Date.UTC(2026, 10, 21, time));
const objectOf = (conditions: readonly Condition[], generation = 1): Parameters<typeof readyConditions>[0] => ({
  metadata: { generation },
  status: { conditions },
});
const failed: ReadyState = { status: 'False', reason: 'GatewayUnreachable', message: 'Why.' };

describe('the conditions that kstatus reads', () => {
  it('describe one generation, and have the time of their own transition', () => {
    const first = readyConditions(objectOf([]), at(1), failed, undefined);
    const second = readyConditions(objectOf(first, 2), at(2), { ...failed, reason: 'Conflict' }, failed);
    expect(
      second.map(({ type, lastTransitionTime, observedGeneration }) => [type, lastTransitionTime, observedGeneration]),
    ).to.deep.equal([
      ['Ready', at(1).toISOString(), 2],
      ['Stalled', at(2).toISOString(), 2],
    ]);
  });

  it('law: Reconciling or Stalled exists, and is True, exactly while Ready is not True and nothing is paused', () => {
    const state = fc.record({
      status: fc.constantFrom('True', 'False', 'Unknown'),
      reason: fc.constantFrom('Created', 'Paused', 'Conflict', 'RateLimited'),
      message: fc.string(),
    });
    fc.assert(
      fc.property(state, fc.boolean(), (ready, isStalled) => {
        const [first, ...others] = readyConditions(objectOf([]), at(1), ready, isStalled ? ready : undefined);
        expect(first).to.include({ type: 'Ready', status: ready.status, reason: ready.reason });
        const isSettled = ready.status === 'True' || ready.reason === 'Paused';
        expect(others.map(({ type, status }) => `${type} ${status}`)).to.deep.equal(
          isSettled ? [] : [isStalled ? 'Stalled True' : 'Reconciling True'],
        );
      }),
    );
  });
});
