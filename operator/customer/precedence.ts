/** Determines the owner of a customer record among several claimants. Pure: depends only on the resources. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { isForeign, type Ownership } from './ownership.ts';

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
  /** What it owns at this gateway. */
  readonly ownership: Ownership;
  /** Whether it refers to the same instance. */
  readonly sameInstance: boolean;
  /** Whether the gateway refused the key of its instance. */
  readonly keyRefused: boolean;
}

/**
 * The resource that owns the record instead of this one. Precedence, in this order: a resource that was applied again,
 * over the one that took over in between; a resource whose record the gateway has; a resource that was restored with its
 * mark, the latest mark first; a resource that does not wait; the oldest; the one with the smaller uid.
 */
export function ownerBefore(own: Claimant, claimants: readonly Claimant[]): GatewayCustomer | undefined {
  return claimants
    .filter(counts)
    .filter((other) => other.customer.metadata.uid !== own.customer.metadata.uid && precedes(other, own))
    .sort((one, other) => (precedes(one, other) ? -1 : 1))[0]?.customer;
}

/**
 * Whether a claimant counts among those that may own the record. A claimant of another instance counts only if it is
 * proved that its record is at this gateway, and while the gateway does not refuse the key of its instance: an instance
 * without the key of the gateway must not keep others from their records.
 */
export function counts({ sameInstance, keyRefused, ownership }: Claimant): boolean {
  if (sameInstance) return true;
  return !keyRefused && ((ownsRecord(ownership) && ownership.isHere) || ownership.restoredFrom !== undefined);
}

function precedes(one: Claimant, other: Claimant): boolean {
  if (yieldsTo(other.customer, one.customer)) return true;
  if (yieldsTo(one.customer, other.customer)) return false;
  const [before, after] = [rank(one), rank(other)];
  if (before !== after) return before < after;
  const [signed, signedAfter] = [one, other].map(({ ownership }) => ownership.mark?.signedAt ?? '');
  if (before === RESTORED && signed !== signedAfter) return (signed ?? '') > (signedAfter ?? '');
  return age(one.customer) < age(other.customer);
}

/** The rank of resources that were restored with a valid mark. */
const RESTORED = 1;

function rank({ ownership }: Claimant): number {
  if (ownsRecord(ownership)) return 0;
  if (ownership.state === 'pending' && ownership.restoredFrom !== undefined) return RESTORED;
  return isForeign(ownership.status) && ownership.state !== 'pending' ? 3 : 2;
}

/** Whether the status records that the gateway has the record of this resource. */
function ownsRecord({ state, status }: Ownership): boolean {
  return state === 'owned' && !isForeign(status) && status !== 'NotAllowed';
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
