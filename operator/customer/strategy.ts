/** Selects the way in which the limits of a customer are stored at its gateway. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { budgetIdOf, mayRefer, notOffered, ownsOrCreates, usableBudget, type UsableBudget } from '../budget/budget.ts';
import { type GatewayConnection, instanceKeyOf } from '../connection/connection.ts';
import {
  budgetRowId,
  budgetRowStrategy,
  customerFieldsStrategy,
  type LimitValues,
  type Strategy,
} from '../gateway/gateway.ts';
import { keyText } from '../runtime/runtime.ts';
import type { Dependencies } from './dependencies.ts';

type Sources = Pick<Dependencies, 'clients' | 'instances' | 'budgets'>;

/**
 * The strategy for a customer: its own budget row if the gateway has a `/budget` API, otherwise fields of the record.
 */
export async function strategyFor(
  sources: Sources,
  customer: GatewayCustomer,
  connection: GatewayConnection,
): Promise<Strategy> {
  if (!(await sources.clients.hasBudgetApi(connection))) return customerFieldsStrategy;
  return budgetRowStrategy(budgetRowId(customer.metadata.uid), await defaultLimits(sources, connection));
}

/** The instance's default budget, for customers that have limits but no budget. */
async function defaultLimits(
  { clients, instances, budgets }: Sources,
  connection: GatewayConnection,
): Promise<Partial<LimitValues>> {
  const budget = instances.get(connection.instance)?.spec.defaultCustomerBudget;
  if (budget?.maxBudget !== undefined) {
    const { maxBudget, budgetDuration } = budget;
    return { maxBudget, ...(budgetDuration === undefined ? {} : { budgetDuration }) };
  }
  const id = budget?.budgetId ?? referredId(budgets, connection.instance, budget?.budgetRef);
  if (id === undefined) return {};
  const row = await clients.tier(connection, id);
  return {
    ...(typeof row?.max_budget === 'number' ? { maxBudget: row.max_budget } : {}),
    ...(typeof row?.budget_duration === 'string' ? { budgetDuration: row.budget_duration } : {}),
  };
}

/** The id of the GatewayBudget of an instance; undefined if it does not exist at the gateway. */
function referredId(
  budgets: Sources['budgets'],
  { namespace }: GatewayConnection['instance'],
  ref: { readonly name: string } | undefined,
): string | undefined {
  return ref === undefined ? undefined : budgets.get({ namespace, name: ref.name })?.status?.budgetId;
}

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
