/** How customers refer to policies. Pure. */
import type { GatewayCustomer, GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { currentCondition } from '../conditions/conditions.ts';
import { instanceKeyOf } from '../connection/connection.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { keyText, type Lister, type ObjectKey } from '../runtime/runtime.ts';
import { PolicyNotUsableError } from './reference.ts';

/** The policy that a customer refers to; undefined: none. A customer that is only observed has no rules. */
export function customerPolicyKey(customer: GatewayCustomer): ObjectKey | undefined {
  const { metadata, spec } = customer;
  const { guardrailPolicyRef: ref } = spec;
  return ref === undefined || isObserveOnly(customer) ? undefined : { namespace: metadata.namespace, ...ref };
}

/** The index keys of a customer: the policy that it refers to. */
export function customerPolicyUses(customer: GatewayCustomer): readonly string[] {
  const key = customerPolicyKey(customer);
  return key === undefined ? [] : [keyText(key)];
}

/**
 * Whether a customer may refer to a policy. As with budgets, a policy in the namespace of the instance is offered to all
 * customers of the instance; third namespaces could otherwise never delete their policies.
 */
export function mayReferToPolicy(customer: GatewayCustomer, { namespace }: ObjectKey): boolean {
  return namespace === customer.metadata.namespace || namespace === instanceKeyOf(customer).namespace;
}

/** Why a customer's policy cannot be used. The message is a part of a condition message. */
export interface CustomerPolicyProblem {
  readonly reason: 'PolicyNotFound' | 'PolicyInvalid' | 'PolicyNotAllowed';
  readonly message: string;
}

/** Why the policy of a customer cannot be used, according to the status of the policy; undefined: it can, or there is none. */
export function customerPolicyProblem(
  policies: Pick<Lister<GuardrailPolicy>, 'get'>,
  customer: GatewayCustomer,
): CustomerPolicyProblem | undefined {
  const key = customerPolicyKey(customer);
  if (key === undefined) return undefined;
  const name = `GuardrailPolicy ${keyText(key)}`;
  if (!mayReferToPolicy(customer, key)) {
    const message = `${name} is neither in namespace ${customer.metadata.namespace} nor in that of the instance. Refer to a GuardrailPolicy in one of these two namespaces.`;
    return { reason: 'PolicyNotAllowed', message };
  }
  const policy = policies.get(key);
  if (policy === undefined) return PolicyNotUsableError.missing(key);
  if (currentCondition(policy, 'Accepted')?.status !== 'False') return undefined;
  return { reason: 'PolicyInvalid', message: `${name} is not valid: its condition Accepted says what to do.` };
}

/** Whether a change of a policy changes {@link customerPolicyProblem}. */
export function changedUsability(before: GuardrailPolicy, after: GuardrailPolicy): boolean {
  return currentCondition(before, 'Accepted')?.status !== currentCondition(after, 'Accepted')?.status;
}
