/** The resources that refer to a policy. Pure. */
import type { GatewayCustomer, GatewayInstance, GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { callerProblem, instanceKeyOf } from '../connection/connection.ts';
import { type Index, keyText, type Lister, type ObjectKey } from '../runtime/runtime.ts';
import { mayReferToPolicy } from './customerReference.ts';

/** A resource that refers to a policy. */
export interface PolicyUser {
  readonly kind: string;
  readonly key: ObjectKey;
  /** The revision of the policy that every pod of its guardrail has; undefined: none is known. */
  readonly revision: string | undefined;
  /** The revision of the policy that is written for its guardrail; undefined: none is known. Customers do not tell. */
  readonly written: string | undefined;
  /** Whether the pods that it has can be waited for: a guardrail applies the policy, or is about to. */
  readonly isApplied: boolean;
  /** Whether its guardrail is a sidecar, which the operator can ask only with a further permission. */
  readonly isSidecar: boolean;
}

/** The sources of {@link usersOf}. */
export interface UserSources {
  readonly instances: Pick<Lister<GatewayInstance>, 'get'>;
  /** Instances by {@link policyUses}. */
  readonly byPolicy: Index<GatewayInstance>;
  /** Customers by {@link customerPolicyUses}. */
  readonly customersByPolicy: Index<GatewayCustomer>;
}

/** The index keys of an instance: the policy that it refers to. */
export function policyUses({ metadata, spec }: GatewayInstance): readonly string[] {
  const name = spec.guardrail?.policyRef?.name;
  return name === undefined ? [] : [keyText({ namespace: metadata.namespace, name })];
}

/**
 * The users of a policy: instances and then customers, in the order of their names. A resource that is being deleted no
 * longer needs its policy.
 */
export function usersOf(
  { instances, byPolicy, customersByPolicy }: UserSources,
  policy: GuardrailPolicy,
): readonly PolicyUser[] {
  const key = keyText(policy.metadata);
  const customers = customersByPolicy.get(key).filter((customer) => mayReferToPolicy(customer, policy.metadata));
  return [
    ...ordered(byPolicy.get(key).filter(isNeeding).map(userOf)),
    ...ordered(
      customers.filter(isNeeding).map((customer) => customerUserOf(customer, instances.get(instanceKeyOf(customer)))),
    ),
  ];
}

function isNeeding({ metadata }: GatewayInstance | GatewayCustomer): boolean {
  return metadata.deletionTimestamp === undefined;
}

function ordered(users: readonly PolicyUser[]): PolicyUser[] {
  const named = users.map((user) => ({ user, name: keyText(user.key) }));
  return named.sort((one, other) => (one.name < other.name ? -1 : 1)).map(({ user }) => user);
}

/** @param instance undefined if it does not exist */
function customerUserOf(customer: GatewayCustomer, instance: GatewayInstance | undefined): PolicyUser {
  const { kind, metadata, status } = customer;
  const { name, revision } = status?.guardrailPolicy ?? {};
  const { name: policy, namespace = metadata.namespace } = customer.spec.guardrailPolicyRef ?? {};
  const isLoaded = name === `${namespace}/${policy}`;
  return {
    kind,
    key: metadata,
    revision: isLoaded ? revision : undefined,
    written: undefined,
    isApplied: status?.ownership === 'Owned' && instance !== undefined && callerProblem(instance) === undefined,
    isSidecar: instance?.status?.guardrail?.mode === 'Sidecar',
  };
}

/**
 * An instance as a user of its policy. The revision that every pod has is what they have answered, while no other one is
 * written for them.
 */
export function userOf({ kind, metadata, status }: GatewayInstance): PolicyUser {
  const written = status?.guardrail?.policyRevision;
  const loaded = status?.policy?.revision;
  return {
    kind,
    key: metadata,
    revision: loaded === written ? loaded : undefined,
    written,
    isApplied: true,
    isSidecar: status?.guardrail?.mode === 'Sidecar',
  };
}

/** Names users for a message: `GatewayInstance main and GatewayCustomer team/acme`. Instances are in the policy's namespace. */
export function namesOf(users: readonly PolicyUser[], max = 10): string {
  const named = users
    .slice(0, max)
    .map(({ kind, key }) => `${kind} ${kind === 'GatewayInstance' ? key.name : keyText(key)}`);
  const more = users.length - named.length;
  return new Intl.ListFormat('en').format([...named, ...(more > 0 ? [`${more} more`] : [])]);
}
