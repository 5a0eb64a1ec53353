/** What the gateway's budget should contain, and how it differs. Pure. */
import { createHash } from 'node:crypto';
import type { GatewayBudgetSpec } from '../api/v1alpha1/v1alpha1.ts';
import { sameTierValue, type Tier, type TierField, tierFields, type TierValues } from '../gateway/gateway.ts';

/** The fields that a spec names. Other fields are cleared if the operator has set them, and otherwise not changed. */
export function desiredTier(spec: GatewayBudgetSpec): Tier {
  const named = tierFields.filter((field) => spec[field] !== undefined);
  // Each value is the spec's field of the same name, so the types agree.
  return Object.fromEntries(named.map((field) => [field, spec[field]]));
}

/** A hash of a tier that does not depend on the order of models. */
export function tierHash(tier: Tier): string {
  const canonical = tierFields
    .filter((field) => !sameTierValue(tier[field], undefined))
    .map((field) => [field, sorted(tier[field])]);
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 32);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([name, inner]) => [name, sorted(inner)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The changes that a budget needs: a value for each field that differs, null for each field to clear. */
export type TierChanges = { readonly [Field in TierField]?: TierValues[Field] | null };

/**
 * Compares the gateway's budget with the desired fields. Only changes are sent: a duration that is sent again starts a
 * new period.
 * @param applied the fields that the operator has set; those that are no longer desired are cleared
 */
export function changesOf(desired: Tier, applied: ReadonlySet<TierField>, observed: Tier): TierChanges {
  const changed = tierFields.flatMap((field) => {
    const value = desired[field];
    if (value === undefined && !applied.has(field)) return [];
    return sameTierValue(value, observed[field]) ? [] : [[field, value ?? null] as const];
  });
  return Object.fromEntries(changed);
}

/** The fields that a change names, in the order of messages. */
export function changedFields(changes: TierChanges): TierField[] {
  return tierFields.filter((field) => changes[field] !== undefined);
}
