/** The resources that refer to a policy. Pure. A further kind that refers to policies is added here. */
import type { GatewayInstance, GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { type Index, keyText, type ObjectKey } from '../runtime/runtime.ts';

/** A resource that refers to a policy. */
export interface PolicyUser {
  readonly kind: string;
  readonly key: ObjectKey;
  /** The revision of the policy that every pod of its guardrail has; undefined: none is known. */
  readonly revision: string | undefined;
  /** The revision of the policy that is written for its guardrail; undefined: none is known. */
  readonly written: string | undefined;
  /** Whether its guardrail is a sidecar, which the operator can ask only with a further permission. */
  readonly isSidecar: boolean;
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
    .map(userOf)
    .sort((one, other) => keyText(one.key).localeCompare(keyText(other.key)));
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
    isSidecar: status?.guardrail?.mode === 'Sidecar',
  };
}

/** Names users for a message: `GatewayInstance main and GatewayInstance test`. All are in the namespace of the policy. */
export function namesOf(users: readonly PolicyUser[], max = 10): string {
  const named = users.slice(0, max).map(({ kind, key }) => `${kind} ${key.name}`);
  const more = users.length - named.length;
  return new Intl.ListFormat('en').format([...named, ...(more > 0 ? [`${more} more`] : [])]);
}
