/** Observes the record of a customer at the gateway. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { CallOptions, Field, GatewayClient, ObservedCustomer } from '../gateway/gateway.ts';
import { GatewayError, isGatewayError, observe } from '../gateway/gateway.ts';
import { type Claim, isInSync } from '../external/external.ts';
import { inheritanceOf } from './succession.ts';

/** The record of a customer; undefined if the gateway has none. */
export async function observeRecord(
  client: GatewayClient,
  customer: GatewayCustomer,
  options: CallOptions,
): Promise<ObservedCustomer | undefined> {
  const row = await client.customerInfo(customer.spec.customerId, options);
  return row === undefined ? undefined : observe(row);
}

/** What decides whether a sync creates the record first. */
interface CreationInput {
  readonly client: Pick<GatewayClient, 'isLiteLlm' | 'isAvailable'>;
  readonly claim: Claim<GatewayCustomer, Field>;
  /** See {@link Claims.adoptionPolicy}. */
  readonly policy: 'Adopt' | 'Refuse';
}

/**
 * Whether a sync creates the record without observing it first: if there is one, the gateway reports a duplicate. Only
 * LiteLLM's report of a duplicate is known. The operator observes first
 * - a record that it may have seen or created before;
 * - if the spec says that an existing record is adopted: there probably is one;
 * - if records of others must be refused: after a crash, a record that was there before could not be told from its own;
 * - if the gateway may be unavailable: a resource for which no call was made is deleted without a call.
 */
export function mayCreateFirst(customer: GatewayCustomer, { client, claim, policy }: CreationInput): boolean {
  const { state, mayHaveWritten, status } = claim.ownership;
  const isUnseen = state === 'none' && !mayHaveWritten && status === undefined && !inheritanceOf(claim).record;
  const adoptsByDefault = customer.spec.adoptionPolicy === undefined && policy === 'Adopt';
  return isUnseen && adoptsByDefault && client.isLiteLlm && client.isAvailable;
}

/**
 * Observes the record at the beginning of a sync. If the gateway's 404 for a missing customer is not known yet, the
 * operator tries a creation: at a wrong path it fails, and the record is observed afterwards. The operator does not try
 * it if records of others must be refused.
 */
export async function observeFirst(
  client: GatewayClient,
  customer: GatewayCustomer,
  { policy, signal }: Pick<CreationInput, 'policy'> & { readonly signal: AbortSignal },
): Promise<ObservedCustomer | undefined> {
  const priority = isInSync(customer) ? 'routine' : 'urgent';
  try {
    return await observeRecord(client, customer, { signal, priority });
  } catch (error) {
    if (isGatewayError(error, 'unconfirmed') && policy === 'Adopt') return undefined;
    throw error;
  }
}

/**
 * Observes the result of a write.
 * @throws GatewayError if the record is missing
 */
export async function observeAfterWrite(
  client: GatewayClient,
  customer: GatewayCustomer,
  signal: AbortSignal,
): Promise<ObservedCustomer> {
  const after = await observeRecord(client, customer, { signal });
  if (after !== undefined) return after;
  throw new GatewayError(
    'transient',
    'GET /customer/info',
    'The gateway accepted the customer but does not report it. A replica of the gateway may be behind, or the customer was deleted.',
  );
}
