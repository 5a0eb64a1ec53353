/** How customers claim records. Pure. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { admits } from '../connection/connection.ts';
import { type ClaimRules, isForeign, type Outcome } from '../external/external.ts';
import { allFields, type Field } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';

/** See `status.ownership` of a GatewayCustomer. */
export type OwnershipStatus = NonNullable<NonNullable<GatewayCustomer['status']>['ownership']>;

/** The status records a record by its hash. A mark announces a creation, unless the status says that the record is foreign. */
export const customerClaims: ClaimRules<GatewayCustomer, Field> = {
  markKind: 'GatewayCustomer',
  idOf: ({ spec }) => spec.customerId,
  isAdmitted: (instance, { metadata, spec }) => admits(instance, metadata.namespace, spec.customerId),
  adoptsOnlyAtInstance: false,
  stateOf({ specHash, ownership, appliedFields }, marked) {
    if (specHash !== undefined) return 'owned';
    return (isForeign(ownership) ? appliedFields !== undefined : marked) ? 'pending' : 'none';
  },
  fields: allFields,
};

/** The ownership in the status after a reconcile. */
export function nextOwnership(
  customer: GatewayCustomer,
  { ownership, reason }: { readonly ownership?: OwnershipStatus | undefined; readonly reason: Outcome['reason'] },
): OwnershipStatus | undefined {
  const before = customer.status?.ownership;
  if (isObserveOnly(customer)) return 'Observed';
  const isNotAllowed = reason === 'NamespaceNotAllowed' || reason === 'CustomerIdNotAllowed';
  // If a resource that owns nothing loses its permission, its ownership does not change.
  if (isNotAllowed) return isForeign(before) ? before : 'NotAllowed';
  return ownership ?? before;
}
