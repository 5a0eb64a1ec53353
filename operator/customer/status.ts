/** What a customer's status says. Pure: the reconcile writes what comes out, if it is anything new. */
import { isDeepStrictEqual } from 'node:util';
import type { Condition, GatewayCustomer, GatewayCustomerStatus } from '../api/v1alpha1/v1alpha1.ts';
import { currentCondition, nextCondition } from '../conditions/conditions.ts';
import type { Field, ObservedCustomer, Unenforced } from '../gateway/gateway.ts';
import type { CustomerConditionReason, CustomerConditionType } from '../conditions/conditions.ts';
import type { Drift } from './drift.ts';

export type SyncedReason = CustomerConditionReason<'Synced'>;

/** How a reconcile ended, as far as the status tells. */
export interface SyncOutcome {
  readonly synced: boolean;
  readonly reason: SyncedReason;
  readonly message: string;
  /** What the gateway reported last; undefined: it was not asked, and what was known of it stays. */
  readonly observed?: ObservedCustomer | undefined;
  /** The state of the fields, where it is known. */
  readonly applied?: AppliedState | undefined;
  /** Whether a successful sync changed something at the gateway. */
  readonly wrote?: boolean;
  /** The sync request that has been acted on. */
  readonly syncRequest?: string | undefined;
}

/** Which fields the gateway took. */
export interface AppliedState {
  /** Digest of the gateway's address. */
  readonly gateway?: string | undefined;
  readonly specHash: string;
  readonly fields: readonly Field[];
  readonly drift: Drift;
  /** The budget whose other limits were copied when the record was adopted, as long as some of them hold. */
  readonly copiedBudget?: string | undefined;
  /** Fields that cannot be held beside others of the spec. */
  readonly unsupported: readonly Field[];
  /** Fields that the gateway holds and does not act on. */
  readonly unenforced: readonly Unenforced[];
}

/** The condition of a type, if there is one. */
export function conditionOf(customer: GatewayCustomer, type: CustomerConditionType): Condition | undefined {
  return currentCondition(customer, type);
}

/** Whether this is how a sync ends that finds the record to be somebody else's. */
export function saysSomebodyElses(reason: string | undefined): boolean {
  return reason === 'Conflict' || reason === 'AlreadyExists';
}

/** An unchanged customer has its time of the last sync written again when that is older than this, in milliseconds. */
const lastSyncKeptMs = 60 * 60_000;

/**
 * The time of the last sync moves only with a success: one that changed this status or wrote at the gateway, and one that
 * found nothing to do where the time is older than an hour. So it is never wrong by more than that, and costs an idle
 * customer one write an hour.
 * @returns the status after an outcome; the very object of before where nothing changed
 */
export function nextStatus(customer: GatewayCustomer, outcome: SyncOutcome, now: Date): GatewayCustomerStatus {
  const before = customer.status ?? {};
  const { appliedFields: announced, ...unannounced } = before;
  // What is in sync has nothing left of what it replaced.
  const { replacesBudget: _replaced, copiedBudget: _copied, ...settled } = before;
  // What was announced and never came about must not look as if it had, later on.
  const dropped = announced !== undefined && before.specHash === undefined && saysSomebodyElses(outcome.reason);
  const { generation } = customer.metadata;
  const { observed, applied } = outcome;
  const synced = condition(customer, now, 'Synced', outcome.synced ? 'True' : 'False', outcome.reason, outcome.message);
  const after: GatewayCustomerStatus = {
    ...(dropped ? unannounced : outcome.applied === undefined ? before : settled),
    synced: outcome.synced,
    observedGeneration: generation,
    ...(observed === undefined ? {} : { blocked: observed.blocked }),
    ...(observed?.spend === undefined ? {} : { currentSpend: observed.spend }),
    ...(applied === undefined ? {} : { specHash: applied.specHash, appliedFields: [...applied.fields] }),
    ...(applied?.gateway === undefined ? {} : { gateway: applied.gateway }),
    ...(applied?.copiedBudget === undefined ? {} : { copiedBudget: applied.copiedBudget }),
    ...(outcome.syncRequest === undefined ? {} : { lastHandledSyncRequest: outcome.syncRequest }),
    conditions: [synced, fullyApplied(customer, now, applied)],
  };
  const changed = !isDeepStrictEqual(after, before);
  if (outcome.synced && (changed || outcome.wrote === true || isOutdated(before.lastSyncTime, now))) {
    return { ...after, lastSyncTime: now.toISOString() };
  }
  return changed ? after : before;
}

