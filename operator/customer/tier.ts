/** The budget tier of a customer. */
import { budgetIdOf, mayRefer, notOffered, ownsOrCreates, usableBudget, type UsableBudget } from '../budget/budget.ts';
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import { keyText } from '../runtime/runtime.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * The tier that the spec names or refers to; undefined if it does neither.
 * @throws BudgetNotUsableError if the customer must wait for its GatewayBudget
 */
export function tierOf(
  { budgets, budgetsByInstance }: Pick<Dependencies, 'budgets' | 'budgetsByInstance'>,
  customer: GatewayCustomer,
): UsableBudget | undefined {
  const { spec, metadata, status } = customer;
  const { budgetId, budgetRef } = spec;
  const instance = instanceKeyOf(customer);
  if (budgetRef !== undefined) {
    return usableBudget(budgets, { ref: budgetRef, namespace: metadata.namespace, instance, inUse: status?.budgetId });
  }
  if (budgetId === undefined) return undefined;
  const managed = budgetsByInstance
    .get(keyText(instance))
    .find((budget) => ownsOrCreates(budget) && budgetIdOf(budget) === budgetId);
  if (managed !== undefined && !mayRefer(customer, managed)) throw notOffered(customer, managed);
  return { budgetId, lastChange: managed?.status?.lastChangeTime };
}
