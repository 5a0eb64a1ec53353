/** What a customer has spent, and may spend, according to the resources. Pure. */
import type { GatewayBudget, GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { budgetIdOf } from '../budget/budget.ts';
import { currentCondition } from '../conditions/conditions.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import { claimKey } from '../external/external.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';

/** Amounts in USD. */
export interface Spending {
  /** undefined: the gateway has not reported it. */
  readonly spend: number | undefined;
  /** undefined: there is no maximum, or no resource says it. */
  readonly maxBudget: number | undefined;
  /** The share of the maximum that is used; undefined without a positive maximum. */
  readonly usedRatio: number | undefined;
}

/** The amounts of GatewayBudgets. */
export class BudgetAmounts {
  readonly #byId = new Map<string, number>();
  readonly #byName = new Map<string, number>();

  constructor(budgets: Iterable<GatewayBudget>) {
    for (const budget of budgets) {
      const { maxBudget } = budget.spec;
      if (maxBudget === undefined) continue;
      this.#byId.set(claimKey(instanceKeyOf(budget), budgetIdOf(budget)), maxBudget);
      this.#byName.set(keyText(budget.metadata), maxBudget);
    }
  }

  /** @param budgetId the id at the gateway */
  ofId(instance: ObjectKey, budgetId: string): number | undefined {
    return this.#byId.get(claimKey(instance, budgetId));
  }

  ofResource(key: ObjectKey): number | undefined {
    return this.#byName.get(keyText(key));
  }
}

/** @param instance the instance of the customer, if it exists */
export function spendingOf(
  customer: GatewayCustomer,
  instance: GatewayInstance | undefined,
  amounts: BudgetAmounts,
): Spending {
  const spend = customer.status?.currentSpend;
  const maxBudget = maxBudgetOf(customer, instance, amounts);
  const isMeasurable = spend !== undefined && maxBudget !== undefined && maxBudget > 0;
  return { spend, maxBudget, usedRatio: isMeasurable ? spend / maxBudget : undefined };
}

function maxBudgetOf(
  { spec, metadata, status }: GatewayCustomer,
  instance: GatewayInstance | undefined,
  amounts: BudgetAmounts,
): number | undefined {
  if (spec.maxBudget !== undefined) return spec.maxBudget;
  const budgetId = status?.budgetId ?? spec.budgetId;
  if (budgetId !== undefined) return amounts.ofId(instanceKeyOf({ spec, metadata }), budgetId);
  // Each of these gives the customer a budget of its own at the gateway, to which the default budget does not apply.
  const hasOwn = [spec.budgetRef, spec.budgetDuration, spec.tpmLimit, spec.rpmLimit].some((one) => one !== undefined);
  return hasOwn || instance === undefined ? undefined : defaultAmount(instance, amounts);
}

/** The default budget of an instance, if the gateway enforces it. */
function defaultAmount(instance: GatewayInstance, amounts: BudgetAmounts): number | undefined {
  const { maxBudget, budgetId, budgetRef } = instance.spec.defaultCustomerBudget ?? {};
  if (currentCondition(instance, 'DefaultBudgetEnforced')?.status !== 'True') return undefined;
  if (maxBudget !== undefined) return maxBudget;
  if (budgetId !== undefined) return amounts.ofId(instance.metadata, budgetId);
  const { namespace } = instance.metadata;
  return budgetRef === undefined ? undefined : amounts.ofResource({ namespace, name: budgetRef.name });
}
