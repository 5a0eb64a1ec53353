/** The face of this folder: the budget controller, and how other resources refer to budgets. */
import { budgets, customers, instances } from '../api/kinds.ts';
import { gatewayBudgetNames, type GatewayCustomer, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { isReachable } from '../connection/connection.ts';
import { changedManagement, definitionPermission } from '../lifecycle/lifecycle.ts';
import { keyOf, keyText, when, type ControllerSpec, type ObjectKey, type Runtime } from '../runtime/runtime.ts';
import { type BudgetDependencies, createDependencies, type Dependencies } from './dependencies.ts';
import { BudgetAdapter } from './adapter.ts';
import { ExternalReconciler } from '../external/external.ts';
import { budgetUses } from './users.ts';

export type { BudgetDependencies } from './dependencies.ts';
export { budgetIdOf } from './ownership.ts';
export { ownsOrCreates } from './ownership.ts';
export { BudgetNotUsableError, mattersToUsers, notOffered, usableBudget, type UsableBudget } from './usableBudget.ts';
export { budgetUseKeys, budgetUses, mayRefer } from './users.ts';

/** Reconciles GatewayBudgets into the budgets of their gateways. */
export function budgetController(runtime: Runtime, given: BudgetDependencies): ControllerSpec {
  const dependencies = createDependencies(runtime, given);
  return (
    when(budgets)
      // When a budget is created, deleted or no longer managed, the next claimant may own the budget at the gateway.
      .watches(budgets, (budget) => dependencies.claims.otherKeys(budget), { changed: changedManagement })
      .watches(customers, (customer) => usedBudgets(dependencies, customer), { changed: usesOtherBudgets })
      .watches(instances, (instance) => dependencies.byInstance.keys(keyText(keyOf(instance))), {
        changed: mattersToBudgets,
      })
      .needs(
        { group: '', resource: 'namespaces', verbs: ['get'], scope: 'watched' },
        definitionPermission(gatewayBudgetNames),
      )
      .reconcile(new ExternalReconciler(dependencies, new BudgetAdapter(dependencies)))
  );
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

/** Whether the spec or the deletion of an instance changed, or the gateway became reachable. */
function mattersToBudgets(before: GatewayInstance, after: GatewayInstance): boolean {
  const isBeingDeleted = ({ metadata }: GatewayInstance): boolean => metadata.deletionTimestamp !== undefined;
  return (
    before.metadata.generation !== after.metadata.generation ||
    isBeingDeleted(before) !== isBeingDeleted(after) ||
    (isReachable(after) && !isReachable(before))
  );
}
