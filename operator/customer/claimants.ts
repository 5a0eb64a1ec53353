/** Finds the resources that name the same customer of the same gateway, and the one that owns the record. */
import type { GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { addressOfGateway, admits, instanceKeyOf, instancesOfGateway, isKeyRefused } from '../connection/connection.ts';
import { isAnnotated, isObserveOnly } from '../lifecycle/lifecycle.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';
import { claimKey } from './customerResource.ts';
import type { Dependencies } from './dependencies.ts';
import { canSucceed, type Ownership, ownershipAt } from './ownership.ts';
import { age, type Claimant, counts, ownerBefore } from './precedence.ts';

/** What a customer owns at the gateway that its instance names now. */
export function currentOwnership(dependencies: Dependencies, customer: GatewayCustomer): Ownership {
  return ownershipAt(dependencies, customer, addressOfGateway(dependencies, instanceKeyOf(customer)));
}

/** The resource that owns the customer's record instead of this one, if any. */
export function ownerOf(dependencies: Dependencies, customer: GatewayCustomer): GatewayCustomer | undefined {
  const ownership = currentOwnership(dependencies, customer);
  const own = { customer, ownership, sameInstance: true, keyRefused: false };
  return ownerBefore(own, claimantsOf(dependencies, customer));
}

/** Whether another resource claims the record of an owner with less precedence. */
export function isOutranked(dependencies: Dependencies, owner: GatewayCustomer, other: GatewayCustomer): boolean {
  return claimantsOf(dependencies, owner).some(
    (claimant) => claimant.customer.metadata.uid === other.metadata.uid && counts(claimant),
  );
}

/** The resources that wait for the record of this one, oldest first. */
export function waitingClaimants(dependencies: Dependencies, customer: GatewayCustomer): readonly GatewayCustomer[] {
  return claimantsOf(dependencies, customer)
    .map((claimant) => claimant.customer)
    .filter(({ metadata }) => metadata.uid !== customer.metadata.uid && metadata.deletionTimestamp === undefined)
    .sort((one, other) => (age(one) < age(other) ? -1 : 1));
}

/** The waiting claimant that takes over the record when this resource is deleted. */
export function successorOf(dependencies: Dependencies, customer: GatewayCustomer): GatewayCustomer | undefined {
  return waitingClaimants(dependencies, customer).find(
    (other) => canSucceed(other, customer) && !isAnnotated(other, 'paused'),
  );
}

/**
 * All allowed resources that name the same customer of the same gateway. Instances with the same address belong to the
 * same gateway. A resource that only observes claims nothing.
 */
export function claimantsOf(dependencies: Dependencies, customer: GatewayCustomer): readonly Claimant[] {
  const own = instanceKeyOf(customer);
  const address = addressOfGateway(dependencies, own);
  return instancesOfGateway(dependencies, own).flatMap((key) => {
    const instance = dependencies.instances.get(key);
    const sameInstance = keyText(key) === keyText(own);
    return dependencies.byClaim
      .get(claimKey(key, customer.spec.customerId))
      .filter((other) => !isObserveOnly(other) && (instance === undefined || isAllowed(instance, other)))
      .map((other) => ({
        customer: other,
        ownership: ownershipAt(dependencies, other, address),
        sameInstance,
        keyRefused: instance !== undefined && isKeyRefused(instance),
      }));
  });
}

/** The keys of all other resources that name the same customer of the same gateway, allowed or not. */
export function otherClaimantKeys(dependencies: Dependencies, customer: GatewayCustomer): readonly ObjectKey[] {
  const self = keyText(customer.metadata);
  return instancesOfGateway(dependencies, instanceKeyOf(customer))
    .flatMap((key) => dependencies.byClaim.keys(claimKey(key, customer.spec.customerId)))
    .filter((key) => keyText(key) !== self);
}

/**
 * The resource that a budget row belongs to; undefined if it is not in this cluster, its instance does not allow it, or it
 * only observes.
 */
export function ownerOfRow(dependencies: Dependencies, uid: string): GatewayCustomer | undefined {
  return dependencies.byUid.get(uid).find((customer) => {
    const instance = dependencies.instances.get(instanceKeyOf(customer));
    return !isObserveOnly(customer) && (instance === undefined || isAllowed(instance, customer));
  });
}

function isAllowed(instance: GatewayInstance, { metadata, spec }: GatewayCustomer): boolean {
  return admits(instance, metadata.namespace, spec.customerId);
}
