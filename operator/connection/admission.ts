/** Which customers an instance admits, by namespace and customer id. Pure. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';

/** Whether customers of a namespace may refer to an instance. The instance's own namespace is always allowed. */
export function allows(instance: GatewayInstance, customerNamespace: string): boolean {
  const allowed = instance.spec.allowedNamespaces ?? [];
  return (
    customerNamespace === instance.metadata.namespace || allowed.includes(customerNamespace) || allowed.includes('*')
  );
}

/** Whether customers of a namespace may use a customer id. A namespace without listed prefixes may use every id. */
export function permitsId({ spec }: GatewayInstance, customerNamespace: string, customerId: string): boolean {
  const listed = spec.customerIdPrefixes?.find(({ namespace }) => namespace === customerNamespace);
  return listed === undefined || listed.prefixes.some((prefix) => customerId.startsWith(prefix));
}

/** Whether an instance admits a customer: its namespace and its id. */
export function admits(instance: GatewayInstance, customerNamespace: string, customerId: string): boolean {
  return allows(instance, customerNamespace) && permitsId(instance, customerNamespace, customerId);
}
