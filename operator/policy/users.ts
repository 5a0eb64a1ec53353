/** The resources that refer to a policy. Pure. A further kind that refers to policies is added here. */
import type { GatewayInstance, GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { type Index, keyText, type ObjectKey } from '../runtime/runtime.ts';

/** A resource that refers to a policy. */
export interface PolicyUser {
  readonly kind: string;
  readonly key: ObjectKey;
  /** The revision of the policy that it has; undefined: none is known. */
  readonly revision: string | undefined;
}

/** The sources of {@link usersOf}. */
export interface UserSources {
  /** Instances by {@link policyUses}. */
  readonly byPolicy: Index<GatewayInstance>;
}

/** The index keys of an instance: the policy that it refers to. */
export function policyUses({ metadata, spec }: GatewayInstance): readonly string[] {
  const name = spec.guardrail?.policyRef?.name;
  return name === undefined ? [] : [keyText({ namespace: metadata.namespace, name })];
}

/** The users of a policy, in the order of their names. An instance that is being deleted no longer needs its policy. */
export function usersOf({ byPolicy }: UserSources, policy: GuardrailPolicy): readonly PolicyUser[] {
  return byPolicy
    .get(keyText(policy.metadata))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((instance) => ({ kind: instance.kind, key: instance.metadata, revision: revisionOf(instance) }))
    .sort((one, other) => keyText(one.key).localeCompare(keyText(other.key)));
}

/**
 * The revision of the policy that an instance has: the one that the operator has written for its guardrail. This is the only
 * place that decides it. What the pods answer to `GET /configuration` would be read here.
 */
export function revisionOf({ status }: GatewayInstance): string | undefined {
  return status?.guardrail?.policyRevision;
}

/** Names users for a message: `GatewayInstance main and GatewayInstance test`. All are in the namespace of the policy. */
export function namesOf(users: readonly PolicyUser[], max = 10): string {
  const named = users.slice(0, max).map(({ kind, key }) => `${kind} ${key.name}`);
  const more = users.length - named.length;
  return new Intl.ListFormat('en').format([...named, ...(more > 0 ? [`${more} more`] : [])]);
}
