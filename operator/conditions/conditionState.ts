/** The state of one condition, before it is written to an instance's status. Pure. */
import type { Condition } from '../api/v1alpha1/v1alpha1.ts';
import type { InstanceConditionReason, InstanceConditionType } from './reasons.ts';

/** The state of one condition of an instance. */
export interface ConditionState<Type extends InstanceConditionType> {
  readonly status: Condition['status'];
  readonly reason: InstanceConditionReason<Type>;
  /** State, cause and remedy, in one or two sentences. It contains no secret. */
  readonly message: string;
}

/**
 * The state of a condition for a feature that the spec does not request. It is False, because the feature does not
 * exist.
 */
export function notRequested<Type extends 'ProxyConfigured' | 'DefaultBudgetEnforced' | 'GuardrailReady'>(
  message: string,
): ConditionState<Type> {
  return { status: 'False', reason: 'NotRequested', message };
}
