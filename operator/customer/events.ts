/** The events of a customer: one for each action at the gateway, one for each transition of the condition Synced. Pure. */
import type { GatewayCustomer, GatewayCustomerStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { CustomerConditionReason, CustomerEventReason } from '../conditions/conditions.ts';
import type { EventDetails } from '../runtime/runtime.ts';
import { conditionOf } from './customerResource.ts';

/** A change that a sync made at the gateway. */
export interface SyncAction {
  readonly reason: Extract<CustomerEventReason, 'Created' | 'Adopted' | 'Updated' | 'DriftCorrected'>;
  readonly message: string;
}

const failureEvents: Readonly<Partial<Record<CustomerConditionReason<'Synced'>, CustomerEventReason>>> = {
  Conflict: 'Conflict',
  NotConverged: 'NotConverged',
  Paused: 'Paused',
  DeletionFailed: 'DeletionFailed',
  ErasurePending: 'DeletionFailed',
  InternalError: 'InternalError',
};

/** The events between two statuses. A reconcile without a transition has none. */
export function transitions(
  before: GatewayCustomer,
  after: GatewayCustomerStatus,
  action: SyncAction | undefined,
): EventDetails[] {
  const was = conditionOf(before, 'Synced');
  const is = conditionOf({ ...before, status: after }, 'Synced');
  if (is === undefined) return [];
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

/** A resource may be applied before its instance: a customer that was never synced waits without a failure event. */
function failure(before: GatewayCustomer, is: { readonly reason: string; readonly message: string }): EventDetails {
  const reason = is.reason as CustomerConditionReason<'Synced'>;
  const { message } = is;
  const waits = reason === 'InstanceNotFound' || reason === 'InstanceNotReady';
  if (waits && before.status?.specHash === undefined) {
    return { type: 'Normal', reason: 'WaitingForInstance', message, action: 'Sync' };
  }
  const type = reason === 'Paused' ? 'Normal' : 'Warning';
  return { type, reason: failureEvents[reason] ?? 'SyncFailed', message, action: 'Sync' };
}
