/** The budget that a spec asks for, and how it differs from the budget of the gateway. Pure. */
import type { GatewayBudget, GatewayBudgetSpec } from '../api/v1alpha1/v1alpha1.ts';
import { hashOf, type Ownership } from '../external/external.ts';
import { sameTierValue, type Tier, type TierField, tierFields, type TierValues } from '../gateway/gateway.ts';

/** The fields that a spec names. Other fields are cleared if the operator has set them, and otherwise not changed. */
export function desiredTier(spec: GatewayBudgetSpec): Tier {
  const named = tierFields.filter((field) => spec[field] !== undefined);
  // Each value is the spec's field of the same name, so the types agree.
  return Object.fromEntries(named.map((field) => [field, spec[field]]));
}

/** A hash of a tier. */
export function tierHash(tier: Tier): string {
  return hashOf(Object.fromEntries(Object.entries(tier).filter(([, value]) => !sameTierValue(value, undefined))));
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

/**
 * Whether a budget that the gateway reports belongs to this resource. A resource that was creating it when the operator
 * ended may have been overtaken by another client. If it must refuse budgets of others, only one with exactly the
 * announced values counts as its own.
 */
export function isOwn(
  budget: GatewayBudget,
  observed: Tier,
  { ownership, policy }: { readonly ownership: Ownership; readonly policy: 'Adopt' | 'Refuse' },
): boolean {
  if (ownership.status !== 'Creating') return ownership.state !== 'none';
  return policy === 'Adopt' || budget.status?.specHash === tierHash(observed);
}
