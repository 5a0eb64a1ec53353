/** Reads properties of a customer resource. Pure. */
import type { Condition, GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { currentCondition, type CustomerConditionType } from '../conditions/conditions.ts';
import { pendingSyncRequest } from '../lifecycle/lifecycle.ts';

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
