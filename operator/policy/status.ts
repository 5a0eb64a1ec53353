/** The status and the events of a policy after a reconcile. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Condition, GuardrailPolicy, GuardrailPolicyStatus } from '../api/v1alpha1/v1alpha1.ts';
import {
  currentCondition,
  needsUser,
  nextCondition,
  type PolicyEventReason,
  readyConditions,
} from '../conditions/conditions.ts';
import { type EventDetails, keyText } from '../runtime/runtime.ts';
import type { PolicyOutcome } from './outcomes.ts';
import type { PolicyUser } from './users.ts';

/** The maximum number of users in the status, as the CRD has it. */
const MAX_USERS = 32;

/** @returns the status after an outcome; the same object if nothing changed */
export function nextStatus(
  policy: GuardrailPolicy,
  outcome: PolicyOutcome,
  users: readonly PolicyUser[],
  now: Date,
): GuardrailPolicyStatus {
  const before = policy.status ?? {};
  const { generation } = policy.metadata;
  const { enforcedGeneration, ...others } = before;
  const after: GuardrailPolicyStatus = {
    ...others,
    ...(enforcedGeneration === undefined || outcome.enforcement === 'NotUsed' ? {} : { enforcedGeneration }),
    observedGeneration: generation,
    ...(outcome.revision === undefined ? {} : { acceptedGeneration: generation, revision: outcome.revision }),
    ...(outcome.enforcement === 'Complete' ? { enforcedGeneration: generation } : {}),
    instances: users.filter(({ kind }) => kind === 'GatewayInstance').length,
    customers: users.filter(({ kind }) => kind === 'GatewayCustomer').length,
    usedBy: users.slice(0, MAX_USERS).map(({ kind, key }) => `${kind} ${keyText(key)}`),
    conditions: conditionsOf(policy, outcome, now),
  };
  return isDeepStrictEqual(after, before) ? before : after;
}

function conditionsOf(policy: GuardrailPolicy, { accepted, ready }: PolicyOutcome, now: Date): Condition[] {
  const known = currentCondition(policy, 'Accepted');
  const next = accepted === undefined ? known : nextCondition(policy, now, { type: 'Accepted', ...accepted });
  const stalled = needsUser(ready.reason) ? ready : undefined;
  return [...(next === undefined ? [] : [next]), ...readyConditions(policy, now, ready, stalled)];
}

const reported: Readonly<Record<string, readonly [EventDetails['type'], PolicyEventReason]>> = {
  Paused: ['Normal', 'Paused'],
  InUse: ['Normal', 'InUse'],
  InternalError: ['Warning', 'InternalError'],
};

/** The events between two statuses. A reconcile without a transition has none. */
export function transitions(before: GuardrailPolicy, status: GuardrailPolicyStatus): EventDetails[] {
  const after = { ...before, status };
  return [
    ...acceptedEvents(currentCondition(before, 'Accepted'), currentCondition(after, 'Accepted')),
    ...readyEvents(currentCondition(before, 'Ready'), currentCondition(after, 'Ready')),
  ];
}

function acceptedEvents(was: Condition | undefined, is: Condition | undefined): EventDetails[] {
  if (is === undefined || (was?.status === is.status && was.reason === is.reason)) return [];
  const accepted = is.status === 'True';
  const reason: PolicyEventReason = accepted ? 'Accepted' : 'NotAccepted';
  return [{ type: accepted ? 'Normal' : 'Warning', reason, message: is.message, action: 'Check' }];
}

function readyEvents(was: Condition | undefined, is: Condition | undefined): EventDetails[] {
  if (is === undefined || was?.reason === is.reason) return [];
  const resumed: PolicyEventReason = 'Resumed';
  const found = reported[is.reason];
  return [
    ...(was?.reason === 'Paused'
      ? [{ type: 'Normal' as const, reason: resumed, message: 'Reconciliation resumed.', action: 'Check' }]
      : []),
    ...(found === undefined ? [] : [{ type: found[0], reason: found[1], message: is.message, action: 'Check' }]),
  ];
}
