/** The events of a resource: one for each action at the gateway, one for each transition of its condition. Pure. */
import type { Condition } from '../api/v1alpha1/v1alpha1.ts';
import { type BudgetEventReason, currentCondition, type CustomerEventReason } from '../conditions/conditions.ts';
import type { EventDetails } from '../runtime/runtime.ts';
import type { External, ExternalStatus, Outcome, SyncAction } from './resource.ts';

type EventReason = CustomerEventReason | BudgetEventReason;
type Reasons = Readonly<Partial<Record<string & Outcome['reason'], EventReason>>>;

const failures: Reasons = {
  Conflict: 'Conflict',
  NotConverged: 'NotConverged',
  Overwritten: 'Overwritten',
  Paused: 'Paused',
  InUse: 'InUse',
  DeletionFailed: 'DeletionFailed',
  ErasurePending: 'DeletionFailed',
  InternalError: 'InternalError',
};

/** A resource may be applied before those that it refers to: if it was never synced, it waits without a failure event. */
const waits: Reasons = {
  InstanceNotFound: 'WaitingForInstance',
  InstanceNotReady: 'WaitingForInstance',
  BudgetNotFound: 'WaitingForBudget',
  BudgetNotReady: 'WaitingForBudget',
};

/**
 * The events between two statuses. A reconcile without a transition has none.
 * @param type the condition that reports a sync
 */
export function transitions(
  type: 'Synced' | 'Ready',
  before: External,
  after: ExternalStatus,
  action: SyncAction | undefined,
): EventDetails[] {
  const was = currentCondition(before, type);
  const is = currentCondition({ ...before, status: after }, type);
  // A creation is reported when it is complete.
  if (is === undefined || is.reason === 'Creating') return [];
  if (is.status !== 'True') return was?.reason === is.reason ? [] : [failure(before, is)];
  const events: EventDetails[] = [];
  if (action !== undefined) events.push({ type: 'Normal', ...action, action: 'Sync' });
  if (was?.reason === 'Paused') {
    events.push({ type: 'Normal', reason: 'Resumed', message: 'Reconciliation resumed.', action: 'Sync' });
  } else if (action === undefined && was?.status === 'False') {
    events.push({ type: 'Normal', reason: 'Recovered', message: is.message, action: 'Sync' });
  }
  return events;
}

function failure(before: External, is: Condition): EventDetails {
  const { message } = is;
  const reason = is.reason as Outcome['reason'];
  const waiting = waits[reason];
  if (waiting !== undefined && before.status?.specHash === undefined) {
    return { type: 'Normal', reason: waiting, message, action: 'Sync' };
  }
  const type = reason === 'Paused' || reason === 'InUse' ? 'Normal' : 'Warning';
  return { type, reason: failures[reason] ?? 'SyncFailed', message, action: 'Sync' };
}

/**
 * The event of a resource whose instance names another address now. The operator cannot know whether both addresses lead to
 * the same gateway.
 * @param record what remains, such as "budget gold"
 */
export function leftGateway({ spec, metadata }: External, record: string): EventDetails {
  const { name, namespace = metadata.namespace } = spec.instanceRef;
  return {
    type: 'Warning',
    reason: 'Orphaned',
    message: `The address of GatewayInstance ${namespace}/${name} changed. If it leads to another gateway now, ${record} remains at the previous one: delete it there if it is no longer used.`,
    action: 'Sync',
  };
}
