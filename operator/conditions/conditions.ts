import { annotations, type Condition } from '../api/v1alpha1/v1alpha1.ts';
import { printable } from '../runtime/runtime.ts';

/** Longer messages are truncated. The API server rejects a status with a message of more than 32,768 bytes. */
const MAX_MESSAGE = 2_048;

/** An object with conditions: all kinds of this API. */
interface WithConditions {
  readonly metadata: { readonly generation: number };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The current condition of a type. */
export function currentCondition(object: WithConditions, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** The next condition of a type. The time of its transition changes only with its status. */
export function nextCondition(
  object: WithConditions,
  now: Date,
  found: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>,
): Condition {
  const { type, status, reason, message } = found;
  const before = currentCondition(object, type);
  return {
    type,
    status,
    observedGeneration: object.metadata.generation,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : now.toISOString(),
    reason,
    message: printable(message, MAX_MESSAGE),
  };
}

/** The reason of the next condition. A condition that stays True keeps its first reason. */
export function nextReason<Reason extends string>(object: WithConditions, type: string, reason: Reason): Reason {
  const before = currentCondition(object, type);
  return reason === 'UpToDate' && before?.status === 'True' ? (before.reason as Reason) : reason;
}

/** What Ready reports. */
export type ReadyState = Pick<Condition, 'status' | 'reason' | 'message'>;

/**
 * Ready, and at most one of Reconciling and Stalled, which exist only while they are True. kstatus, and with it Flux and
 * kpt, reads them of every kind.
 * @param stalled why only a change by a user helps; undefined if the operator works on the resource or retries
 */
export function readyConditions(
  object: WithConditions,
  now: Date,
  ready: ReadyState,
  stalled: Pick<Condition, 'reason' | 'message'> | undefined,
): Condition[] {
  const condition = nextCondition(object, now, { ...ready, type: 'Ready' });
  if (ready.status === 'True' || ready.reason === 'Paused') return [condition];
  const why = stalled ?? ready;
  const type = stalled === undefined ? 'Reconciling' : 'Stalled';
  return [condition, nextCondition(object, now, { ...why, type, status: 'True' })];
}

/** The condition message of a paused resource, for all kinds. */
export function pausedMessage({ metadata }: { readonly metadata: { readonly deletionTimestamp?: string } }): string {
  const state =
    metadata.deletionTimestamp === undefined
      ? 'Reconciliation is paused'
      : 'Reconciliation is paused and the deletion waits';
  return `${state}, because the annotation ${annotations.paused} is "true". Remove the annotation to resume.`;
}
export {
  type BudgetConditionReason,
  type BudgetEventReason,
  type CustomerConditionReason,
  type CustomerConditionType,
  type CustomerEventReason,
  type InstanceConditionReason,
  type InstanceConditionType,
  type InstanceEventReason,
  type PolicyConditionReason,
  type PolicyEventReason,
  type StandardConditionType,
} from './reasons.ts';
export { needsUser } from './userReasons.ts';
export { type ConditionState, notRequested } from './conditionState.ts';
