/** The outcomes of a reconcile without a sync, and the messages about other claimants. Pure. */
import { FINALIZER, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { pausedMessage } from '../conditions/conditions.ts';
import type { ConnectionError } from '../connection/connection.ts';
import { type Claim, reapplyGraceMs } from '../external/external.ts';
import type { SyncOutcome } from './status.ts';
import { successorOf } from './succession.ts';

export function paused(customer: GatewayCustomer): SyncOutcome {
  return { synced: false, reason: 'Paused', message: pausedMessage(customer) };
}

/** The instance cannot be used. Until it can be used again, a resource that owns a record cannot be deleted. */
export function notConnected(customer: GatewayCustomer, { reason, message }: ConnectionError): SyncOutcome {
  const waits = 'Until then, the record at the gateway does not change, and a deletion of this resource waits.';
  const notAllowed = reason === 'NamespaceNotAllowed' || reason === 'CustomerIdNotAllowed';
  return {
    synced: false,
    reason,
    message: customer.metadata.finalizers?.includes(FINALIZER) === true ? `${message} ${waits}` : message,
    ...(notAllowed ? { ownership: 'NotAllowed' } : {}),
  };
}

/** Another resource owns the record. A resource of another namespace is not named. */
export function ownedByAnother(customer: GatewayCustomer, owner: Claim<GatewayCustomer>): SyncOutcome {
  const state = { synced: false, reason: 'Conflict', ownership: 'Waiting' } as const;
  const { namespace, name } = owner.resource.metadata;
  if (namespace !== customer.metadata.namespace) {
    const message =
      'A GatewayCustomer in another namespace manages this customer. Use another customerId, or delete the other resource, which deletes the record with its spend.';
    return { ...state, message };
  }
  const succeeds = successorOf(owner)?.metadata.uid === customer.metadata.uid;
  const then = succeeds
    ? 'this resource takes over the record with its spend'
    : 'the record and its spend are deleted or go to another resource';
  const message = `GatewayCustomer ${namespace}/${name} manages this customer. Delete one of the two resources: if ${name} is deleted, ${then}.`;
  return { ...state, message };
}

/** The owner of the record was deleted recently. */
export const ownerGone: SyncOutcome = {
  synced: false,
  reason: 'Conflict',
  ownership: 'Waiting',
  continues: true,
  message: `The GatewayCustomer that managed this customer was deleted. This resource takes over the customer in ${reapplyGraceMs / 1_000} s, unless the other resource is applied again.`,
};

/** Adds to an owner's outcome the effect of its deletion on the waiting claimants. */
export function withClaimants(claim: Claim<GatewayCustomer>, outcome: SyncOutcome): SyncOutcome {
  const { namespace } = claim.resource.metadata;
  const others = claim.waiting;
  if (!outcome.synced || others.length === 0) return outcome;
  const successor = successorOf(claim)?.metadata;
  const named = successor ?? others.find(({ metadata }) => metadata.namespace === namespace)?.metadata;
  const who =
    named === undefined ? 'A GatewayCustomer in another namespace' : `GatewayCustomer ${named.namespace}/${named.name}`;
  const then =
    successor === undefined
      ? 'the record and its spend are deleted'
      : `${successor.name} takes over the record with its spend`;
  const message = `${outcome.message} ${who} waits for the same customer: if this resource is deleted, ${then}.`;
  return { ...outcome, message };
}

export function failed(reason: SyncOutcome['reason'], error: Error): SyncOutcome {
  return { synced: false, reason, message: error.message };
}
