import { expect } from 'chai';
import type { Condition, GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { nextStatus, type SyncOutcome } from '../customer/status.ts';
import { customerOf, syncedCondition, withStatus } from '../customer/testing/testDependencies.ts';
import { observed, transitions } from './outcomes.ts';

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

describe('the outcome of a resource that only observes', () => {
  const words = { kind: 'GatewayBudget', noun: 'budget', record: 'budget', condition: 'Ready' } as const;
  const results: [name: string, differing: readonly string[] | undefined, reason: string, text: string][] = [
    ['no record', undefined, 'NotAtGateway', 'The gateway has no such budget'],
    ['an equal record', [], 'Observed', "The gateway's budget matches the spec."],
    ['another record', ['alias', 'models'], 'Differs', 'differs from the spec in alias, models'],
  ];
  for (const [name, differing, reason, text] of results) {
    it(`reports ${name} as ${reason}`, () => {
      const outcome = observed(words, differing);
      expect(outcome).to.include({ reason, synced: reason === 'Observed' });
      expect(outcome.message).to.contain(text);
    });
  }
});
