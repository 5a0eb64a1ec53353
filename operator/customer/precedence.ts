/** Which of several resources for one customer of a gateway owns its record. Pure: told from the resources alone. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { claimOf, isStopped } from './ownership.ts';
import { conditionOf } from './status.ts';

/**
 * For how long a resource that is deleted and applied again keeps its precedence over those that waited for it, in
 * milliseconds. `kubectl replace --force` and GitOps tools do both within seconds; a minute leaves room for finalizers and
 * a slow API server, and delays a resource only briefly whose id is free.
 */
export const graceMs = 60_000;
/** Kubernetes counts creation times in whole seconds. */
const precisionMs = 1_000;

/** A resource that names the same customer of the same gateway. */
export interface Claimant {
  readonly customer: GatewayCustomer;
  /** Whether it refers to the same instance. */
  readonly sameInstance: boolean;
}

/**
 * The resource that owns the record instead of this one. Precedence, in this order: a resource that was applied again over
 * the one that took over from it meanwhile; one whose record the gateway holds; one that was not stopped yet; the oldest
 * one; of two of the same second, the one with the smaller uid. By way of another instance only a resource counts whose
 * record this gateway holds: an instance with a wrong key must not keep anybody from his record.
 * @param gateway digest of the gateway's address, if known: see {@link addressDigest}
 */
export function ownerBefore(
  customer: GatewayCustomer,
  rivals: readonly Claimant[],
  gateway: string | undefined,
): GatewayCustomer | undefined {
  return rivals
    .filter((rival) => counts(rival, gateway))
    .map((rival) => rival.customer)
    .filter((other) => other.metadata.uid !== customer.metadata.uid && precedes(other, customer, gateway))
    .sort((one, other) => (precedes(one, other, gateway) ? -1 : 1))[0];
}

/** Whether a resource counts among those that may own the record. See {@link ownerBefore}. */
export function counts({ sameInstance, customer }: Claimant, gateway: string | undefined): boolean {
  return sameInstance || holds(customer, gateway, false);
}

function precedes(one: GatewayCustomer, other: GatewayCustomer, gateway: string | undefined): boolean {
  if (yieldsTo(other, one)) return true;
  if (yieldsTo(one, other)) return false;
  const [before, after] = [standing(one, gateway), standing(other, gateway)];
  return before === after ? age(one) < age(other) : before < after;
}

function standing(customer: GatewayCustomer, gateway: string | undefined): number {
  if (holds(customer, gateway, true)) return 0;
  return isStopped(customer) && claimOf(customer) !== 'pending' ? 2 : 1;
}

/** Whether the status says that the gateway holds the record of this resource, and nothing since has taken it away. */
function holds(customer: GatewayCustomer, gateway: string | undefined, whereUnknown: boolean): boolean {
  const { status } = customer;
  if (status?.specHash === undefined || isStopped(customer)) return false;
  const known = status.gateway !== undefined && gateway !== undefined;
  if (known ? status.gateway !== gateway : !whereUnknown) return false;
  const reason = conditionOf(customer, 'Synced')?.reason;
  return reason !== 'NamespaceNotAllowed' && reason !== 'CustomerIdNotAllowed';
}

/** Whether a resource took over from one that has been applied again since, soon enough to have its record back. */
export function yieldsTo({ metadata, status }: GatewayCustomer, returned: GatewayCustomer): boolean {
  const from = status?.tookOver;
  if (from === undefined || returned.metadata.namespace !== metadata.namespace) return false;
  if (from.name !== returned.metadata.name || metadata.name === from.name) return false;
  const after = Date.parse(returned.metadata.creationTimestamp) - Date.parse(from.time);
  return after >= -precisionMs && after <= graceMs;
}

/**
 * Whether one resource takes the record over when the other is deleted: both belong to one namespace, and nothing of it
 * says otherwise.
 */
export function takesOver(other: GatewayCustomer, from: GatewayCustomer): boolean {
  const { metadata, spec } = other;
  return (
    metadata.uid !== from.metadata.uid &&
    metadata.namespace === from.metadata.namespace &&
    metadata.deletionTimestamp === undefined &&
    spec.adoptionPolicy !== 'Refuse'
  );
}

/** Older is less. */
export function age({ metadata }: GatewayCustomer): string {
  return `${metadata.creationTimestamp} ${metadata.uid}`;
}
