/** Reads properties of a budget resource. Pure. */
import type { Condition, GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import { currentCondition, type StandardConditionType } from '../conditions/conditions.ts';
import { instanceKeyOf } from '../connection/connection.ts';

/**
 * The id of the budget at the gateway. Outside the namespace of the instance, it begins with the namespace, which contains
 * no dot: whoever applies an id first must not keep the admin of the instance, or another namespace, out of it.
 */
export function budgetIdOf(budget: GatewayBudget): string {
  const { spec, metadata } = budget;
  const id = spec.budgetId ?? metadata.name;
  return instanceKeyOf(budget).namespace === metadata.namespace ? id : `${metadata.namespace}.${id}`;
}

/** The condition of a type, if the budget has one. */
export function conditionOf(budget: GatewayBudget, type: StandardConditionType): Condition | undefined {
  return currentCondition(budget, type);
}

export function isReady(budget: GatewayBudget): boolean {
  return conditionOf(budget, 'Ready')?.status === 'True';
}
