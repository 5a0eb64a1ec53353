/** What the status of a customer says of its record, and the status after a reconcile. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Condition, GatewayCustomer, GatewayCustomerStatus } from '../api/v1alpha1/v1alpha1.ts';
import {
  currentCondition,
  type CustomerConditionReason,
  type CustomerConditionType,
  needsUser,
  nextCondition,
  nextReason,
  readyConditions,
} from '../conditions/conditions.ts';
import { admits } from '../connection/connection.ts';
import {
  type ClaimRules,
  isDecided,
  isForeign,
  type Outcome,
  type StatusGateway,
  withSyncTime,
} from '../external/external.ts';
import { allFields, type Field, type ObservedCustomer } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { type AppliedState, fullyApplied, unappliedFields } from './fullyApplied.ts';

/** How a reconcile of a customer ended. */
export interface SyncOutcome extends Outcome {
  readonly reason: CustomerConditionReason<'Synced'>;
  readonly ownership?: OwnershipStatus | undefined;
  /** The record as the gateway last reported it; undefined if the gateway was not called. */
  readonly observed?: ObservedCustomer | undefined;
  /** The state of the fields, if known. */
  readonly applied?: AppliedState | undefined;
  /** The budget that the gateway links to a customer that is only observed. */
  readonly linkedBudget?: string | undefined;
  /** The fields that another client had changed, and that the sync corrected; undefined if there were none. */
  readonly corrected?: readonly string[] | undefined;
}

/**
 * The status after an outcome.
 * @returns the same object if nothing changed
 */
export function nextStatus(
  customer: GatewayCustomer,
  outcome: SyncOutcome,
  now: Date,
  gateway: StatusGateway = { digest: undefined, isElsewhere: false },
): GatewayCustomerStatus {
  const before = customer.status ?? {};
  const { observed, applied } = outcome;
  const ownership = nextOwnership(customer, outcome);
  const after: GatewayCustomerStatus = {
    ...(isDecided(outcome) && gateway.isElsewhere ? statusWithoutRecord(before) : retained(customer, outcome)),
    synced: outcome.synced,
    observedGeneration: customer.metadata.generation,
    ...(observed === undefined ? {} : { blocked: observed.blocked }),
    ...(observed?.spend === undefined ? {} : { currentSpend: observed.spend }),
    ...(ownership === undefined ? {} : { ownership }),
    ...(isDecided(outcome) && gateway.digest !== undefined ? { gateway: gateway.digest } : {}),
    ...(outcome.linkedBudget === undefined ? {} : { budgetId: outcome.linkedBudget }),
    ...(applied === undefined ? {} : fieldsStatus(applied)),
    ...(outcome.syncRequest === undefined ? {} : { lastHandledSyncRequest: outcome.syncRequest }),
    conditions: conditionsOf(customer, outcome, now),
  };
  return withSyncTime(before, after, outcome, now);
}

/** Whether a status differs from that of a customer only in what changes while the record is used: spend, block and times. */
export function reportsOnlyUse({ status = {} }: GatewayCustomer, after: GatewayCustomerStatus): boolean {
  const { currentSpend: _spend, blocked: _blocked, lastSyncTime: _time, ...rest } = after;
  const { currentSpend: _spent, blocked: _wasBlocked, lastSyncTime: _before, ...restBefore } = status;
  return isDeepStrictEqual(rest, restBefore);
}

/** The fields of the previous status that an outcome leaves as they are. */
function retained(customer: GatewayCustomer, outcome: SyncOutcome): GatewayCustomerStatus {
  const before = customer.status ?? {};
  if (isObserveOnly(customer)) return retainedWhileObserved(before, outcome);
  if (outcome.applied !== undefined) {
    const {
      budgetId: _budget,
      replacesBudget: _replaced,
      copiedBudget: _copied,
      unappliedFields: _unapplied,
      ...rest
    } = before;
    return rest;
  }
  // A creation that was announced and never happened must not count as one later.
  if (before.specHash === undefined && isForeign(outcome.ownership)) {
    const { appliedFields: _announced, ...rest } = before;
    return rest;
  }
  return before;
}

