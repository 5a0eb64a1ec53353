import { annotations, type Condition } from '../api/v1alpha1/v1alpha1.ts';
import { printable } from '../runtime/runtime.ts';

/**
 * How long a condition's message may be: as long as people read. The API server refuses a whole status for one that is
 * longer than 32,768 bytes.
 */
const MAX_MESSAGE = 2_048;

/** What conditions are kept on: every kind of this API. */
interface WithConditions {
  readonly metadata: { readonly generation: number };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** A condition as the resource has it now. */
export function currentCondition(object: WithConditions, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** A condition as it is to be written: the time of its transition moves only where its status does. */
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

/** What the condition of a paused resource says: every kind pauses in the same way. */
export function pausedMessage({ metadata }: { readonly metadata: { readonly deletionTimestamp?: string } }): string {
  const state =
    metadata.deletionTimestamp === undefined
      ? 'Reconciliation is paused'
      : 'Reconciliation is paused and the deletion waits';
  return `${state}, because the annotation ${annotations.paused} is "true". Remove the annotation to resume.`;
}
export {
  type CustomerConditionReason,
  type CustomerConditionType,
  type CustomerEventReason,
  type InstanceConditionReason,
  instanceConditions,
  type InstanceConditionType,
  type InstanceEventReason,
} from './reasons.ts';
export { type ConditionState, notRequested } from './conditionState.ts';
