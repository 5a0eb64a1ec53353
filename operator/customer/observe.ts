/** Observes the record of a customer that the operator does not manage. Reads only. */
import type { UsableBudget } from '../budget/budget.ts';
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import { observationResult, pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import type { Dependencies } from './dependencies.ts';
import { desiredFields } from './desired.ts';
import { driftOf } from './drift.ts';
import { observeRecord } from './observation.ts';
import type { SyncOutcome } from './status.ts';

/**
 * Compares the record with the spec.
 * @throws GatewayError if the gateway does not say whether it has the record
 */
export async function observeOnly(
  { clients }: Pick<Dependencies, 'clients'>,
  customer: GatewayCustomer,
  connection: GatewayConnection,
  { tier, signal }: { readonly tier: UsableBudget | undefined; readonly signal: AbortSignal },
): Promise<SyncOutcome> {
  const record = await observeRecord(clients.for(connection), customer, { signal, priority: 'routine' });
  const syncRequest = pendingSyncRequest(customer);
  if (record === undefined) {
    const { matches, reason, message } = observationResult('customer', undefined);
    return { synced: matches, reason, message, syncRequest };
  }
  // The limits of a linked budget count as the record's own: it does not matter here where the gateway stores them.
  const values = { effective: record.fields, present: record.fields };
  const desired = desiredFields(customer.spec, tier?.budgetId);
  const { differs, unreported } = driftOf(desired, new Set(), values, record.reported);
  const { matches, reason, message } = observationResult('customer', [...differs, ...unreported]);
  return { synced: matches, reason, message, observed: record, linkedBudget: record.budgetId, syncRequest };
}
