/** The connection of a customer's reconcile to its gateway. */
import { type GatewayCustomer, hasInvisibleCharacters } from '../api/v1alpha1/v1alpha1.ts';
import { ConnectionError, type GatewayConnection, permitsId } from '../connection/connection.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * The connection for a customer.
 * @param purpose `forDeletion` uses the last known connection if the deletion of the namespace has removed the instance or
 *   its key
 * @throws ConnectionError if there is no connection or the instance does not allow the customer
 */
export async function connect(
  { connections, instances, identity }: Pick<Dependencies, 'connections' | 'instances' | 'identity'>,
  { metadata: { namespace }, spec: { instanceRef, customerId } }: GatewayCustomer,
  purpose: 'forCustomer' | 'forDeletion' = 'forCustomer',
): Promise<GatewayConnection> {
  // The API server refuses new ones. One that was stored before can still be deleted.
  if (purpose === 'forCustomer' && hasInvisibleCharacters(customerId)) {
    throw new ConnectionError(
      'CustomerIdNotAllowed',
      'spec.customerId contains invisible characters. Create another GatewayCustomer with an id without them, and delete this one.',
    );
  }
  const connection = await connections[purpose](instanceRef, namespace);
  const instance = instances.get(connection.instance);
  if (purpose === 'forCustomer' && identity.addressOfInstance(instance) === undefined) {
    // The address of a Service without a port is known after the first reconcile of the instance.
    throw new ConnectionError(
      'InstanceNotReady',
      `The address of GatewayInstance ${connection.instance.namespace}/${connection.instance.name} is not known yet. Its condition Reachable says why.`,
    );
  }
  if (instance === undefined || permitsId(instance, namespace, customerId)) return connection;
  throw new ConnectionError(
    'CustomerIdNotAllowed',
    `GatewayInstance ${connection.instance.namespace}/${connection.instance.name} does not allow this customerId in namespace ${namespace}: its spec.customerIdPrefixes reserves the prefix for another namespace, or lists other prefixes for this one. Create the customer with another customerId, or change spec.customerIdPrefixes.`,
  );
}
