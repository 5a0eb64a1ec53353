import type { GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import { allows, type GatewayConnection } from '../instance/instance.ts';
import type { Parts } from './parts.ts';
import { claimKey } from './parts.ts';

/**
 * A refused key is read again at once; if it has been rotated, the work is begun anew with it.
 */
export async function withFreshKey<T>(
  { connections }: Pick<Parts, 'connections'>,
  connection: GatewayConnection,
  work: (connection: GatewayConnection) => Promise<T>,
): Promise<T> {
  try {
    return await work(connection);
  } catch (error) {
    if (!isGatewayError(error, 'unauthorized')) throw error;
    const fresh = await connections.refresh(connection);
    if (fresh === connection) throw error;
    return await work(fresh);
  }
}

/** All resources that speak of the same customer, as far as the instance lets their namespaces. */
export function claimants(parts: Parts, customer: GatewayCustomer): readonly GatewayCustomer[] {
  const { name, namespace } = customer.spec.instanceRef;
  const instance = parts.instances.get({ name, namespace: namespace ?? customer.metadata.namespace });
  return parts.byClaim
    .get(claimKey(customer))
    .filter((other) => instance === undefined || allows(instance, other.metadata.namespace));
}
