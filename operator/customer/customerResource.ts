/** Reads properties of a customer resource. Pure. */
import type { Condition, GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { currentCondition, type CustomerConditionType } from '../conditions/conditions.ts';

/** The condition of a type, if the customer has one. */
export function conditionOf(customer: GatewayCustomer, type: CustomerConditionType): Condition | undefined {
  return currentCondition(customer, type);
}
