/** The state of one condition, before it is written to an instance's status. Pure. */
import type { Condition } from '../api/v1alpha1/v1alpha1.ts';
import type { InstanceConditionReason, InstanceConditionType } from './reasons.ts';

/** The state of one condition of an instance. */
export interface ConditionState<Type extends InstanceConditionType> {
  readonly status: Condition['status'];
  readonly reason: InstanceConditionReason<Type>;
  /** One or two sentences: the state, its cause, and the remedy. It holds no secret. */
  readonly message: string;
}

/** The state of a condition for a feature that the spec does not request: False, because the feature is not there. */
export function notRequested<Type extends 'ProxyConfigured' | 'DefaultBudgetEnforced' | 'GuardrailReady'>(
  message: string,
): ConditionState<Type> {
  // Every one of these conditions has that reason.
  return { status: 'False', reason: 'NotRequested', message };
}
