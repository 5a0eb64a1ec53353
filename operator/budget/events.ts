/** The events of a budget: one for each action at the gateway, one for each transition of the condition Ready. Pure. */
import type { Condition, GatewayBudget, GatewayBudgetStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { BudgetConditionReason, BudgetEventReason } from '../conditions/conditions.ts';
import { syncEvents } from '../lifecycle/lifecycle.ts';
import type { EventDetails } from '../runtime/runtime.ts';
import { budgetIdOf, conditionOf } from './budgetResource.ts';

/** A change that a sync made at the gateway. */
export interface SyncAction {
  readonly reason: Extract<BudgetEventReason, 'Created' | 'Adopted' | 'Updated' | 'DriftCorrected'>;
  readonly message: string;
}

const failureEvents: Readonly<Partial<Record<BudgetConditionReason, BudgetEventReason>>> = {
  Conflict: 'Conflict',
  NotConverged: 'NotConverged',
  Paused: 'Paused',
  InUse: 'InUse',
  DeletionFailed: 'DeletionFailed',
  InternalError: 'InternalError',
};

/** The events between two statuses. A reconcile without a transition has none. */
export function transitions(
  before: GatewayBudget,
  after: GatewayBudgetStatus,
  action: SyncAction | undefined,
): EventDetails[] {
  const was = conditionOf(before, 'Ready');
  const is = conditionOf({ ...before, status: after }, 'Ready');
  // The creation itself is reported when it is complete.
  if (is?.reason === 'Creating') return [];
  return syncEvents({ was, is, action, failure: (failed) => failure(before, failed) });
}

/** The event of a resource whose instance names another address now. */
export function leftGateway(budget: GatewayBudget): EventDetails {
  const { name, namespace = budget.metadata.namespace } = budget.spec.instanceRef;
  return {
    type: 'Warning',
    reason: 'Orphaned',
    message: `The address of GatewayInstance ${namespace}/${name} changed. If it leads to another gateway now, budget ${budgetIdOf(budget)} remains at the previous one: delete it there if it is no longer used.`,
    action: 'Sync',
  };
}

/** A resource may be applied before its instance: a budget that was never synced waits without a failure event. */
function failure(before: GatewayBudget, { reason, message }: Condition): EventDetails {
  const waits = reason === 'InstanceNotFound' || reason === 'InstanceNotReady';
  if (waits && before.status?.specHash === undefined) {
    return { type: 'Normal', reason: 'WaitingForInstance', message, action: 'Sync' };
  }
  const type = reason === 'Paused' || reason === 'InUse' ? 'Normal' : 'Warning';
  return { type, reason: failureEvents[reason as BudgetConditionReason] ?? 'SyncFailed', message, action: 'Sync' };
}
