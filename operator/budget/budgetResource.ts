/** Reads properties of a budget resource. Pure. */
import type { Condition, GatewayBudget, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { currentCondition, type StandardConditionType } from '../conditions/conditions.ts';
import { instanceKeyOf, mayAdopt } from '../connection/connection.ts';
import { pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';

/**
 * The id of the budget at the gateway. Outside the namespace of the instance, it begins with the namespace, which contains
 * no dot: whoever applies an id first must not keep the admin of the instance, or another namespace, out of it.
 */
export function budgetIdOf(budget: GatewayBudget): string {
  const { spec, metadata } = budget;
  const id = spec.budgetId ?? metadata.name;
  return instanceKeyOf(budget).namespace === metadata.namespace ? id : `${metadata.namespace}.${id}`;
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
 * @param instance undefined: it was deleted
 */
export function adoptionPolicyOf(budget: GatewayBudget, instance: GatewayInstance | undefined): 'Adopt' | 'Refuse' {
  const { spec, metadata } = budget;
  const key = instanceKeyOf(budget);
  const isOffered = key.namespace === metadata.namespace && mayAdopt(instance, key, metadata.namespace);
  return isOffered ? (spec.adoptionPolicy ?? 'Adopt') : 'Refuse';
}
