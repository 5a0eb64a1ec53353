/** The record of a customer in the record list of its gateway, for customers that are in sync. */
import { setImmediate } from 'node:timers/promises';
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import { observe, type ObservedCustomer } from '../gateway/gateway.ts';
import { keyText } from '../runtime/runtime.ts';
import { claimKey, isInSync, PendingError } from '../external/external.ts';
import type { Dependencies } from './dependencies.ts';

/** How long a list is used: this share of the sync interval. */
const useShare = 1 / 10;

/**
 * The record of a customer that is in sync, as the list of its gateway reports it. The list may be as old as
 * {@link useShare} says, so it only confirms that there is nothing to do: before any write, the record is looked up.
 * @returns undefined if the record must be looked up
 * @throws PendingError
 */
export async function listedRecord(
  { clients, byInstance, byClaim }: Pick<Dependencies, 'clients' | 'byInstance' | 'byClaim'>,
  customer: GatewayCustomer,
  connection: GatewayConnection,
): Promise<ObservedCustomer | undefined> {
  if (!isInSync(customer)) return undefined;
  const { instance, syncInterval } = connection;
  const listed = clients.listed(connection, customer.spec.customerId, {
    maxAgeMs: useShare * syncInterval,
    count: () => byInstance.keys(keyText(instance)).length,
    includes: (customerId) => byClaim.keys(claimKey(instance, customerId)).length > 0,
  });
  if (listed.kind === 'pending') throw new PendingError(listed.retryAfterMs);
  if (listed.kind === 'unknown') return undefined;
  // A call would yield to other work. Without it, thousands of lookups would block the process.
  await setImmediate();
  return observe(listed.row);
}
