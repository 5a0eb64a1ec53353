/** The events of a customer: one for each action at the gateway, one for each transition of the condition Synced. Pure. */
import type { GatewayCustomer, GatewayCustomerStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { CustomerConditionReason, CustomerEventReason } from '../conditions/conditions.ts';
import { syncEvents } from '../lifecycle/lifecycle.ts';
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
  Overwritten: 'Overwritten',
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
  return syncEvents({ was, is, action, failure: (failed) => failure(before, failed) });
}

/**
 * The event of a resource whose instance names another address now. The operator cannot know whether both addresses lead to
 * the same gateway.
 */
export function leftGateway({ spec, metadata }: GatewayCustomer): EventDetails {
  const { name, namespace = metadata.namespace } = spec.instanceRef;
  return {
    type: 'Warning',
    reason: 'Orphaned',
    message: `The address of GatewayInstance ${namespace}/${name} changed. If it leads to another gateway now, customer ${spec.customerId} remains at the previous one: delete it there if it is no longer used.`,
    action: 'Sync',
  };
}

/** The events of a resource that was applied before those that it refers to. */
const waitingEvents: Readonly<Partial<Record<CustomerConditionReason<'Synced'>, CustomerEventReason>>> = {
  InstanceNotFound: 'WaitingForInstance',
  InstanceNotReady: 'WaitingForInstance',
  BudgetNotFound: 'WaitingForBudget',
  BudgetNotReady: 'WaitingForBudget',
};

/** A resource may be applied before its instance or its budget: a customer that was never synced waits without a failure event. */
function failure(before: GatewayCustomer, is: { readonly reason: string; readonly message: string }): EventDetails {
  const reason = is.reason as CustomerConditionReason<'Synced'>;
  const { message } = is;
  const waiting = waitingEvents[reason];
  if (waiting !== undefined && before.status?.specHash === undefined) {
    return { type: 'Normal', reason: waiting, message, action: 'Sync' };
  }
  const type = reason === 'Paused' ? 'Normal' : 'Warning';
  return { type, reason: failureEvents[reason] ?? 'SyncFailed', message, action: 'Sync' };
}
