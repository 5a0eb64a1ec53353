import { expect } from 'chai';
import type { GatewayInstance, GatewayInstanceStatus } from '../api/v1alpha1/v1alpha1.ts';
import { defaultBudgetId, recordedRow } from './defaultBudget.ts';
import { instanceOf } from './testing/instances.ts';

describe('the recorded budget row', () => {
  const id = defaultBudgetId(instanceOf());
  const condition = (reason: string): NonNullable<GatewayInstanceStatus['conditions']>[number] => ({
    type: 'DefaultBudgetEnforced',
    status: 'False',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    reason,
    message: '',
  });

  for (const [what, status, expected] of [
    ['no status', undefined, undefined],
    ['a recorded row', { defaultBudget: { rowId: id } }, id],
    ['no recorded row, with any condition', { defaultBudget: {}, conditions: [condition('Enforced')] }, undefined],
    ['a status of an earlier version with a default budget', { conditions: [condition('BudgetRowNotWritten')] }, id],
    ['a status of an earlier version without one', { conditions: [condition('NotRequested')] }, undefined],
  ] as const) {
    it(`is ${expected === undefined ? 'absent' : 'present'} with ${what}`, () => {
      const instance = { ...instanceOf(), status } as GatewayInstance;
      expect(recordedRow(instance)).to.equal(expected);
    });
  }
});
