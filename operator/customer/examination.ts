/** Compares the gateway's record of a customer with its spec: what it needs. Pure. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { type GatewayConnection, instanceKeyOf, mayAdopt } from '../connection/connection.ts';
import type { Claim, Comparison, Ownership } from '../external/external.ts';
import {
  budgetRowId,
  customerFieldsStrategy,
  type Field,
  type Fields,
  isLimit,
  type ObservedCustomer,
  resourceOfRow,
  type Strategy,
  type SupportedFields,
} from '../gateway/gateway.ts';
import type { Dependencies } from './dependencies.ts';
import { type Drift, driftOf } from './desired.ts';
import { unappliedFields } from './fullyApplied.ts';
import { type Inheritance, ownerOfRow } from './succession.ts';

/** The inputs of one sync. */
export interface Sync {
  readonly dependencies: Dependencies;
  readonly connection: GatewayConnection;
  /** The canonical address of the gateway. */
  readonly address: string;
  readonly strategy: Strategy;
  readonly desired: Fields;
  readonly specHash: string;
  readonly claim: Claim<GatewayCustomer, Field>;
  readonly inheritance: Inheritance;
  /** The sync request that this sync handles. A later one is left to the next sync. */
  readonly syncRequest: string | undefined;
  /** Whether another client created the record while this sync was creating it. */
  readonly lostCreation: boolean;
}

/** The desired record, compared with the observed one. */
export interface CustomerComparison extends Comparison {
  readonly observed: ObservedCustomer;
  readonly supported: SupportedFields;
  /** The fields that the operator has set before. */
  readonly applied: ReadonlySet<Field>;
  readonly drift: Drift;
  /** The budget row of another resource, which the record's own row replaces. */
  readonly replaces: string | undefined;
}

/** What a record that belongs to this resource needs. */
export function examine(run: Sync, customer: GatewayCustomer, observed: ObservedCustomer): CustomerComparison {
  const { strategy, desired, inheritance } = run;
  const { ownership } = run.claim;
  const applied = new Set([...(isUntouched(run) ? [] : ownership.fields), ...inheritance.fields]);
  const supported = strategy.supportedFields(desired, applied, observed);
  const values = strategy.observedValues(observed, supported.fields);
  const drift = driftOf(supported.fields, applied, values, observed.reported);
  const specChanged = ownership.state === 'owned' && customer.status?.specHash !== run.specHash;
  const foreignRow = linkedResource(customer, observed);
  const replaces = foreignRow === undefined ? inheritance.replaces : budgetRowId(foreignRow);
  const isUpToDate = replaces === undefined && !mustWrite(run, customer, observed, { drift, specChanged });
  return { observed, supported, applied, drift, specChanged, replaces, isUpToDate };
}

/** Whether this resource has set no field of the record. Announced fields do not count. */
export function isUntouched({ claim: { ownership }, lostCreation }: Sync): boolean {
  return ownership.state === 'none' || (ownership.state === 'pending' && lostCreation);
}

function mustWrite(
  { claim: { ownership }, strategy, syncRequest }: Sync,
  customer: GatewayCustomer,
  observed: ObservedCustomer,
  { drift, specChanged }: Pick<CustomerComparison, 'drift' | 'specChanged'>,
): boolean {
  // If a budget row was created before a crash, only the link to it is known.
  const leftover =
    ownership.state === 'pending' &&
    ownership.restoredFrom === undefined &&
    strategy !== customerFieldsStrategy &&
    !isLinked(customer, observed);
  if (leftover || specChanged || drift.differs.length > 0) return true;
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
