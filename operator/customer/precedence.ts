/** Determines the owner of a customer record among several claimants. Pure: depends only on the resources. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { isForeign, ownershipOf } from './ownership.ts';

/**
 * How long a deleted resource keeps its precedence over the claimants that waited for it, in milliseconds. `kubectl
 * replace --force` and GitOps tools delete and apply again within seconds. A minute allows for finalizers and a slow
 * API server, and delays the next claimant only briefly.
 */
export const reapplyGraceMs = 60_000;
/** Kubernetes counts creation times in whole seconds. */
const precisionMs = 1_000;

/** A resource that names the same customer of the same gateway. */
export interface Claimant {
  readonly customer: GatewayCustomer;
  /** Whether it refers to the same instance. */
  readonly sameInstance: boolean;
}

/**
 * The resource that owns the record instead of this one. Precedence, in this order: a resource that was applied again,
 * over the one that took over in between; a resource whose record the gateway has; a resource that does not wait; the
 * oldest; the one with the smaller uid. A claimant of another instance counts only if this gateway has its record: an
 * instance with a wrong key must not keep others from their records.
 * @param gateway digest of the gateway's address, if known: see {@link addressDigest}
 */
export function ownerBefore(
  customer: GatewayCustomer,
  claimants: readonly Claimant[],
  gateway: string | undefined,
): GatewayCustomer | undefined {
  return claimants
    .filter((claimant) => counts(claimant, gateway))
    .map((claimant) => claimant.customer)
    .filter((other) => other.metadata.uid !== customer.metadata.uid && precedes(other, customer, gateway))
    .sort((one, other) => (precedes(one, other, gateway) ? -1 : 1))[0];
}

/** Whether a claimant counts among those that may own the record. See {@link ownerBefore}. */
export function counts({ sameInstance, customer }: Claimant, gateway: string | undefined): boolean {
  return sameInstance || ownsRecord(customer, gateway, false);
}

function precedes(one: GatewayCustomer, other: GatewayCustomer, gateway: string | undefined): boolean {
  if (yieldsTo(other, one)) return true;
  if (yieldsTo(one, other)) return false;
  const [before, after] = [rank(one, gateway), rank(other, gateway)];
  return before === after ? age(one) < age(other) : before < after;
}

function rank(customer: GatewayCustomer, gateway: string | undefined): number {
  if (ownsRecord(customer, gateway, true)) return 0;
  const { status, state } = ownershipOf(customer);
  return isForeign(status) && state !== 'pending' ? 2 : 1;
}

/** Whether the status records that this gateway has the record of this resource. */
function ownsRecord(customer: GatewayCustomer, gateway: string | undefined, whereUnknown: boolean): boolean {
  const { state, status } = ownershipOf(customer);
  if (state !== 'owned' || isForeign(status) || status === 'NotAllowed') return false;
  const recorded = customer.status?.gateway;
  return recorded !== undefined && gateway !== undefined ? recorded === gateway : whereUnknown;
}

/** Whether a resource took over from one that was applied again soon enough to get its record back. */
export function yieldsTo({ metadata, status }: GatewayCustomer, returned: GatewayCustomer): boolean {
  const from = status?.tookOver;
  if (from === undefined || returned.metadata.namespace !== metadata.namespace) return false;
  if (from.name !== returned.metadata.name || metadata.name === from.name) return false;
  const after = Date.parse(returned.metadata.creationTimestamp) - Date.parse(from.time);
  return after >= -precisionMs && after <= reapplyGraceMs;
}

/** A sort key: the older resource is less. */
export function age({ metadata }: GatewayCustomer): string {
  return `${metadata.creationTimestamp} ${metadata.uid}`;
}
