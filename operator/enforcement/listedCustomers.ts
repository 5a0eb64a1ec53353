/** Which customers the list of an instance contains. Pure. */
import type { GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { admits, instanceKeyOf, instancesOfGateway, type KnownInstances } from '../connection/connection.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { customerPolicyKey } from '../policy/policy.ts';
import { keyText, type Index, type ObjectKey } from '../runtime/runtime.ts';
import { restrictsAccess } from './accessRules.ts';

/** The sources of {@link listedCustomers}. */
export interface CustomerSources extends KnownInstances {
  /** Customers by the instance that they refer to. */
  readonly byInstance: Index<GatewayCustomer>;
}

/**
 * The customers in the list of an instance: those whose resource owns their record at the instance's gateway, through
 * whichever instance of that gateway. A resource that owns nothing, or that its instance does not admit, decides nothing
 * about a customer of somebody else. A resource that only observes its record makes the customer known, without rules.
 */
export function listedCustomers(sources: CustomerSources, instance: GatewayInstance): readonly GatewayCustomer[] {
  const listsAll = instance.spec.unknownCustomers === 'Block';
  const owners = instancesOfGateway(sources, instance.metadata).flatMap((key) => customersOf(sources, key));
  const listed = owners.filter((customer) => listsAll || (isOwner(customer) && hasRules(customer)));
  // An owner precedes those that only observe. While a record changes its owner, two resources can own it according to
  // their statuses.
  const ordered = [...listed.filter((customer) => !isOwner(customer)), ...listed.filter(isOwner)];
  return [...new Map(ordered.map((customer) => [customer.spec.customerId, customer])).values()];
}

/** Whether the guardrail has rules for a customer. */
function hasRules(customer: GatewayCustomer): boolean {
  return restrictsAccess(customer.spec) || customerPolicyKey(customer) !== undefined;
}

function customersOf({ instances, byInstance }: CustomerSources, key: ObjectKey): readonly GatewayCustomer[] {
  const instance = instances.get(key);
  if (instance === undefined) return [];
  return byInstance.get(keyText(key)).filter((customer) => {
    const { metadata, spec } = customer;
    return (isOwner(customer) || isObserveOnly(customer)) && admits(instance, metadata.namespace, spec.customerId);
  });
}

/** Whether a resource owns the record of its customer. */
export function isOwner({ status }: GatewayCustomer): boolean {
  return status?.ownership === 'Owned';
}

/** The instances whose lists a customer can be in. */
export function listsOf(sources: KnownInstances, customer: GatewayCustomer): readonly ObjectKey[] {
  return instancesOfGateway(sources, instanceKeyOf(customer));
}

/** Whether a change of a customer can change a list. */
export function changesList(before: GatewayCustomer, after: GatewayCustomer): boolean {
  const relevant = ({ metadata, spec, status }: GatewayCustomer): string =>
    JSON.stringify([
      ...[metadata.uid, spec.blocked, spec.allowedCallers, spec.guardrailPolicyRef, spec.managementPolicy],
      status?.ownership,
    ]);
  return relevant(before) !== relevant(after);
}
