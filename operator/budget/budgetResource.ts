/** Reads properties of a budget resource. Pure. */
import type { Condition, GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import { currentCondition, type StandardConditionType } from '../conditions/conditions.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import { pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';

/** The id of the budget at the gateway. */
export function budgetIdOf({ spec, metadata }: GatewayBudget): string {
  return spec.budgetId ?? metadata.name;
}

/** The index key of all budgets of an instance that name the same id. */
export function claimKey(instance: ObjectKey, budgetId: string): string {
  return `${keyText(instance)}/${budgetId}`;
}

/** The condition of a type, if the budget has one. */
export function conditionOf(budget: GatewayBudget, type: StandardConditionType): Condition | undefined {
  return currentCondition(budget, type);
}

export function isReady(budget: GatewayBudget): boolean {
  return conditionOf(budget, 'Ready')?.status === 'True';
}

/** Whether the last sync succeeded and the resource has not changed since. */
export function isInSync(budget: GatewayBudget): boolean {
  return (
    isReady(budget) &&
    budget.status?.observedGeneration === budget.metadata.generation &&
    pendingSyncRequest(budget) === undefined
  );
}

/**
 * Whether an existing budget at the gateway is adopted or refused. Outside the namespace of the instance, it is always
 * refused: customers of every namespace may share it, so only the owner of the gateway may change it.
 */
export function adoptionPolicyOf(budget: GatewayBudget): 'Adopt' | 'Refuse' {
  if (instanceKeyOf(budget).namespace !== budget.metadata.namespace) return 'Refuse';
  return budget.spec.adoptionPolicy ?? 'Adopt';
}
