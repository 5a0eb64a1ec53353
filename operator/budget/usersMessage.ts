/** Names the resources that use a budget. Pure. */
import type { GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import { keyText } from '../runtime/runtime.ts';
import type { BudgetUsers } from './users.ts';

/** The maximum number of resources that a message names. */
const MAX_NAMED = 10;

/**
 * The first sentences of the condition of a deletion that waits: who uses the budget, and what to do. Resources of other
 * namespaces are named only in the namespace of the instance, whose owner may know all its customers.
 * @returns undefined if nothing uses the budget
 */
export function inUseMessage(budget: GatewayBudget, { customers, instances }: BudgetUsers): string | undefined {
  if (customers.length === 0 && instances.length === 0) return undefined;
  const { namespace } = budget.metadata;
  const namesAll = instanceKeyOf(budget).namespace === namespace;
  const named = customers
    .filter(({ metadata }) => namesAll || metadata.namespace === namespace)
    .map(({ metadata }) => keyText(metadata))
    .sort()
    .slice(0, MAX_NAMED);
  const users = [
    ...(customers.length === 0 ? [] : [customersText(named, customers.length)]),
    ...instances.map((instance) => `GatewayInstance ${namesAll ? keyText(instance.metadata) : 'of the budget'}`),
  ];
  return `The budget is in use by ${users.join(' and by ')}. Change or delete ${customers.length + instances.length > 1 ? 'them' : 'it'} first.`;
}

function customersText(named: readonly string[], total: number): string {
  const count = `${total} GatewayCustomer${total === 1 ? '' : 's'}`;
  if (named.length === 0) return `${count} in other namespaces`;
  const others = total - named.length;
  return `${count} (${named.join(', ')}${others === 0 ? '' : ` and ${others} more`})`;
}
