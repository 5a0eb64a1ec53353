/** How the record of a customer differs from its spec, and to whom it belongs: what a sync must do. Pure. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { type Claim, type Comparison, hashOf, type Ownership } from '../external/external.ts';
import {
  budgetRowId,
  customerFieldsStrategy,
  type Drift,
  driftOf,
  type Field,
  type Fields,
  isLimit,
  type ObservedCustomer,
  resourceOfRow,
  type Strategy,
  type SupportedFields,
  unappliedFields,
} from '../gateway/gateway.ts';

/**
 * A hash of the desired fields.
 * @param tierChange when the operator last changed the customer's tier. LiteLLM caches the limits with the customer, for
 *   as long as the customer makes a call each minute. Only a write of the customer invalidates the cache.
 */
export function specHash(desired: Fields, tierChange?: string): string {
  return hashOf({ ...desired, ...(tierChange === undefined ? {} : { tierChange }) });
}

/** What a customer's sync compares by. */
export interface CustomerSync {
  readonly customer: GatewayCustomer;
  readonly claim: Claim<GatewayCustomer, Field>;
  /** What becomes of an existing record of unknown origin. */
  readonly policy: 'Adopt' | 'Refuse';
  /** Whether the instance lets the resource adopt records of resources that this cluster does not have. */
  readonly mayAdopt: boolean;
  /** The resource that a budget row belongs to, by its uid. */
  readonly ownerOfRow: (uid: string) => GatewayCustomer | undefined;
  readonly strategy: Strategy;
  readonly desired: Fields;
  readonly specHash: string;
  readonly inheritance: Inheritance;
  /** The sync request that this sync handles. */
  readonly syncRequest: string | undefined;
  /** Whether another client created the record while this sync was creating it. */
  readonly lostCreation: boolean;
}

/** The inheritance of a resource from other resources of its namespace. */
export interface Inheritance {
  /** Whether this resource takes over the record. */
  readonly record: boolean;
  /** The budget row of the previous owner, which this resource's own row replaces. */
  readonly replaces: string | undefined;
  /** The budget rows that the record may be linked to. */
  readonly rows: readonly string[];
  /** The fields that the other resources have set. */
  readonly fields: readonly Field[];
}

/** The desired record, compared with the observed one. */
export interface CustomerComparison extends Comparison {
  readonly observed: ObservedCustomer;
  readonly supported: SupportedFields;
  /** The fields that the operator has set before. */
  readonly applied: ReadonlySet<Field>;
  /** The budget row of another resource, which the record's own row replaces. */
  readonly replaces: string | undefined;
}

/** What a record that belongs to this resource needs. */
export function compare(sync: CustomerSync, observed: ObservedCustomer): CustomerComparison {
  const { customer, strategy, desired, inheritance } = sync;
  const { ownership } = sync.claim;
  const applied = new Set([...(isUntouched(sync) ? [] : ownership.fields), ...inheritance.fields]);
  const supported = strategy.supportedFields(desired, applied, observed);
  const drift = driftOf(
    supported.fields,
    applied,
    strategy.observedValues(observed, supported.fields),
    observed.reported,
  );
  const specChanged = ownership.state === 'owned' && customer.status?.specHash !== sync.specHash;
  const foreignRow = linkedResource(customer, observed);
  const replaces = foreignRow === undefined ? inheritance.replaces : budgetRowId(foreignRow);
  return {
    ...{ observed, supported, applied, specChanged, replaces },
    differs: drift.differs,
    changes: [...drift.differs, ...drift.uncleared, ...drift.unreported],
    isUpToDate: replaces === undefined && !specChanged && !mustWrite(sync, observed, drift),
  };
}

/** Whether this resource has set no field of the record. Announced fields do not count. */
export function isUntouched({ claim: { ownership }, lostCreation }: CustomerSync): boolean {
  return ownership.state === 'none' || (ownership.state === 'pending' && lostCreation);
}

function mustWrite(
  { customer, claim: { ownership }, strategy, syncRequest }: CustomerSync,
  observed: ObservedCustomer,
  drift: Drift,
): boolean {
  // If a budget row was created before a crash, only the link to it is known.
  const leftover =
    ownership.state === 'pending' &&
    ownership.restoredFrom === undefined &&
    strategy !== customerFieldsStrategy &&
    !isLinked(customer, observed);
  if (leftover || drift.differs.length > 0) return true;
  const unapplied = unappliedFields(drift);
  if (unapplied.length === 0) return false;
  // A field that the gateway does not store or clear is sent until the status reports it, and again on a sync request.
  const reported = customer.status?.unappliedFields ?? [];
  const known = unapplied.length === reported.length && unapplied.every((field) => reported.includes(field));
  return !known || syncRequest !== undefined;
}

/**
 * - `thisResource`: created, adopted or taken over by it, or free to adopt.
 * - `anotherResource`: linked to the budget row of another resource, which remains the owner.
 * - `refused`: of unknown origin, or of a resource that this cluster does not have, and this resource may not adopt it.
 */
export type RecordOwner = 'thisResource' | 'anotherResource' | 'refused';

/** Determines the owner of a record. */
export function recordOwner(sync: CustomerSync, observed: ObservedCustomer): RecordOwner {
  const { customer, claim, policy, inheritance, strategy, lostCreation } = sync;
  const { ownership } = claim;
  const foreignRow = linkedResource(customer, observed);
  const isForeign = foreignRow !== undefined && !inheritance.rows.includes(budgetRowId(foreignRow));
  if (isForeign) {
    const owner = sync.ownerOfRow(foreignRow);
    // A record that this resource owned, and that is linked to a resource of another cluster now, is used there.
    const isTaken = owner === undefined ? ownership.state === 'owned' : !claim.outranks(owner);
    if (isTaken) return 'anotherResource';
    if (owner === undefined && !sync.mayAdopt) return 'refused';
  }
  const created = ownership.state === 'pending' && !isForeign && !lostCreation && provesCreation(strategy, ownership);
  const own = ownership.state === 'owned' || created || isLinked(customer, observed) || inheritance.record;
  return own || policy === 'Adopt' ? 'thisResource' : 'refused';
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
