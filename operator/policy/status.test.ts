/** The status and the events of a policy, as tables. */
import { expect } from 'chai';
import type { GuardrailPolicyStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { PolicyCheck } from './check.ts';
import * as outcomes from './outcomes.ts';
import { nextStatus, transitions } from './status.ts';
import { policyOf, userOf } from './testing/policies.ts';
import type { PolicyUser } from './users.ts';

const now = new Date('2026-11-21T12:00:00Z');
const valid: PolicyCheck = { valid: true, text: '{}', revision: 'new' };
const invalid: PolicyCheck = { valid: false, reason: 'InvalidPattern', message: 'spec.allow[0].pattern is bad.' };
const users = [userOf('main', 'new'), userOf('test', 'old')];
const enforced = [userOf('main', 'new')];
const reading = [userOf('main', 'new'), userOf('test', undefined, 'new')];
const typesOf = ({ conditions = [] }: GuardrailPolicyStatus): string[] =>
  conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
const accepted = nextStatus(policyOf(), outcomes.checked(valid, enforced), enforced, now);

describe('the status of a policy', () => {
  it('shows the revision, the generations and the users', () => {
    expect({ ...accepted, conditions: typesOf(accepted) }).to.deep.equal({
      observedGeneration: 2,
      acceptedGeneration: 2,
      enforcedGeneration: 2,
      revision: 'new',
      instances: 1,
      customers: 0,
      usedBy: ['GatewayInstance ai/main'],
      conditions: ['Accepted True Accepted', 'Ready True Enforced'],
    });
  });

  it('is the same object if nothing changed', () => {
    expect(nextStatus(policyOf({}, accepted), outcomes.checked(valid, enforced), enforced, new Date())).to.equal(
      accepted,
    );
  });

  for (const [what, outcome, found] of [
    ['valid and not used', outcomes.checked(valid, []), ['Accepted True Accepted', 'Ready True NotUsed']],
    [
      'valid, and not written for every user',
      outcomes.checked(valid, users),
      ['Accepted True Accepted', 'Ready False Writing', 'Reconciling True Writing'],
    ],
    [
      'valid, and not read by every pod',
      outcomes.checked(valid, reading),
      ['Accepted True Accepted', 'Ready False Reading', 'Reconciling True Reading'],
    ],
    [
      'valid, not written for one user, and not read for another one',
      outcomes.checked(valid, [...users, ...reading]),
      ['Accepted True Accepted', 'Ready False Writing', 'Reconciling True Writing'],
    ],
    [
      'not valid',
      outcomes.checked(invalid, users),
      ['Accepted False InvalidPattern', 'Ready False InvalidPattern', 'Stalled True InvalidPattern'],
    ],
    ['paused', outcomes.paused(policyOf()), ['Accepted True Accepted', 'Ready False Paused']],
    ['in use', outcomes.inUse(users), ['Accepted True Accepted', 'Ready False InUse', 'Reconciling True InUse']],
    [
      'failing',
      outcomes.failed('Why.'),
      ['Accepted True Accepted', 'Ready False InternalError', 'Reconciling True InternalError'],
    ],
  ] as const) {
    it(`of one that is ${what}`, () => {
      expect(typesOf(nextStatus(policyOf({}, accepted), outcome, users, now))).to.deep.equal(found);
    });
  }

  it('keeps the last valid generation and its revision while a newer one is not valid', () => {
    const changed = { ...policyOf({}, accepted), metadata: { ...policyOf().metadata, generation: 3 } };
    const status = nextStatus(changed, outcomes.checked(invalid, users), users, now);
    expect(status).to.include({ observedGeneration: 3, acceptedGeneration: 2, revision: 'new' });
  });

  it('shows the last generation that every pod had, while resources use the policy', () => {
    const changed = { ...policyOf({}, accepted), metadata: { ...policyOf().metadata, generation: 3 } };
    const generationAfter = (outcome: outcomes.PolicyOutcome): unknown =>
      nextStatus(changed, outcome, users, now).enforcedGeneration;
    expect(generationAfter(outcomes.checked(valid, users))).to.equal(2);
    expect(generationAfter(outcomes.checked(valid, reading))).to.equal(2);
    expect(generationAfter(outcomes.checked(invalid, enforced))).to.equal(2);
    expect(generationAfter(outcomes.paused(changed))).to.equal(2);
    expect(generationAfter(outcomes.failed('Why.'))).to.equal(2);
    expect(generationAfter(outcomes.checked(valid, enforced))).to.equal(3);
    expect(generationAfter(outcomes.checked(valid, []))).to.equal(undefined);
    expect(nextStatus(policyOf(), outcomes.checked(valid, users), users, now)).not.to.have.property(
      'enforcedGeneration',
    );
  });

  it('names who does not have the policy yet, and who uses it', () => {
    const messageFor = (...waiting: readonly PolicyUser[]): string => outcomes.checked(valid, waiting).ready.message;
    expect(messageFor(...reading)).to.match(/^Not every guardrail pod has the policy yet for GatewayInstance test\./);
    expect(messageFor(...reading)).not.to.include('sidecar');
    expect(messageFor(userOf('main', undefined, 'new'), userOf('side', 'old', 'new', true))).to.match(
      /for GatewayInstance main and GatewayInstance side\..* sidecars of GatewayInstance side, .*\/components\/sidecar/,
    );
    expect(messageFor(userOf('side', 'new', 'new', true))).not.to.include('component');
    expect(outcomes.checked(valid, users).ready.message).to.match(/not written yet for GatewayInstance test\./);
    expect(outcomes.inUse(users).ready.message).to.match(/in use by GatewayInstance main and GatewayInstance test\./);
    const many = Array.from({ length: 40 }, (_, at) => userOf(`i${at}`));
    expect(outcomes.inUse(many).ready.message).to.include('GatewayInstance i9, and 30 more.');
    expect(nextStatus(policyOf(), outcomes.inUse(many), many, now).usedBy).to.have.length(32);
  });

  it('records an event for each transition, and none without one', () => {
    const reasons = (outcome: outcomes.PolicyOutcome, before = policyOf({}, accepted)): string[] =>
      transitions(before, nextStatus(before, outcome, users, now)).map(({ type, reason }) => `${type} ${reason}`);
    expect(reasons(outcomes.checked(valid, users), policyOf())).to.deep.equal(['Normal Accepted']);
    expect(reasons(outcomes.checked(valid, users))).to.deep.equal([]);
    expect(reasons(outcomes.checked(invalid, users))).to.deep.equal(['Warning NotAccepted']);
    expect(reasons(outcomes.inUse(users))).to.deep.equal(['Normal InUse']);
    expect(reasons(outcomes.paused(policyOf()))).to.deep.equal(['Normal Paused']);
    const paused = policyOf({}, nextStatus(policyOf({}, accepted), outcomes.paused(policyOf()), users, now));
    expect(reasons(outcomes.checked(valid, users), paused)).to.deep.equal(['Normal Resumed']);
  });
});
