/** Reads properties of a customer resource. Pure. */
import { annotations, type Condition, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { currentCondition, type CustomerConditionType } from '../conditions/conditions.ts';
import { keyText, type ObjectKey } from '../runtime/runtime.ts';

/** The instance that a customer refers to. */
export function instanceKeyOf({ spec, metadata }: GatewayCustomer): ObjectKey {
  return { name: spec.instanceRef.name, namespace: spec.instanceRef.namespace ?? metadata.namespace };
}

/** The index key of all customers of an instance that name the same id. */
export function claimKey(instance: ObjectKey, customerId: string): string {
  return `${keyText(instance)}/${customerId}`;
}

/** Whether an annotation is "true". */
export function isAnnotated(customer: GatewayCustomer, annotation: 'paused' | 'forceDelete'): boolean {
  return customer.metadata.annotations?.[annotations[annotation]] === 'true';
}

/** The token of the sync request that has not been handled yet. */
export function pendingSyncRequest(customer: GatewayCustomer): string | undefined {
  const token = customer.metadata.annotations?.[annotations.syncRequested];
  return token === customer.status?.lastHandledSyncRequest ? undefined : token;
}

/** Whether the last sync succeeded and the resource has not changed since. */
export function isInSync(customer: GatewayCustomer): boolean {
  const { status, metadata } = customer;
  return (
    status?.synced === true &&
    status.observedGeneration === metadata.generation &&
    pendingSyncRequest(customer) === undefined
  );
}

/** The condition of a type, if the customer has one. */
export function conditionOf(customer: GatewayCustomer, type: CustomerConditionType): Condition | undefined {
  return currentCondition(customer, type);
}