/** Also where the time lies ahead, since the clock was put back. */
function isOutdated(time: string | undefined, now: Date): boolean {
  const age = now.getTime() - Date.parse(time ?? '');
  return !(age >= 0 && age < lastSyncKeptMs);
}

function fullyApplied(customer: GatewayCustomer, now: Date, applied: AppliedState | undefined): Condition {
  const before = conditionOf(customer, 'FullyApplied');
  if (applied === undefined) {
    if (before?.observedGeneration === customer.metadata.generation) return before;
    return condition(customer, now, 'FullyApplied', 'Unknown', 'NotSynced', 'This spec has not been synced yet.');
  }
  const { status, reason, message } = fieldState(applied);
  return condition(customer, now, 'FullyApplied', status, reason, message);
}

/** What the condition FullyApplied says of the fields. */
function fieldState({ drift, unsupported, unenforced, copiedBudget }: AppliedState): {
  readonly status: 'True' | 'False';
  readonly reason: CustomerConditionReason<'FullyApplied'>;
  readonly message: string;
} {
  const { unheld, uncleared } = drift;
  const remedies = unenforced.map(({ field, remedy }) => `for ${field}, ${remedy}`).join('; ');
  const faults = [
    {
      reason: 'FieldsNotSupported',
      holds: unheld.length > 0,
      message: `The gateway does not support ${unheld.join(', ')}: remove ${them(unheld)} from the spec, or accept that ${them(unheld, 'it has', 'they have')} no effect.`,
    },
    {
      reason: 'FieldsNotSupported',
      holds: unsupported.length > 0,
      message: `The tier of budgetId has the limits, so that ${unsupported.join(', ')} ${them(unsupported, 'has', 'have')} no effect: remove ${them(unsupported)} from the spec, or replace budgetId by limits of the customer's own.`,
    },
    {
      reason: 'FieldsNotCleared',
      holds: uncleared.length > 0,
      message: `The gateway does not clear ${uncleared.join(', ')}: set another value, or clear ${them(uncleared)} at the gateway.`,
    },
    {
      reason: 'FieldsNotEnforced',
      holds: unenforced.length > 0,
      message: `The gateway records ${unenforced.map(({ field }) => field).join(', ')} but does not enforce ${them(unenforced)}, so that calls are served as if ${them(unenforced, 'it were', 'they were')} not set: ${remedies}.`,
    },
  ] as const;
  const found = faults.filter(({ holds }) => holds);
  const [first] = found;
  const copied =
    copiedBudget === undefined
      ? []
      : [
          `The limits that the spec does not name were copied from budget ${copiedBudget}, and do not follow its changes: to have them follow, set budgetId to ${copiedBudget} instead of limits; otherwise name each limit in the spec.`,
        ];
  if (first === undefined) {
    const reason = copiedBudget === undefined ? 'AllFieldsApplied' : 'LimitsCopied';
    return { status: 'True', reason, message: ['The gateway applies all fields of the spec.', ...copied].join(' ') };
  }
  return {
    status: 'False',
    reason: first.reason,
    message: [...found.map((fault) => fault.message), ...copied].join(' '),
  };
}

function them(fields: readonly unknown[], one = 'it', many = 'them'): string {
  return fields.length === 1 ? one : many;
}

/** Whether the status says exactly this of the fields of the spec as it is now. */
export function saysOfFields(customer: GatewayCustomer, applied: AppliedState): boolean {
  const told = conditionOf(customer, 'FullyApplied');
  return told?.observedGeneration === customer.metadata.generation && told.message === fieldState(applied).message;
}

function condition<Type extends CustomerConditionType>(
  customer: GatewayCustomer,
  now: Date,
  type: Type,
  status: Condition['status'],
  reason: CustomerConditionReason<Type>,
  message: string,
): Condition {
  return nextCondition(customer, now, { type, status, reason, message });
}
