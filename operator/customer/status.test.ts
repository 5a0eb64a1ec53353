import { expect } from 'chai';
import fc from 'fast-check';
import { type Field, observe } from '../gateway/gateway.ts';
import { conditionOf, nextStatus, type SyncOutcome } from './status.ts';
import { ownerGone } from './succession.ts';
import { customerOf, withStatus } from './testing/testDependencies.ts';

const now = new Date('2026-11-21T12:00:00Z');
const noDrift = { differs: [], unreported: [], uncleared: [] };

describe('status', () => {
  const applied = { specHash: 'h', fields: ['alias'] as Field[], drift: noDrift, unsupported: [], unenforced: [] };
  const outcome: SyncOutcome = {
    ...{ synced: true, reason: 'Created', message: 'It matches.', ownership: 'Owned', applied, wrote: true },
  };

  const minutes = (count: number): Date => new Date(now.getTime() + count * 60_000);

  it('is the same object for an hour if nothing changes', () => {
    const first = nextStatus(customerOf({}), outcome, now);
    for (const later of [0, 5, 59.9]) {
      expect(nextStatus(withStatus(first), { ...outcome, wrote: false }, minutes(later))).to.equal(first);
    }
  });

  const failures = ['GatewayUnreachable', 'GatewayRejected', 'InstanceNotFound', 'Conflict', 'NotConverged', 'Paused'];
  const idle: SyncOutcome = { ...outcome, wrote: false };
  const times: readonly [what: string, outcome: SyncOutcome, later: number, moves: boolean][] = [
    ['a success that wrote at the gateway', outcome, 5, true],
    ['a success that finds another spend', { ...idle, observed: observe({ user_id: 'c', spend: 2 }) }, 5, true],
    ['a success that handles a sync request', { ...idle, syncRequest: 'now' }, 5, true],
    ['a success that changes nothing, within the hour', idle, 59, false],
    ['a success that changes nothing, after an hour', idle, 60, true],
    ['a success after the clock was set back', idle, -60, true],
    ...failures.flatMap((reason): (typeof times)[number][] => {
      const failed: SyncOutcome = { synced: false, reason: reason as SyncOutcome['reason'], message: 'x' };
      return [
        [`${reason}, at first`, failed, 5, false],
        [`${reason}, after hours`, failed, 600, false],
      ];
    }),
    ['a failure after a write', { ...idle, synced: false, reason: 'NotConverged', wrote: true }, 90, false],
  ];
  for (const [what, next, later, moves] of times) {
    it(`${moves ? 'moves' : 'keeps'} the time of the last sync at ${what}`, () => {
      const first = nextStatus(customerOf({}), outcome, now);
      const { lastSyncTime } = nextStatus(withStatus(first), next, minutes(later));
      expect(lastSyncTime).to.equal((moves ? minutes(later) : now).toISOString());
    });
  }

  it('records the time of a success as the last sync, at most an hour before the newest success', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 180 }),
      synced: fc.boolean(),
      wrote: fc.boolean(),
      spend: fc.integer({ min: 0, max: 2 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let status = nextStatus(customerOf({}), { synced: false, reason: 'GatewayUnreachable', message: 'x' }, now);
        let minute = 0;
        const successes: string[] = [];
        for (const { wait, synced: success, wrote, spend } of steps) {
          minute += wait;
          const observed = observe({ user_id: 'c', spend });
          const found = success
            ? { ...outcome, wrote, observed }
            : ({ synced: false, reason: 'GatewayUnreachable', message: 'x' } as const);
          const before = status;
          status = nextStatus(withStatus(before), found, minutes(minute));
          if (success) successes.push(minutes(minute).toISOString());
          else expect(status.lastSyncTime).to.equal(before.lastSyncTime);
          const newest = successes.at(-1);
          if (newest === undefined) expect(status).not.to.have.property('lastSyncTime');
          else {
            expect(successes).to.include(status.lastSyncTime);
            expect(Date.parse(newest) - Date.parse(status.lastSyncTime ?? '')).to.be.lessThan(60 * 60_000);
          }
        }
      }),
    );
  });

  it('has the time of the last transition in each condition', () => {
    const first = nextStatus(customerOf({}), outcome, now);
    expect(first.lastSyncTime).to.equal(now.toISOString());
    const later = new Date('2026-11-21T13:00:00Z');
    const updated = nextStatus(withStatus(first), { ...outcome, reason: 'Updated' }, later);
    expect(updated.conditions?.[0]?.lastTransitionTime).to.equal(now.toISOString());
    const failed = nextStatus(
      withStatus(updated),
      { synced: false, reason: 'GatewayUnreachable', message: 'x' },
      later,
    );
    expect(failed.conditions?.[0]).to.include({ status: 'False', lastTransitionTime: later.toISOString() });
    // The state of the fields remains valid for this spec.
    expect(failed.conditions?.[1]).to.include({ type: 'FullyApplied', status: 'True' });
    expect(failed.appliedFields).to.deep.equal(['alias']);
  });

  it('does not report old findings for a new spec', () => {
    const first = nextStatus(customerOf({}), outcome, now);
    const changed = withStatus(first, { generation: 2 });
    const failed = nextStatus(changed, { synced: false, reason: 'GatewayUnreachable', message: 'x' }, now);
    expect(failed.observedGeneration).to.equal(2);
    expect(failed.conditions?.every(({ observedGeneration }) => observedGeneration === 2)).to.equal(true);
    expect(failed.conditions?.[1]).to.include({ status: 'Unknown', reason: 'NotSynced' });
  });

  const standardOf = (status: ReturnType<typeof nextStatus>): string[] =>
    (status.conditions ?? [])
      .filter(({ type }) => ['Ready', 'Reconciling', 'Stalled'].includes(type))
      .map(({ type, status: holds, reason }) => `${type} ${holds} ${reason}`);

  it('is Ready when it is synced, also if the gateway does not apply every field', () => {
    const unenforced = [{ field: 'blocked' as const, remedy: 'do something' }];
    for (const [state, message] of [
      [applied, 'It matches.'],
      [
        { ...applied, unenforced },
        'It matches. The gateway does not apply every field: see the condition FullyApplied.',
      ],
    ] as const) {
      const status = nextStatus(customerOf({}), { ...outcome, applied: state }, now);
      expect(standardOf(status)).to.deep.equal(['Ready True Created']);
      expect(conditionOf(withStatus(status), 'Ready')).to.include({ message, observedGeneration: 1 });
    }
  });

  for (const [reason, type] of [
    ['InstanceNotFound', 'Reconciling'],
    ['InstanceNotReady', 'Reconciling'],
    ['NamespaceNotAllowed', 'Stalled'],
    ['CustomerIdNotAllowed', 'Stalled'],
    ['BudgetNotFound', 'Reconciling'],
    ['BudgetNotReady', 'Reconciling'],
    ['BudgetNotAllowed', 'Stalled'],
    ['Conflict', 'Stalled'],
    ['TakingOver', 'Reconciling'],
    ['AlreadyExists', 'Stalled'],
    ['GatewayUnreachable', 'Reconciling'],
    ['GatewayUnauthorized', 'Stalled'],
    ['GatewayRejected', 'Stalled'],
    ['RateLimited', 'Reconciling'],
    ['NotConverged', 'Stalled'],
    ['Overwritten', 'Stalled'],
    ['DeletionFailed', 'Reconciling'],
    ['ErasurePending', 'Reconciling'],
    ['InternalError', 'Reconciling'],
    ['Paused', undefined],
  ] as const) {
    it(`is ${type ?? 'neither Reconciling nor Stalled'} with the reason ${reason}, for its generation`, () => {
      const before = withStatus(nextStatus(customerOf({}), outcome, now), { generation: 2 });
      const failed = { synced: false, reason, message: 'Why.' } as const;
      const status = nextStatus(before, failed, now);
      expect(nextStatus({ ...before, status }, failed, minutes(90))).to.equal(status);
      expect(standardOf(status)).to.deep.equal([
        `Ready False ${reason}`,
        ...(type === undefined ? [] : [`${type} True ${reason}`]),
      ]);
      expect(status.observedGeneration).to.equal(2);
      expect(status.conditions?.every(({ observedGeneration }) => observedGeneration === 2)).to.equal(true);
    });
  }

  const record = {
    ...{ specHash: 'old', appliedFields: ['models'], unappliedFields: ['metadata'], replacesBudget: 'row' },
    ...{ copiedBudget: 'gold', budgetId: 'tier', gateway: 'digest', tookOver: { name: 'a', time: now.toISOString() } },
  };
  const elsewhere = { digest: 'other', isElsewhere: true };
  const waiting: SyncOutcome = { synced: false, reason: 'Conflict', message: 'x', ownership: 'Waiting', address: 'b' };
  const kept: readonly [
    what: string,
    before: object,
    outcome: SyncOutcome,
    after: object,
    gateway?: typeof elsewhere,
  ][] = [
    ['all after a failure', record, { synced: false, reason: 'GatewayUnreachable', message: 'x' }, record],
    [
      'only what the sync found after a success',
      record,
      outcome,
      { specHash: 'h', appliedFields: ['alias'], gateway: 'digest', tookOver: record.tookOver },
    ],
    ['none at another gateway', record, waiting, { gateway: 'other' }, elsewhere],
    ['no announced fields of a record that is foreign', { appliedFields: ['models'] }, { ...waiting }, {}],
    ['the fields of a record that it owned, also if it waits', record, waiting, record],
  ];
  for (const [what, before, next, after, gateway] of kept) {
    it(`keeps of its record ${what}`, () => {
      const status: Readonly<Record<string, unknown>> = { ...nextStatus(withStatus(before), next, now, gateway) };
      expect(Object.fromEntries(Object.keys(record).map((field) => [field, status[field]]))).to.deep.equal({
        ...Object.fromEntries(Object.keys(record).map((field) => [field, undefined])),
        ...after,
      });
    });
  }

  it('is Reconciling while it waits for the owner of its record to be applied again', () => {
    expect(standardOf(nextStatus(customerOf({}), ownerGone, now))).to.deep.equal([
      'Ready False Conflict',
      'Reconciling True Conflict',
    ]);
  });

  it('names the fields that the gateway does not support or clear, while Synced stays True', () => {
    const state = {
      ...applied,
      drift: { differs: [], unreported: ['metadata' as const], uncleared: ['allowedModelRegion' as const] },
    };
    const customer = withStatus(nextStatus(customerOf({}), { ...outcome, applied: state }, now));
    expect(conditionOf(customer, 'Synced')?.status).to.equal('True');
    expect(conditionOf(customer, 'FullyApplied')).to.include({ status: 'False', reason: 'FieldsNotSupported' });
    expect(conditionOf(customer, 'FullyApplied')?.message).to.contain('metadata').and.to.contain('allowedModelRegion');
  });

  it('names the fields that the gateway does not enforce, with a remedy for each', () => {
    const remedies = [
      { field: 'defaultModel' as const, remedy: 'do one thing' },
      { field: 'blocked' as const, remedy: 'do another' },
    ];
    const state = { ...applied, unenforced: remedies };
    const customer = withStatus(nextStatus(customerOf({}), { ...outcome, applied: state }, now));
    expect(conditionOf(customer, 'Synced')?.status).to.equal('True');
    expect(conditionOf(customer, 'FullyApplied')).to.include({
      status: 'False',
      reason: 'FieldsNotEnforced',
      message:
        'The gateway records defaultModel, blocked but does not enforce them. Remedy: for defaultModel, do one thing; for blocked, do another.',
    });
  });
});
