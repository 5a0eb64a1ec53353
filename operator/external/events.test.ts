import { expect } from 'chai';
import type { Condition, GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { nextStatus, type SyncOutcome } from '../customer/status.ts';
import { customerOf, syncedCondition, withStatus } from '../customer/testing/testDependencies.ts';
import { transitions } from './resource.ts';

const now = new Date('2026-11-21T12:00:00Z');

describe('events', () => {
  const eventsOf = (before: GatewayCustomer, outcome: SyncOutcome): string[] =>
    transitions('Synced', before, nextStatus(before, outcome, now), outcome.action).map(
      ({ type, reason }) => `${type} ${reason}`,
    );
  const after = (before: Condition | undefined, outcome: SyncOutcome): string[] =>
    eventsOf(withStatus(before === undefined ? {} : { conditions: [before] }), outcome);
  const failure = { synced: false, reason: 'GatewayUnreachable', message: 'x' } as const;
  const success = { synced: true, reason: 'UpToDate', message: 'x' } as const;

  it('report transitions, and nothing if a reconcile changes nothing', () => {
    expect(after(undefined, failure)).to.deep.equal(['Warning SyncFailed']);
    expect(after(syncedCondition('GatewayUnreachable'), failure)).to.deep.equal([]);
    expect(after(syncedCondition('GatewayRejected'), failure)).to.deep.equal(['Warning SyncFailed']);
    expect(after(syncedCondition('Created', 'True'), success)).to.deep.equal([]);
    expect(after(syncedCondition('Paused'), success)).to.deep.equal(['Normal Resumed']);
    expect(after(undefined, { ...failure, reason: 'Conflict' })).to.deep.equal(['Warning Conflict']);
    const created = { reason: 'Created', message: 'x' } as const;
    expect(after(undefined, { ...success, action: created })).to.deep.equal(['Normal Created']);
    expect(after(syncedCondition('GatewayUnreachable'), success)).to.deep.equal(['Normal Recovered']);
    const updated = { reason: 'Updated', message: 'x' } as const;
    expect(after(syncedCondition('GatewayUnreachable'), { ...success, action: updated })).to.deep.equal([
      'Normal Updated',
    ]);
  });

  it('warn of a missing instance only if the customer was synced before', () => {
    for (const reason of ['InstanceNotFound', 'InstanceNotReady'] as const) {
      const outcome: SyncOutcome = { synced: false, reason, message: 'x' };
      expect(eventsOf(customerOf({}), outcome)).to.deep.equal(['Normal WaitingForInstance']);
      expect(eventsOf(withStatus({ specHash: 'h' }), outcome)).to.deep.equal(['Warning SyncFailed']);
    }
    const notAllowed: SyncOutcome = { synced: false, reason: 'NamespaceNotAllowed', message: 'x' };
    expect(eventsOf(customerOf({}), notAllowed)).to.deep.equal(['Warning SyncFailed']);
  });
});
