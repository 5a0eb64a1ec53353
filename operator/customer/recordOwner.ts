/** The owner of a record that the gateway reports, from its link to a budget row and from the resource's ownership. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import {
  budgetRowId,
  type Field,
  isLimit,
  type ObservedCustomer,
  customerFieldsStrategy,
  resourceOfRow,
  type Strategy,
} from '../gateway/gateway.ts';
import { instanceKeyOf, mayAdopt } from '../connection/connection.ts';
import type { Claim, Ownership } from '../external/external.ts';
import type { Dependencies } from './dependencies.ts';
import { type Inheritance, ownerOfRow } from './succession.ts';

/**
 * - `thisResource`: created, adopted or taken over by it, or free to adopt.
 * - `anotherResource`: linked to the budget row of another resource, which remains the owner.
 * - `refused`: of unknown origin, or of a resource that this cluster does not have, and this resource may not adopt it.
 */
export type RecordOwner = 'thisResource' | 'anotherResource' | 'refused';

/** The input of the decision. */
export interface RecordOwnerInput {
  readonly claim: Claim<GatewayCustomer, Field>;
  readonly inheritance: Inheritance;
  readonly strategy: Strategy;
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
  const { claim, inheritance, strategy, lostCreation } = input;
  const { ownership } = claim;
  const foreignRow = linkedResource(customer, observed);
  const isForeign = foreignRow !== undefined && !inheritance.rows.includes(budgetRowId(foreignRow));
  if (isForeign) {
    const owner = ownerOfRow(dependencies, foreignRow);
    // A record that this resource owned, and that is linked to a resource of another cluster now, is used there.
    const isTaken = owner === undefined ? ownership.state === 'owned' : !claim.outranks(owner);
    if (isTaken) return 'anotherResource';
    const instance = instanceKeyOf(customer);
    const { namespace } = customer.metadata;
    if (owner === undefined && !mayAdopt(dependencies.instances.get(instance), instance, namespace)) return 'refused';
  }
  const created = ownership.state === 'pending' && !isForeign && !lostCreation && provesCreation(strategy, ownership);
  const own = ownership.state === 'owned' || created || isLinked(customer, observed) || inheritance.record;
  return own || dependencies.claims.adoptionPolicy(customer) === 'Adopt' ? 'thisResource' : 'refused';
}

/**
 * Whether the announcement of a creation proves that an existing record is the resource's own. After a crash, an
 * unlinked record of a resource that would be linked was created by another client. A mark of a restored resource is
 * older than a crash, and its link may have been removed since.
 */
function provesCreation(strategy: Strategy, ownership: Ownership<Field>): boolean {
  return ownership.restoredFrom !== undefined || !wouldBeLinked(strategy, ownership);
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
export function wouldBeLinked(strategy: Strategy, { fields }: Ownership<Field>): boolean {
  return strategy !== customerFieldsStrategy && !fields.has('budgetId') && [...fields].some(isLimit);
}
