/** Compares the gateway's record of a customer with its spec: who owns the record, and what it needs. Pure. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import type { Field, Fields, GatewayClient, ObservedCustomer, Strategy, SupportedFields } from '../gateway/gateway.ts';
import { budgetRowId, customerFieldsStrategy } from '../gateway/gateway.ts';
import type { Dependencies } from './dependencies.ts';
import type { Drift } from './drift.ts';
import { driftOf } from './drift.ts';
import type { Claim, Run, SyncAction } from '../external/external.ts';
import { unappliedFields } from './fullyApplied.ts';
import { isLinked, linkedResource, type RecordOwner, recordOwner } from './recordOwner.ts';
import type { Inheritance } from './succession.ts';
import { adoptedAction } from './syncOutcomes.ts';

/** One sync: its inputs and its first observation. */
export interface Sync {
  readonly dependencies: Dependencies;
  readonly current: Run<GatewayCustomer, Field>;
  readonly connection: GatewayConnection;
  /** The canonical address of the gateway. */
  readonly address: string;
  readonly client: GatewayClient;
  readonly strategy: Strategy;
  readonly signal: AbortSignal;
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
export interface Comparison {
  readonly supported: SupportedFields;
  /** The fields that the operator has set before. */
  readonly applied: ReadonlySet<Field>;
  readonly drift: Drift;
  readonly specChanged: boolean;
}

/** The owner of the record that the gateway reports. */
export function ownerOfRecord(run: Sync, customer: GatewayCustomer, observed: ObservedCustomer): RecordOwner {
  return recordOwner(run.dependencies, customer, observed, run);
}

/** What a record that belongs to this resource needs. */
export function examine(
  run: Sync,
  customer: GatewayCustomer,
  observed: ObservedCustomer,
): {
  readonly comparison: Comparison;
  readonly action: SyncAction | undefined;
  readonly replaces: string | undefined;
  readonly isUpToDate: boolean;
} {
  const comparison = compare(run, customer, observed);
  const foreignRow = linkedResource(customer, observed);
  const replaces = foreignRow === undefined ? run.inheritance.replaces : budgetRowId(foreignRow);
  return {
    ...{ comparison, replaces },
    action: adoptedAction(run.claim.ownership, isLinked(customer, observed)),
    isUpToDate: replaces === undefined && !mustWrite(run, customer, observed, comparison),
  };
}

function compare(run: Sync, customer: GatewayCustomer, observed: ObservedCustomer): Comparison {
  const { strategy, desired, inheritance } = run;
  const { ownership } = run.claim;
  const applied = new Set([...(isUntouched(run) ? [] : ownership.fields), ...inheritance.fields]);
  const supported = strategy.supportedFields(desired, applied, observed);
  return {
    ...{ supported, applied },
    drift: driftOf(supported.fields, applied, strategy.observedValues(observed, supported.fields), observed.reported),
    specChanged: ownership.state === 'owned' && customer.status?.specHash !== run.specHash,
  };
}

/** Whether this resource has set no field of the record. Announced fields do not count. */
export function isUntouched({ claim: { ownership }, lostCreation }: Sync): boolean {
  return ownership.state === 'none' || (ownership.state === 'pending' && lostCreation);
}

function mustWrite(
  { claim: { ownership }, strategy, syncRequest }: Sync,
  customer: GatewayCustomer,
  observed: ObservedCustomer,
  { drift, specChanged }: Comparison,
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
