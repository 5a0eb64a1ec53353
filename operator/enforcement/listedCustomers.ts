/** Which customers the list of an instance contains. Pure. */
import type { GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { admits, type GatewayIdentity } from '../connection/connection.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { customerPolicyKey } from '../policy/policy.ts';
import { keyText, type Index, type Lister } from '../runtime/runtime.ts';
import { restrictsAccess } from './accessRules.ts';

/** The sources of {@link listedCustomers}. */
export interface CustomerSources {
  readonly identity: GatewayIdentity;
  readonly instances: Pick<Lister<GatewayInstance>, 'get'>;
  /** Customers by the instance that they refer to. */
  readonly byInstance: Index<GatewayCustomer>;
}

/**
 * The customers in the list of an instance: those of this instance, which it admits, whose resource owns their record at
 * the gateway that the instance names now. Resources of other instances decide nothing, not even at the same gateway:
 * their admins may be others. A resource that only observes its record makes the customer known, without rules.
 */
export function listedCustomers(
  { identity, byInstance }: Pick<CustomerSources, 'identity' | 'byInstance'>,
  instance: GatewayInstance,
): readonly GatewayCustomer[] {
  const listsAll = instance.spec.unknownCustomers === 'Block';
  const address = identity.addressOfInstance(instance);
  const listed = byInstance.get(keyText(instance.metadata)).filter((customer) => {
    const { metadata, spec, status } = customer;
    if (!isOwner(customer) && !isObserveOnly(customer)) return false;
    if (!admits(instance, metadata.namespace, spec.customerId) || identity.isElsewhere(status?.gateway, address)) {
      return false;
    }
    return listsAll || (isOwner(customer) && hasRules(customer));
  });
  // An owner precedes those that only observe. While a record changes its owner, two resources can own it according to
  // their statuses.
  const ordered = [...listed.filter((customer) => !isOwner(customer)), ...listed.filter(isOwner)];
  return [...new Map(ordered.map((customer) => [customer.spec.customerId, customer])).values()];
}

/** Whether the guardrail has rules for a customer. */
function hasRules(customer: GatewayCustomer): boolean {
  return restrictsAccess(customer.spec) || customerPolicyKey(customer) !== undefined;
}

/** Whether a resource owns the record of its customer. */
export function isOwner({ status }: GatewayCustomer): boolean {
  return status?.ownership === 'Owned';
}

/** Whether a change of a customer can change a list. */
export function changesList(before: GatewayCustomer, after: GatewayCustomer): boolean {
  const relevant = ({ metadata, spec, status }: GatewayCustomer): string =>
    JSON.stringify([
      ...[metadata.uid, spec.blocked, spec.allowedCallers, spec.guardrailPolicyRef, spec.managementPolicy],
      ...[status?.ownership, status?.gateway],
    ]);
  return relevant(before) !== relevant(after);
}
