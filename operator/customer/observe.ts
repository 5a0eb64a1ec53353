/** Observes the record of a customer that the operator does not manage. Reads only. */
import type { UsableBudget } from '../budget/budget.ts';
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import type { Run } from '../external/external.ts';
import type { Field, ObservedCustomer } from '../gateway/gateway.ts';
import { observationResult, pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import type { Dependencies } from './dependencies.ts';
import { desiredFields } from './desired.ts';
import { driftOf } from './drift.ts';
import { listedRecord } from './listedRecord.ts';
import { observeRecord } from './observation.ts';
import { reportsOnlyUse, type SyncOutcome } from './status.ts';

/**
 * Compares the record with the spec.
 * @throws GatewayError if the gateway does not say whether it has the record; PendingError if the customer is in sync
 *   and its record is being listed
 */
export async function observeOnly(
  dependencies: Pick<Dependencies, 'clients' | 'byInstance' | 'byClaim'>,
  run: Run<GatewayCustomer, Field>,
  connection: GatewayConnection,
  { tier, signal }: { readonly tier: UsableBudget | undefined; readonly signal: AbortSignal },
): Promise<SyncOutcome> {
  const customer = run.latest;
  const listed = await listedRecord(dependencies, customer, connection);
  if (listed !== undefined) {
    const outcome = outcomeOf(customer, tier, listed);
    if (reportsOnlyUse(customer, run.nextStatus(outcome))) return outcome;
  }
  const client = dependencies.clients.for(connection);
  return outcomeOf(customer, tier, await observeRecord(client, customer, { signal, priority: 'routine' }));
}

function outcomeOf(
  customer: GatewayCustomer,
  tier: UsableBudget | undefined,
  record: ObservedCustomer | undefined,
): SyncOutcome {
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
