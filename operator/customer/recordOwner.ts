/** The owner of a record that the gateway reports, from its link to a budget row and from the resource's ownership. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import {
  budgetRowId,
  isLimit,
  type ObservedCustomer,
  customerFieldsStrategy,
  resourceOfRow,
  type Strategy,
} from '../gateway/gateway.ts';
import { isOutranked, ownerOfRow } from './claimants.ts';
import type { Dependencies } from './dependencies.ts';
import { adoptionPolicyOf, type Ownership } from './ownership.ts';
import type { Inheritance } from './succession.ts';

/**
 * - `thisResource`: created, adopted or taken over by it, or free to adopt.
 * - `anotherResource`: linked to the budget row of another resource, which remains the owner.
 * - `refused`: of unknown origin, and the adoption policy is to refuse such a record.
 */
export type RecordOwner = 'thisResource' | 'anotherResource' | 'refused';

/** The input of the decision. */
export interface RecordOwnerInput {
  readonly ownership: Ownership;
  readonly inheritance: Inheritance;
  readonly strategy: Strategy;
  /** The namespace of the instance. */
  readonly instanceNamespace: string;
  /** Whether another client created the record while this sync was creating it. */
  readonly lostCreation: boolean;
}

/** Determines the owner of a record. */
export function recordOwner(
  dependencies: Dependencies,
  customer: GatewayCustomer,
  observed: ObservedCustomer,
  input: RecordOwnerInput,
): RecordOwner {
  const foreignRow = linkedResource(customer, observed);
  if (foreignRow !== undefined && !mayReplace(dependencies, customer, foreignRow, input)) return 'anotherResource';
  const { ownership, inheritance, strategy, lostCreation } = input;
  const created = ownership.state === 'pending' && !lostCreation && !wouldBeLinked(strategy, ownership);
  const own = ownership.state === 'owned' || created || isLinked(customer, observed) || inheritance.record;
  return own || adoptionPolicyOf(customer) === 'Adopt' ? 'thisResource' : 'refused';
}

/** The uid of the other resource that owns the linked budget row. */
export function linkedResource({ metadata }: GatewayCustomer, { budgetId }: ObservedCustomer): string | undefined {
  const uid = resourceOfRow(budgetId);
  return uid === metadata.uid ? undefined : uid;
}

/** Whether the record is linked to the resource's own budget row. */
export function isLinked({ metadata }: GatewayCustomer, { budgetId }: ObservedCustomer): boolean {
  return budgetId === budgetRowId(metadata.uid);
}

/**
 * Whether a record that this resource announced is linked to the resource's own budget row. If so, an unlinked record was
 * created by another client.
 */
export function wouldBeLinked(strategy: Strategy, { fields }: Ownership): boolean {
  return strategy !== customerFieldsStrategy && !fields.has('budgetId') && [...fields].some(isLimit);
}

/**
 * Whether a record that is linked to another resource's budget row may be taken over. A resource in this cluster must
 * have transferred it or have less precedence. If the resource is not in this cluster, for example after the loss of a
 * cluster, the takeover is possible only in the namespace of the instance, and not if this resource already owned the
 * record: then another cluster uses it.
 */
function mayReplace(
  dependencies: Dependencies,
  customer: GatewayCustomer,
  uid: string,
  { inheritance, ownership, instanceNamespace }: RecordOwnerInput,
): boolean {
  if (inheritance.rows.includes(budgetRowId(uid))) return true;
  const owner = ownerOfRow(dependencies, uid);
  if (owner !== undefined) return isOutranked(dependencies, customer, owner);
  return ownership.state !== 'owned' && customer.metadata.namespace === instanceNamespace;
}
