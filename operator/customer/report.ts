import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { CustomerEventReason } from '../reasons.ts';
import type { EventDetails } from '../runtime/runtime.ts';
import type { Parts } from './parts.ts';
import type { SyncedReason, SyncOutcome } from './status.ts';
import { conditionOf, nextStatus } from './status.ts';

/** Something that was done at the gateway, for an event. */
export interface Deed {
  readonly reason: Extract<CustomerEventReason, 'Created' | 'Adopted' | 'Updated' | 'DriftCorrected'>;
  readonly message: string;
}

/** Writes how a reconcile ended into the status, and tells an event of it, if there is anything new. */
export async function report(
  { status, events, now }: Parts,
  customer: GatewayCustomer,
  outcome: SyncOutcome & { readonly deed?: Deed | undefined },
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
};

/** The events of an outcome: one for what was done at the gateway, one for a condition that is new. */
export function eventsFor(
  customer: GatewayCustomer,
  outcome: Pick<SyncOutcome, 'synced' | 'reason' | 'message'> & { readonly deed?: Deed | undefined },
): EventDetails[] {
  const before = conditionOf(customer, 'Synced');
  const events: EventDetails[] = [];
  if (outcome.deed !== undefined) {
    events.push({ type: 'Normal', reason: outcome.deed.reason, message: outcome.deed.message, action: 'Sync' });
  }
  if (outcome.synced && before?.reason === 'Paused') {
    events.push({ type: 'Normal', reason: 'Resumed', message: 'The customer is reconciled again.', action: 'Sync' });
  }
  if (!outcome.synced && before?.reason !== outcome.reason) {
    const reason = eventReasons[outcome.reason] ?? 'SyncFailed';
    const type = outcome.reason === 'Paused' ? 'Normal' : 'Warning';
    events.push({ type, reason, message: outcome.message, action: 'Sync' });
  }
  return events;
}
