/** Compares the gateway's record of a customer with its spec: what it needs. Pure. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import type { Claim, Comparison } from '../external/external.ts';
import type { Field, Fields, ObservedCustomer, Strategy, SupportedFields } from '../gateway/gateway.ts';
import { budgetRowId, customerFieldsStrategy } from '../gateway/gateway.ts';
import type { Dependencies } from './dependencies.ts';
import { type Drift, driftOf } from './drift.ts';
import { unappliedFields } from './fullyApplied.ts';
import { isLinked, linkedResource } from './recordOwner.ts';
import type { Inheritance } from './succession.ts';

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
