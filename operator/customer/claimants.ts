/** What a customer may do at its gateway, and who else names the same customer there. */
import type { GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import { admits, ConnectionError, type GatewayConnection, permitsId } from '../connection/connection.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';
import { addressDigest, gatewayAddress } from './gatewayAddress.ts';
import { age, counts, ownerBefore, type Claimant, takesOver } from './precedence.ts';
import type { Dependencies } from './dependencies.ts';
import { claimKey, instanceKeyOf, isOn } from './dependencies.ts';

/**
 * The connection for a customer.
 * @param way `forDeletion` takes the last one that is known where the instance or its key went with their namespace
 * @throws ConnectionError where there is none, or the instance does not take the customer
 */
export async function connect(
  parts: Dependencies,
  customer: GatewayCustomer,
  way: 'forCustomer' | 'forDeletion' = 'forCustomer',
): Promise<GatewayConnection> {
  const { instanceRef, customerId } = customer.spec;
  const { namespace } = customer.metadata;
  const connection = await parts.connections[way](instanceRef, namespace);
  const instance = parts.instances.get(connection.instance);
  if (instance === undefined || permitsId(instance, namespace, customerId)) return connection;
  const { name } = connection.instance;
  throw new ConnectionError(
    'CustomerIdNotAllowed',
    `GatewayInstance ${connection.instance.namespace}/${name} does not allow this customerId in namespace ${namespace}: create a GatewayCustomer whose id begins with a prefix that spec.customerIdPrefixes of the instance lists for the namespace, or have a prefix added there.`,
  );
}

/**
 * A refused key is read again at once; if it has been rotated, the work is begun anew with it.
 */
export async function withFreshKey<T>(
  { connections }: Pick<Dependencies, 'connections'>,
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

/** The resource that owns the customer's record instead of this one, if there is one. */
export function ownerOf(parts: Dependencies, customer: GatewayCustomer): GatewayCustomer | undefined {
  return ownerBefore(customer, claimantsOf(parts, customer), gatewayDigest(parts, customer));
}

/**
 * Whether another resource competes for the customer's record with less right to it. To be asked of the one that nobody
 * precedes.
 */
export function isOutranked(parts: Dependencies, customer: GatewayCustomer, other: GatewayCustomer): boolean {
  const gateway = gatewayDigest(parts, customer);
  return claimantsOf(parts, customer).some(
    (rival) => rival.customer.metadata.uid === other.metadata.uid && counts(rival, gateway),
  );
}

/** The resources that wait for the record of this one, oldest first. */
export function waitingClaimants(parts: Dependencies, customer: GatewayCustomer): readonly GatewayCustomer[] {
  return claimantsOf(parts, customer)
    .map((rival) => rival.customer)
    .filter(({ metadata }) => metadata.uid !== customer.metadata.uid && metadata.deletionTimestamp === undefined)
    .sort((one, other) => (age(one) < age(other) ? -1 : 1));
}

/** Of those that wait, the one that takes the record over when this resource is deleted. */
export function successorOf(parts: Dependencies, customer: GatewayCustomer): GatewayCustomer | undefined {
  return waitingClaimants(parts, customer).find((other) => takesOver(other, customer) && !isOn(other, 'paused'));
}

/**
 * All resources that name the same customer of the same gateway, as far as their instances take them. By way of the
 * gateway's address, since a customer belongs to a gateway, however many instances lead there.
 */
export function claimantsOf(parts: Dependencies, customer: GatewayCustomer): readonly Claimant[] {
  const own = instanceKeyOf(customer);
  return instancesOfGateway(parts, own).flatMap((key) => {
    const instance = parts.instances.get(key);
    const sameInstance = keyText(key) === keyText(own);
    return parts.byClaim
      .get(claimKey(key, customer.spec.customerId))
      .filter((other) => instance === undefined || entitled(instance, other))
      .map((other) => ({ customer: other, sameInstance }));
  });
}

/** The keys of all other resources that name the same customer of the same gateway, whether they may or not. */
export function otherClaimantKeys(parts: Dependencies, customer: GatewayCustomer): readonly ObjectKey[] {
  const self = keyText(customer.metadata);
  return instancesOfGateway(parts, instanceKeyOf(customer))
    .flatMap((key) => parts.byClaim.keys(claimKey(key, customer.spec.customerId)))
    .filter((key) => keyText(key) !== self);
}

/** The resource that a budget row belongs to, if it is here and its instance takes it. */
export function ownerOfRow(parts: Dependencies, uid: string): GatewayCustomer | undefined {
  return parts.byUid.get(uid).find((customer) => {
    const instance = parts.instances.get(instanceKeyOf(customer));
    return instance === undefined || entitled(instance, customer);
  });
}

/** Digest of the address of the customer's gateway, where it is known. */
export function gatewayDigest(parts: Dependencies, customer: GatewayCustomer): string | undefined {
  const instance = parts.instances.get(instanceKeyOf(customer));
  const address = instance === undefined ? undefined : gatewayAddress(instance);
  return address === undefined ? undefined : addressDigest(address);
}

function entitled(instance: GatewayInstance, { metadata, spec }: GatewayCustomer): boolean {
  return admits(instance, metadata.namespace, spec.customerId);
}

/** The instance and all others that lead to the same gateway. */
function instancesOfGateway({ instances, byGateway }: Dependencies, own: ObjectKey): readonly ObjectKey[] {
  const instance = instances.get(own);
  const address = instance === undefined ? undefined : gatewayAddress(instance);
  const others = address === undefined ? [] : byGateway.keys(address);
  return [own, ...others.filter((key) => keyText(key) !== keyText(own))];
}