/**
 * A resource that only observes has given up its record: if it manages again, the rules of adoption apply. Only what an
 * earlier observation found remains until the next one.
 */
function retainedWhileObserved(before: GatewayCustomerStatus, { observed }: SyncOutcome): GatewayCustomerStatus {
  const { budgetId } = before;
  const rest = statusWithoutRecord(before);
  return observed !== undefined || budgetId === undefined ? rest : { ...rest, budgetId };
}

/** A status without what it says about a record that the resource has given up. */
function statusWithoutRecord(before: GatewayCustomerStatus): GatewayCustomerStatus {
  const {
    specHash: _hash,
    appliedFields: _applied,
    unappliedFields: _unapplied,
    replacesBudget: _replaced,
    copiedBudget: _copied,
    tookOver: _tookOver,
    gateway: _gateway,
    budgetId: _budget,
    ...rest
  } = before;
  return rest;
}

function fieldsStatus(applied: AppliedState): Partial<GatewayCustomerStatus> {
  const unapplied = unappliedFields(applied.drift);
  return {
    specHash: applied.specHash,
    ...(applied.budgetId === undefined ? {} : { budgetId: applied.budgetId }),
    appliedFields: [...applied.fields],
    ...(unapplied.length === 0 ? {} : { unappliedFields: unapplied }),
    ...(applied.copiedBudget === undefined ? {} : { copiedBudget: applied.copiedBudget }),
  };
}

function conditionsOf(customer: GatewayCustomer, outcome: SyncOutcome, now: Date): Condition[] {
  const synced = syncedCondition(customer, outcome, now);
  const fully = fullyAppliedCondition(customer, outcome.applied, now);
  const { status, reason } = synced;
  const isStalled = needsUser(reason) && outcome.continues !== true;
  const ready = { status, reason, message: readyMessage(synced, fully) };
  return [synced, fully, ...readyConditions(customer, now, ready, isStalled ? ready : undefined)];
}

/**
 * A customer is Ready if it is synced, also if its gateway does not apply every field: what a gateway cannot do would
 * otherwise keep a client that waits for Ready waiting for ever.
 */
function readyMessage({ status, message }: Condition, fully: Condition): string {
  if (status !== 'True' || fully.status !== 'False') return message;
  return `${message} The gateway does not apply every field: see the condition FullyApplied.`;
}

function syncedCondition(customer: GatewayCustomer, { synced, reason, message }: SyncOutcome, now: Date): Condition {
  return condition(customer, now, 'Synced', {
    status: synced ? 'True' : 'False',
    reason: nextReason(customer, 'Synced', reason),
    message,
  });
}

function fullyAppliedCondition(customer: GatewayCustomer, applied: AppliedState | undefined, now: Date): Condition {
  if (applied !== undefined) return condition(customer, now, 'FullyApplied', fullyApplied(applied));
  if (isObserveOnly(customer)) {
    const message = 'The operator only observes the record and applies no field.';
    return condition(customer, now, 'FullyApplied', { status: 'Unknown', reason: 'Observed', message });
  }
  const before = conditionOf(customer, 'FullyApplied');
  if (before?.observedGeneration === customer.metadata.generation) return before;
  const message = 'This spec has not been synced yet.';
  return condition(customer, now, 'FullyApplied', { status: 'Unknown', reason: 'NotSynced', message });
}

function condition<Type extends 'Synced' | 'FullyApplied'>(
  customer: GatewayCustomer,
  now: Date,
  type: Type,
  state: {
    readonly status: Condition['status'];
    readonly reason: CustomerConditionReason<Type>;
    readonly message: string;
  },
): Condition {
  return nextCondition(customer, now, { type, ...state });
}

/** The condition of a type, if the customer has one. */
export function conditionOf(customer: GatewayCustomer, type: CustomerConditionType): Condition | undefined {
  return currentCondition(customer, type);
}

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
