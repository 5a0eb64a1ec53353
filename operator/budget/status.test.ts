/** The status and the events of a budget, as tables. */
import { expect } from 'chai';
import type { GatewayBudgetStatus } from '../api/v1alpha1/v1alpha1.ts';
import { actionOf, inSync as inSyncOf, transitions } from '../external/outcomes.ts';
import { conflict } from './adapter.ts';
import { refused } from './record.ts';
import { type BudgetOutcome, nextStatus, budgetWords } from './status.ts';
import { budgetOf } from './testing/budgets.ts';

const now = new Date('2026-11-21T12:00:00Z');
const later = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);
const applied = { specHash: 'hash', fields: ['maxBudget'] } as const;
const found = { ownership: 'Owned', address: 'gateway', budgetId: 'gold', applied } as const;
const inSync = { ...inSyncOf(budgetWords, undefined), ...found } as BudgetOutcome;
const here = { digest: 'digest', isElsewhere: false };
const synced = nextStatus(budgetOf(), { ...inSync, wrote: true }, 2, now, here);
const failed = (reason: BudgetOutcome['reason']): BudgetOutcome => ({ synced: false, reason, message: 'Why.' });
const typesOf = ({ conditions = [] }: GatewayBudgetStatus): string[] =>
  conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);

describe('the status of a budget', () => {
  it('describes a budget that is in sync', () => {
    expect({ ...synced, conditions: typesOf(synced) }).to.deep.equal({
      budgetId: 'gold',
      customers: 2,
      ownership: 'Owned',
      specHash: 'hash',
      gateway: 'digest',
      appliedFields: ['maxBudget'],
      observedGeneration: 1,
      lastSyncTime: now.toISOString(),
      lastChangeTime: now.toISOString(),
      conditions: ['Ready True UpToDate'],
    });
  });

  for (const [reason, type] of [
    ['InstanceNotFound', 'Reconciling'],
    ['InstanceNotReady', 'Reconciling'],
    ['GatewayUnreachable', 'Reconciling'],
    ['RateLimited', 'Reconciling'],
    ['Creating', 'Reconciling'],
    ['InUse', 'Reconciling'],
    ['DeletionFailed', 'Reconciling'],
    ['InternalError', 'Reconciling'],
    ['NamespaceNotAllowed', 'Stalled'],
    ['Conflict', 'Stalled'],
    ['AlreadyExists', 'Stalled'],
    ['BudgetIdReserved', 'Stalled'],
    ['NotSupported', 'Stalled'],
    ['GatewayUnauthorized', 'Stalled'],
    ['GatewayRejected', 'Stalled'],
    ['NotConverged', 'Stalled'],
    ['Paused', undefined],
  ] as const) {
    it(`is ${type ?? 'neither Reconciling nor Stalled'} with the reason ${reason}`, () => {
      const status = nextStatus(budgetOf({}, synced), failed(reason), 2, now);
      expect(typesOf(status)).to.deep.equal([
        `Ready False ${reason}`,
        ...(type === undefined ? [] : [`${type} True ${reason}`]),
      ]);
      expect(status).to.include({ lastSyncTime: now.toISOString(), budgetId: 'gold', ownership: 'Owned' });
    });
  }

  it('does not change while nothing changes, except for the time of the sync once an hour', () => {
    const budget = budgetOf({}, synced);
    expect(nextStatus(budget, inSync, 2, later(59), here)).to.equal(synced);
    expect(nextStatus(budget, inSync, 2, later(61), here)).to.deep.equal({
      ...synced,
      lastSyncTime: later(61).toISOString(),
    });
    expect(nextStatus(budget, inSync, 3, later(1))).to.include({ customers: 3, lastChangeTime: now.toISOString() });
    expect(nextStatus(budget, { ...inSync, wrote: true }, 2, later(1)).lastChangeTime).to.equal(later(1).toISOString());
  });

  it('of a resource that owns nothing describes no budget', () => {
    const foreign: BudgetOutcome[] = [
      refused(budgetOf()),
      conflict(budgetOf(), budgetOf({}, undefined, { name: 'other' })) as BudgetOutcome,
    ];
    for (const outcome of foreign) {
      const status = nextStatus(budgetOf({}, synced), outcome, 0, now);
      expect(status).to.not.have.any.keys('budgetId', 'specHash', 'appliedFields', 'gateway');
    }
  });

  it('does not name an owner in another namespace', () => {
    const other = budgetOf({}, undefined, { name: 'secret', namespace: 'theirs' });
    expect(conflict(budgetOf(), other).message).to.not.match(/secret|theirs/);
  });
});

describe('the events of a budget', () => {
  const events = (before: GatewayBudgetStatus | undefined, outcome: BudgetOutcome): string[] => {
    const budget = budgetOf({}, before);
    const status = nextStatus(budget, outcome, 0, now);
    return transitions('Ready', budget, status, outcome.action).map(({ type, reason }) => `${type} ${reason}`);
  };
  const action = actionOf('created', budgetWords);
  const unreachable = failed('GatewayUnreachable');
  const creating: BudgetOutcome = { ...failed('Creating'), ownership: 'Creating', applied };

  for (const [what, before, outcome, expected] of [
    ['a creation', undefined, { ...inSync, action }, ['Normal Created']],
    ['an announced creation', undefined, creating, []],
    ['a reconcile without a change', synced, inSync, []],
    ['a failure', synced, unreachable, ['Warning SyncFailed']],
    ['the same failure again', nextStatus(budgetOf({}, synced), unreachable, 0, now), unreachable, []],
    ['a recovery', nextStatus(budgetOf({}, synced), unreachable, 0, now), inSync, ['Normal Recovered']],
    ['a missing instance', undefined, failed('InstanceNotFound'), ['Normal WaitingForInstance']],
    ['an instance that is missing later', synced, failed('InstanceNotFound'), ['Warning SyncFailed']],
    ['a budget in use', synced, failed('InUse'), ['Normal InUse']],
  ] as const) {
    it(`report ${what}${expected.length === 0 ? ' not at all' : ''}`, () => {
      expect(events(before, outcome)).to.deep.equal(expected);
    });
  }
});
