/** What a customer's status says. Pure: the reconcile writes what comes out, if it is anything new. */
import { isDeepStrictEqual } from 'node:util';
import type { Condition, GatewayCustomer, GatewayCustomerStatus } from '../api/v1alpha1/v1alpha1.ts';
import { currentCondition, nextCondition } from '../conditions.ts';
import type { Field, Observed } from '../gateway/gateway.ts';
import type { CustomerConditionReason, CustomerConditionType } from '../reasons.ts';
import type { Drift } from './drift.ts';

export type SyncedReason = CustomerConditionReason<'Synced'>;

/** How a reconcile ended, as far as the status tells. */
export interface SyncOutcome {
  readonly synced: boolean;
  readonly reason: SyncedReason;
  readonly message: string;
  /** What the gateway reported last; undefined: it was not asked, and what was known of it stays. */
  readonly observed?: Observed | undefined;
  /** The state of the fields, where it is known. */
  readonly applied?: AppliedState | undefined;
  /** Whether a successful sync changed something at the gateway. */
  readonly wrote?: boolean;
  /** The sync request that has been acted on. */
  readonly syncRequest?: string | undefined;
}

/** Which fields the gateway took. */
export interface AppliedState {
  readonly specHash: string;
  readonly fields: readonly Field[];
  readonly drift: Drift;
  /** Fields that cannot be held beside others of the spec. */
  readonly unsupported: readonly Field[];
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
  // What was announced and never came about must not look as if it had, later on.
  const dropped = announced !== undefined && before.specHash === undefined && saysSomebodyElses(outcome.reason);
  const { generation } = customer.metadata;
  const { observed, applied } = outcome;
  const synced = condition(customer, now, 'Synced', outcome.synced ? 'True' : 'False', outcome.reason, outcome.message);
  const after: GatewayCustomerStatus = {
    ...(dropped ? unannounced : before),
    synced: outcome.synced,
    observedGeneration: generation,
    ...(observed === undefined ? {} : { blocked: observed.blocked }),
    ...(observed?.spend === undefined ? {} : { currentSpend: observed.spend }),
    ...(applied === undefined ? {} : { specHash: applied.specHash, appliedFields: [...applied.fields] }),
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
  const unheld = [...applied.unsupported, ...applied.drift.unheld];
  const { uncleared } = applied.drift;
  const sentences = [
    unheld.length === 0
      ? ''
      : `The gateway does not hold ${unheld.join(', ')}: remove it from the spec, or live without it.`,
    applied.unsupported.length === 0 ? '' : 'Limits beside budgetId are those of the tier.',
    uncleared.length === 0
      ? ''
      : `The gateway does not clear ${uncleared.join(', ')}: set another value, or clear it at the gateway.`,
  ].filter((sentence) => sentence !== '');
  if (sentences.length === 0) {
    return condition(
      customer,
      now,
      'FullyApplied',
      'True',
      'AllFieldsApplied',
      'The gateway holds all fields of the spec.',
    );
  }
  const reason = unheld.length > 0 ? 'FieldsNotSupported' : 'FieldsNotCleared';
  return condition(customer, now, 'FullyApplied', 'False', reason, sentences.join(' '));
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
