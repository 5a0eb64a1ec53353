/** The pure parts of the reconcile, as tables. */
import { expect } from 'chai';
import fc from 'fast-check';
import { annotations, type Condition, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { observe, customerFieldsStrategy, type Field, type Fields } from '../gateway/gateway.ts';
import { appliedFields, claimOf, createMark, markText } from './ownership.ts';
import { desiredFields, specHash } from './desired.ts';
import { appliedAfter, driftOf } from './drift.ts';
import { eventsFor } from './events.ts';
import { conditionOf, nextStatus, type SyncOutcome } from './status.ts';
import { customerOf } from './testing/testDependencies.ts';

const now = new Date('2026-11-21T12:00:00Z');
const noDrift = { differs: [], unheld: [], uncleared: [] };

function withStatus(status: NonNullable<GatewayCustomer['status']>, metadata: object = {}): GatewayCustomer {
  const customer = customerOf({});
  return { ...customer, metadata: { ...customer.metadata, ...metadata }, status };
}

function synced(reason: string, status: Condition['status'] = 'False'): Condition {
  return {
    type: 'Synced',
    status,
    reason,
    message: '',
    lastTransitionTime: '2026-11-21T11:00:00Z',
    observedGeneration: 1,
  };
}

describe('desired fields', () => {
  it('are those that the spec names, empty ones too', () => {
    const { spec } = customerOf({ maxBudget: 0, blocked: false, models: [], objectPermission: { agents: ['a'] } });
    expect(desiredFields(spec)).to.deep.equal({
      maxBudget: 0,
      blocked: false,
      models: [],
      'objectPermission.agents': ['a'],
    });
  });

  it('have the same hash in whatever order lists and maps are written, and another for anything else', () => {
    const hash = (fields: Fields): string => specHash(fields);
    expect(hash({ models: ['a', 'b'], metadata: { x: '1', y: '2' } })).to.equal(
      hash({ metadata: { y: '2', x: '1' }, models: ['b', 'a'] }),
    );
    const different: Fields[] = [
      {},
      { alias: 'a' },
      { defaultModel: 'a' },
      { models: ['a'] },
      { models: [] },
      { maxBudget: 0 },
    ];
    expect(new Set(different.map(hash)).size).to.equal(different.length);
  });
});

describe('drift', () => {
  const reported = new Set<Field>(['alias', 'models', 'maxBudget', 'blocked']);
  const seen = (fields: Fields): { effective: Fields; present: Fields } => ({ effective: fields, present: fields });

  const cases: readonly {
    name: string;
    wanted: Fields;
    applied: Field[];
    is: Fields;
    drift: object;
    after: Field[];
  }[] = [
    { name: 'nothing wanted, nothing ours', wanted: {}, applied: [], is: { alias: 'x' }, drift: {}, after: [] },
    { name: 'as wanted', wanted: { alias: 'a' }, applied: ['alias'], is: { alias: 'a' }, drift: {}, after: ['alias'] },
    {
      name: 'another value',
      wanted: { alias: 'a' },
      applied: [],
      is: { alias: 'b' },
      drift: { differs: ['alias'] },
      after: ['alias'],
    },
    {
      name: 'a zero budget',
      wanted: { maxBudget: 0 },
      applied: [],
      is: {},
      drift: { differs: ['maxBudget'] },
      after: ['maxBudget'],
    },
    {
      name: 'false where there is none',
      wanted: { blocked: false },
      applied: [],
      is: {},
      drift: {},
      after: ['blocked'],
    },
    {
      name: 'lists in another order',
      wanted: { models: ['a', 'b'] },
      applied: [],
      is: { models: ['b', 'a'] },
      drift: {},
      after: ['models'],
    },
    {
      name: 'a field never spoken of',
      wanted: { metadata: { a: '1' } },
      applied: [],
      is: {},
      drift: { unheld: ['metadata'] },
      after: [],
    },
    {
      name: 'ours, no longer wanted',
      wanted: {},
      applied: ['alias'],
      is: { alias: 'a' },
      drift: { uncleared: ['alias'] },
      after: ['alias'],
    },
    { name: 'ours, no longer wanted, and gone', wanted: {}, applied: ['alias'], is: {}, drift: {}, after: [] },
  ];
  for (const { name, wanted, applied, is, drift, after } of cases) {
    it(`of ${name}`, () => {
      const found = driftOf(wanted, new Set(applied), seen(is), reported);
      expect(found).to.deep.equal({ ...noDrift, ...drift });
      expect(appliedAfter(wanted, found)).to.deep.equal(after);
    });
  }
});

describe('claim', () => {
  const mark = (uid: string): object => ({
    annotations: { [annotations.createPending]: markText({ uid, fields: ['alias'] }) },
  });

  const oldMark = {
    annotations: { [annotations.createPending]: JSON.stringify({ uid: 'uid-1', fields: ['alias'] }) },
  };
  const refusing = (customer: GatewayCustomer): GatewayCustomer => ({
    ...customer,
    spec: { ...customer.spec, adoptionPolicy: 'Refuse' },
  });

  const cases: readonly { name: string; customer: GatewayCustomer; claim: string }[] = [
    { name: 'nothing done yet', customer: customerOf({}), claim: 'none' },
    { name: 'a mark', customer: withStatus({}, mark('uid-1')), claim: 'pending' },
    { name: 'the mark of another resource', customer: withStatus({}, mark('uid-2')), claim: 'none' },
    {
      name: 'a mark that is no mark',
      customer: withStatus({}, { annotations: { [annotations.createPending]: 'true' } }),
      claim: 'none',
    },
    {
      name: 'a mark, and a conflict',
      customer: withStatus({ conditions: [synced('Conflict')] }, mark('uid-1')),
      claim: 'none',
    },
    {
      name: 'a mark, and a refusal',
      customer: withStatus({ conditions: [synced('AlreadyExists')] }, mark('uid-1')),
      claim: 'none',
    },
    {
      name: 'a mark, and no answer',
      customer: withStatus({ conditions: [synced('GatewayUnreachable')] }, mark('uid-1')),
      claim: 'pending',
    },
    { name: 'a mark of 0.1.0 alone', customer: withStatus({}, oldMark), claim: 'none' },
    {
      name: 'a mark of 0.1.0, and no access',
      customer: withStatus({ conditions: [synced('NamespaceNotAllowed')] }, oldMark),
      claim: 'none',
    },
    {
      name: 'a mark of 0.1.0, and no answer',
      customer: withStatus({ conditions: [synced('GatewayUnreachable')] }, oldMark),
      claim: 'pending',
    },
    {
      name: 'a mark that its owner may have forged, where records of others are refused',
      customer: refusing(withStatus({}, mark('uid-1'))),
      claim: 'none',
    },
    {
      name: 'fields announced in the status, where records of others are refused',
      customer: refusing(withStatus({ appliedFields: ['alias'] })),
      claim: 'pending',
    },
    { name: 'a hash in the status', customer: withStatus({ specHash: 'x' }), claim: 'recorded' },
  ];
  for (const { name, customer, claim } of cases) {
    it(`with ${name} is ${claim}`, () => {
      expect(claimOf(customer)).to.equal(claim);
    });
  }

  it('knows the fields of the mark until the status tells them', () => {
    expect([...appliedFields(withStatus({}, mark('uid-1')))]).to.deep.equal(['alias']);
    expect([...appliedFields(withStatus({ appliedFields: ['models', 'nonsense'] }, mark('uid-1')))]).to.deep.equal([
      'models',
    ]);
    expect(createMark(withStatus({}, mark('uid-1')))).to.deep.equal({ uid: 'uid-1', fields: ['alias'] });
  });
});

describe('status', () => {
  const applied = { specHash: 'h', fields: ['alias'] as Field[], drift: noDrift, unsupported: [], unenforced: [] };
  const outcome: SyncOutcome = { synced: true, reason: 'Created', message: 'It agrees.', applied, wrote: true };

  const minutes = (count: number): Date => new Date(now.getTime() + count * 60_000);

  it('is the same object for an hour when nothing is new, however often it is asked for', () => {
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
    ['a success whose clock was put back', idle, -60, true],
    ...failures.flatMap((reason): (typeof times)[number][] => {
      const failed: SyncOutcome = { synced: false, reason: reason as SyncOutcome['reason'], message: 'x' };
      return [
        [`${reason}, at first`, failed, 5, false],
        [`${reason}, after hours`, failed, 600, false],
      ];
    }),
    ['a failure with news of the gateway', { ...idle, synced: false, reason: 'NotConverged', wrote: true }, 90, false],
  ];
  for (const [what, next, later, moves] of times) {
    it(`${moves ? 'moves' : 'keeps'} the time of the last sync at ${what}`, () => {
      const first = nextStatus(customerOf({}), outcome, now);
      const { lastSyncTime } = nextStatus(withStatus(first), next, minutes(later));
      expect(lastSyncTime).to.equal((moves ? minutes(later) : now).toISOString());
    });
  }

  it('tells a time of the last sync that is the one of a success, at most an hour before the newest of them', () => {
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

  it('gives the time of the last transition', () => {
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
    // What is known of the fields goes on holding for the spec that it was found for.
    expect(failed.conditions?.[1]).to.include({ type: 'FullyApplied', status: 'True' });
    expect(failed.appliedFields).to.deep.equal(['alias']);
  });

  it('does not say of a new spec what was found for the old one', () => {
    const first = nextStatus(customerOf({}), outcome, now);
    const changed = withStatus(first, { generation: 2 });
    const failed = nextStatus(changed, { synced: false, reason: 'GatewayUnreachable', message: 'x' }, now);
    expect(failed.observedGeneration).to.equal(2);
    expect(failed.conditions?.every(({ observedGeneration }) => observedGeneration === 2)).to.equal(true);
    expect(failed.conditions?.[1]).to.include({ status: 'Unknown', reason: 'NotSynced' });
  });

  it('names the fields that cannot be held or cleared, while Synced stays True', () => {
    const state = {
      ...applied,
      drift: { differs: [], unheld: ['metadata' as const], uncleared: ['allowedModelRegion' as const] },
    };
    const customer = withStatus(nextStatus(customerOf({}), { ...outcome, applied: state }, now));
    expect(conditionOf(customer, 'Synced')?.status).to.equal('True');
    expect(conditionOf(customer, 'FullyApplied')).to.include({ status: 'False', reason: 'FieldsNotSupported' });
    expect(conditionOf(customer, 'FullyApplied')?.message).to.contain('metadata').and.to.contain('allowedModelRegion');
  });

  it('names the fields that are recorded and not enforced, with a remedy for each', () => {
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
        'The gateway records defaultModel, blocked but does not enforce them, so that calls are served as if they were not set: for defaultModel, do one thing; for blocked, do another.',
    });
  });
});

describe('events', () => {
  const reasons = (before: Condition | undefined, outcome: Parameters<typeof eventsFor>[1]): string[] =>
    eventsFor(withStatus(before === undefined ? {} : { conditions: [before] }), outcome).map(({ reason }) => reason);
  const failure = { synced: false, reason: 'GatewayUnreachable', message: 'x' } as const;
  const success = { synced: true, reason: 'UpToDate', message: 'x' } as const;

  it('tell of transitions, never of a reconcile that found the same again', () => {
    expect(reasons(undefined, failure)).to.deep.equal(['SyncFailed']);
    expect(reasons(synced('GatewayUnreachable'), failure)).to.deep.equal([]);
    expect(reasons(synced('GatewayRejected'), failure)).to.deep.equal(['SyncFailed']);
    expect(reasons(synced('Created', 'True'), success)).to.deep.equal([]);
    expect(reasons(synced('Paused'), success)).to.deep.equal(['Resumed']);
    expect(reasons(undefined, { ...failure, reason: 'Conflict' })).to.deep.equal(['Conflict']);
    expect(reasons(undefined, { ...success, deed: { reason: 'Created', message: 'x' } })).to.deep.equal(['Created']);
    expect(reasons(synced('GatewayUnreachable'), success)).to.deep.equal(['Recovered']);
    const deed = { reason: 'Updated', message: 'x' } as const;
    expect(reasons(synced('GatewayUnreachable'), { ...success, deed })).to.deep.equal(['Updated']);
  });

  it('warn of an instance that is missing only where there was one before', () => {
    const types = (customer: GatewayCustomer, reason: SyncOutcome['reason']): string[] =>
      eventsFor(customer, { synced: false, reason, message: 'x' }).map((event) => `${event.type} ${event.reason}`);
    for (const reason of ['InstanceNotFound', 'InstanceNotReady'] as const) {
      expect(types(customerOf({}), reason)).to.deep.equal(['Normal WaitingForInstance']);
      expect(types(withStatus({ specHash: 'h' }), reason)).to.deep.equal(['Warning SyncFailed']);
    }
    expect(types(customerOf({}), 'NamespaceNotAllowed')).to.deep.equal(['Warning SyncFailed']);
  });
});

describe('observed record', () => {
  it('takes the limits of a linked row under any proxy name, or of the record itself', () => {
    const limits = { max_budget: 5, tpm_limit: 0, rpm_limit: null };
    for (const row of [
      { user_id: 'c', budget_id: 'b', litellm_budget_table: limits },
      { user_id: 'c', budget_id: 'b', gateway_budget_table: limits },
      { user_id: 'c', budget_id: 'b', ...limits },
    ]) {
      expect(observe(row).fields).to.deep.equal({ budgetId: 'b', maxBudget: 5, tpmLimit: 0 });
    }
  });

  it('does not take the limits of a tier for limits of the customer', () => {
    const observed = observe({ user_id: 'c', budget_id: 'b', gateway_budget_table: { max_budget: 5 } });
    expect(customerFieldsStrategy.observedValues(observed, { budgetId: 'b' }).present).to.deep.equal({ budgetId: 'b' });
  });
});
