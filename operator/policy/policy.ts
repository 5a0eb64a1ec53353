/** The face of this folder: the policy controller, and how other resources refer to policies. */
import { customers, instances, policies } from '../api/kinds.ts';
import { guardrailPolicyNames, type GatewayCustomer, type GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { definitionPermission } from '../lifecycle/lifecycle.ts';
import { type ControllerSpec, parseKey, when, type Runtime } from '../runtime/runtime.ts';
import { customerPolicyUses } from './customerReference.ts';
import { createDependencies } from './dependencies.ts';
import { PolicyReconciler } from './reconcile.ts';
import { policyUses, userOf } from './users.ts';

export {
  changedUsability,
  customerPolicyKey,
  customerPolicyProblem,
  customerPolicyUses,
  mayReferToPolicy,
  type CustomerPolicyProblem,
} from './customerReference.ts';
export { policyText, resourcePath } from './document.ts';
export { policyEnforcement } from './policyEnforcement.ts';
export { mattersToUsers, PolicyNotUsableError, usablePolicy, type UsablePolicy } from './reference.ts';
export { policyUses } from './users.ts';

/** Checks GuardrailPolicies, and reports who uses them. */
export function policyController(runtime: Runtime): ControllerSpec {
  return when(policies)
    .watches(instances, (instance) => policyUses(instance).map(parseKey), { changed: mattersToPolicies })
    .watches(customers, (customer) => customerPolicyUses(customer).map(parseKey), {
      changed: customerMattersToPolicies,
    })
    .needs(definitionPermission(guardrailPolicyNames))
    .reconcile(new PolicyReconciler(createDependencies(runtime)));
}

/** Whether an instance refers to another policy, or its pods have another revision of it, or it begins to be deleted. */
function mattersToPolicies(before: GatewayInstance, after: GatewayInstance): boolean {
  const facts = (instance: GatewayInstance): string => {
    const { revision, written, isSidecar } = userOf(instance);
    const { uid, deletionTimestamp } = instance.metadata;
    return JSON.stringify([uid, deletionTimestamp, policyUses(instance), revision, written, isSidecar]);
  };
  return facts(before) !== facts(after);
}

/** Whether a customer refers to another policy, or applies another revision of it, or begins to be deleted. */
function customerMattersToPolicies(before: GatewayCustomer, after: GatewayCustomer): boolean {
  const facts = (customer: GatewayCustomer): string => {
    const { metadata, status } = customer;
    const { name, revision } = status?.guardrailPolicy ?? {};
    const uses = customerPolicyUses(customer);
    return JSON.stringify([metadata.uid, metadata.deletionTimestamp, uses, name, revision, status?.ownership]);
  };
  return facts(before) !== facts(after);
}
