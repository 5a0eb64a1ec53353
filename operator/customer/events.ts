import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { CustomerEventReason } from '../conditions/conditions.ts';
import type { EventDetails } from '../runtime/runtime.ts';
import type { Dependencies } from './dependencies.ts';
import type { SyncedReason, SyncOutcome } from './status.ts';
import { conditionOf, nextStatus } from './status.ts';

/** Something that was done at the gateway, for an event. */
export interface SyncAction {
  readonly reason: Extract<CustomerEventReason, 'Created' | 'Adopted' | 'Updated' | 'DriftCorrected'>;
  readonly message: string;
}

/** Writes how a reconcile ended into the status, and tells an event of it, if there is anything new. */
export async function report(
  { status, events, now }: Dependencies,
  customer: GatewayCustomer,
  outcome: SyncOutcome & { readonly deed?: SyncAction | undefined },
): Promise<GatewayCustomer> {
  const after = await status.write(customer, nextStatus(customer, outcome, now()));
  for (const event of eventsFor(customer, outcome)) events.record(customer, event);
  return after;
}

const eventReasons: Readonly<Partial<Record<SyncedReason, CustomerEventReason>>> = {
  Conflict: 'Conflict',
  NotConverged: 'NotConverged',
  Paused: 'Paused',
  DeletionFailed: 'DeletionFailed',
  ErasurePending: 'DeletionFailed',
  InternalError: 'InternalError',
};

/**
 * The events of an outcome: one for what was done at the gateway, one for a condition that is new. That a resource was
 * applied before its instance is no failure: what has never been synced and waits for an instance is told as normal.
 */
export function eventsFor(
  customer: GatewayCustomer,
  outcome: Pick<SyncOutcome, 'synced' | 'reason' | 'message'> & { readonly deed?: SyncAction | undefined },
): EventDetails[] {
  const before = conditionOf(customer, 'Synced');
  const { deed, reason, message } = outcome;
  if (!outcome.synced) {
    if (before?.reason === reason) return [];
    const waits = waitsForInstance(reason) && customer.status?.specHash === undefined;
    if (waits) return [{ type: 'Normal', reason: 'WaitingForInstance', message, action: 'Sync' }];
    const type = reason === 'Paused' ? 'Normal' : 'Warning';
    return [{ type, reason: eventReasons[reason] ?? 'SyncFailed', message, action: 'Sync' }];
  }
  const events: EventDetails[] = [];
  if (deed !== undefined) events.push({ type: 'Normal', reason: deed.reason, message: deed.message, action: 'Sync' });
  if (before?.reason === 'Paused') {
    events.push({ type: 'Normal', reason: 'Resumed', message: 'Reconciliation resumed.', action: 'Sync' });
  } else if (deed === undefined && before?.status === 'False') {
    events.push({ type: 'Normal', reason: 'Recovered', message, action: 'Sync' });
  }
  return events;
}

function waitsForInstance(reason: SyncedReason): boolean {
  return reason === 'InstanceNotFound' || reason === 'InstanceNotReady';
}
