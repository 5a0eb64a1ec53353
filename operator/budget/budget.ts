/** The face of this folder: the budget controller, and how other resources refer to budgets. */
import { budgets, customers } from '../api/kinds.ts';
import { gatewayBudgetNames, type GatewayCustomer, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { type ExternalController, externalController, ExternalReconciler } from '../external/external.ts';
import { changedManagement } from '../lifecycle/lifecycle.ts';
import type { ControllerSpec, ObjectKey, Runtime } from '../runtime/runtime.ts';
import { BudgetAdapter } from './adapter.ts';
import { createDependencies, type Dependencies } from './dependencies.ts';
import { budgetUses } from './users.ts';

export { budgetIdOf, ownsOrCreates } from './status.ts';
export { BudgetNotUsableError, mattersToUsers, tierOf, usableBudget } from './users.ts';
export { budgetUseKeys, budgetUses } from './users.ts';

/** Reconciles GatewayBudgets into the budgets of their gateways. */
export function budgetController(runtime: Runtime, given: ExternalController): ControllerSpec {
  const dependencies = createDependencies(runtime, given);
  return externalController(budgets, gatewayBudgetNames, dependencies, {
    claimants: changedManagement,
    instance: (before, after) => isBeingDeleted(before) !== isBeingDeleted(after),
  })
    .watches(customers, (customer) => usedBudgets(dependencies, customer), { changed: usesOtherBudgets })
    .reconcile(new ExternalReconciler(dependencies, new BudgetAdapter(dependencies)));
}

/** The budgets that a customer uses, by name or by id. */
function usedBudgets({ byUse }: Dependencies, customer: GatewayCustomer): readonly ObjectKey[] {
  return budgetUses(customer).flatMap((use) => byUse.keys(use));
}

/** Customers change often. Only another budget of a customer affects its budgets. */
function usesOtherBudgets(before: GatewayCustomer, after: GatewayCustomer): boolean {
  const uses = (customer: GatewayCustomer): string => budgetUses(customer).join('\n');
  return before.metadata.uid !== after.metadata.uid || uses(before) !== uses(after);
}

function isBeingDeleted({ metadata }: GatewayInstance): boolean {
  return metadata.deletionTimestamp !== undefined;
}
