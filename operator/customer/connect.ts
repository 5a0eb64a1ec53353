/** The connection of a customer's reconcile to its gateway. */
import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { ConnectionError, type GatewayConnection, permitsId } from '../connection/connection.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * The connection for a customer.
 * @param purpose `forDeletion` uses the last known connection if the deletion of the namespace has removed the instance or
 *   its key
 * @throws ConnectionError if there is no connection or the instance does not allow the customer
 */
export async function connect(
  { connections, instances }: Pick<Dependencies, 'connections' | 'instances'>,
  { metadata: { namespace }, spec: { instanceRef, customerId } }: GatewayCustomer,
  purpose: 'forCustomer' | 'forDeletion' = 'forCustomer',
): Promise<GatewayConnection> {
  const connection = await connections[purpose](instanceRef, namespace);
  const instance = instances.get(connection.instance);
  if (instance === undefined || permitsId(instance, namespace, customerId)) return connection;
  throw new ConnectionError(
    'CustomerIdNotAllowed',
    `GatewayInstance ${connection.instance.namespace}/${connection.instance.name} does not allow this customerId in namespace ${namespace}. Use a customerId with a prefix that spec.customerIdPrefixes of the instance lists for the namespace, or add the prefix there.`,
  );
}
