/** Reads which customers and budgets of an instance the cluster has already. */
import { budgets, customers } from '../api/kinds.ts';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { budgetIdOf } from '../budget/budget.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import { type ClusterReader, keyText, type ObjectKey } from '../runtime/runtime.ts';
import type { KnownResources } from './plan.ts';

/** @param namespace of the imported customers @throws ApiError */
export async function readKnownResources(
  cluster: Pick<ClusterReader, 'each'>,
  instance: GatewayInstance,
  namespace: string,
): Promise<KnownResources> {
  const own = keyText(instance.metadata);
  const known = {
    customerIds: new Set<string>(),
    budgets: new Map<string, ObjectKey>(),
    customerNames: new Set<string>(),
    budgetNames: new Set<string>(),
  };
  await cluster.each(customers, (customer) => {
    if (keyText(instanceKeyOf(customer)) === own) known.customerIds.add(customer.spec.customerId);
    if (customer.metadata.namespace === namespace) known.customerNames.add(customer.metadata.name);
  });
  await cluster.each(budgets, (budget) => {
    const { namespace: at, name } = budget.metadata;
    if (keyText(instanceKeyOf(budget)) === own) known.budgets.set(budgetIdOf(budget), { namespace: at, name });
    if (at === instance.metadata.namespace) known.budgetNames.add(name);
  });
  return known;
}
