/** The customer controller. */
import { budgets, customers, policies } from '../api/kinds.ts';
import { type GatewayCustomer, gatewayCustomerNames } from '../api/v1alpha1/v1alpha1.ts';
import { budgetUseKeys, mattersToUsers } from '../budget/budget.ts';
import { accessProblem, allows, identityPermissions, instanceKeyOf } from '../connection/connection.ts';
import { externalController, ExternalReconciler } from '../external/external.ts';
import { changedUsability } from '../policy/policy.ts';
import { type ControllerSpec, keyText, type ObjectKey, type Runtime } from '../runtime/runtime.ts';
import { CustomerAdapter } from './adapter.ts';
import { mattersToClaimants } from './succession.ts';
import { createDependencies, type CustomerDependencies, type Dependencies } from './dependencies.ts';
import { exportCustomers } from './metrics.ts';

export type { CustomerDependencies } from './dependencies.ts';
export { BudgetAmounts, spendingOf, type Spending } from './spending.ts';

/** Reconciles GatewayCustomers into the records of their gateways. */
export function customerController(runtime: Runtime, given: CustomerDependencies): ControllerSpec {
  const dependencies = createDependencies(runtime, given);
  const reconciler = new ExternalReconciler(dependencies, new CustomerAdapter(dependencies));
  exportCustomers(runtime);
  return (
    externalController(customers, gatewayCustomerNames, dependencies, {
      claimants: mattersToClaimants,
      // The guardrail can enforce who may call, or no longer.
      instance: (before, after) => accessProblem(before) !== accessProblem(after),
    })
      // The condition FullyApplied depends on what the guardrail's pods have.
      .watches(customers, ({ metadata }) => [metadata], { changed: changedEnforcement })
      .watches(budgets, (budget) => budgetUseKeys(budget).flatMap((use) => dependencies.byBudget.keys(use)), {
        changed: mattersToUsers,
      })
      .watches(policies, ({ metadata }) => dependencies.byPolicy.keys(keyText(metadata)), { changed: changedUsability })
      .needs(...identityPermissions)
      .sharedBy((key) => groupsOf(dependencies, key))
      .reconcile(reconciler)
  );
}

/**
 * The groups of a customer: the namespace of its instance, its instance, and its own namespace. An instance can have a gateway
 * that does not answer, so that a namespace with many instances gets no more workers than one with a single instance. A
 * customer that no instance allows belongs to its namespace alone, so that an invented instance name does not get its own share
 * of the workers.
 */
function groupsOf({ cache, instances: known }: Dependencies, key: ObjectKey): readonly string[] {
  const customer = cache.get(key);
  const instance = customer && known.get(instanceKeyOf(customer));
  if (instance === undefined || !allows(instance, key.namespace)) return [key.namespace];
  return [instance.metadata.namespace, instance.metadata.name, key.namespace];
}

/** Whether the guardrail's pods have begun or ceased to enforce rules of the customer. */
function changedEnforcement({ status: before }: GatewayCustomer, { status: after }: GatewayCustomer): boolean {
  return (
    before?.enforcedAccess !== after?.enforcedAccess || before?.guardrailPolicy?.name !== after?.guardrailPolicy?.name
  );
}
