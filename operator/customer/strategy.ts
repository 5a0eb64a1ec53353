/** Selects the way in which the limits of a customer are stored at its gateway. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import type { LimitValues, Strategy } from '../gateway/gateway.ts';
import { budgetRowId, budgetRowStrategy, customerFieldsStrategy } from '../gateway/gateway.ts';
import type { Dependencies } from './dependencies.ts';

type Sources = Pick<Dependencies, 'clients' | 'instances'>;

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
  { clients, instances }: Sources,
  connection: GatewayConnection,
): Promise<Partial<LimitValues>> {
  const budget = instances.get(connection.instance)?.spec.defaultCustomerBudget;
  if (budget?.maxBudget !== undefined) {
    const { maxBudget, budgetDuration } = budget;
    return { maxBudget, ...(budgetDuration === undefined ? {} : { budgetDuration }) };
  }
  if (budget?.budgetId === undefined) return {};
  const row = await clients.tier(connection, budget.budgetId);
  return {
    ...(typeof row?.max_budget === 'number' ? { maxBudget: row.max_budget } : {}),
    ...(typeof row?.budget_duration === 'string' ? { budgetDuration: row.budget_duration } : {}),
  };
}
