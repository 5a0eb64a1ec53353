/** How budgets claim what a gateway has. Pure. */
import type { Condition, GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import { currentCondition, type StandardConditionType } from '../conditions/conditions.ts';
import { allows, instanceKeyOf } from '../connection/connection.ts';
import type { ClaimRules, Ownership } from '../external/external.ts';
import { type Tier, type TierField, tierFields } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { tierHash } from './desired.ts';

/** The status announces a creation. A mark decides where there is no status: the resource was restored from a backup. */
export const budgetClaims: ClaimRules<GatewayBudget, TierField> = {
  markKind: 'GatewayBudget',
  idOf: budgetIdOf,
  isAdmitted: (instance, { metadata }) => allows(instance, metadata.namespace),
  // Customers of every namespace may share a budget, so only the owner of the gateway may change one that it has already.
  adoptsOnlyAtInstance: true,
  stateOf({ ownership }, marked) {
    if (ownership === 'Owned') return 'owned';
    return ownership === 'Creating' || (ownership === undefined && marked) ? 'pending' : 'none';
  },
  fields: tierFields,
};

/** Whether the gateway has, or may have, a budget of this resource. */
export function ownsOrCreates(budget: GatewayBudget): boolean {
  const { status } = budget;
  if (isObserveOnly(budget)) return false;
  return status?.ownership === 'Owned' || status?.ownership === 'Creating';
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

/**
 * The id of the budget at the gateway. Outside the namespace of the instance, it begins with the namespace, which contains
 * no dot: whoever applies an id first must not keep the admin of the instance, or another namespace, out of it.
 */
export function budgetIdOf(budget: GatewayBudget): string {
  const { spec, metadata } = budget;
  const id = spec.budgetId ?? metadata.name;
  return instanceKeyOf(budget).namespace === metadata.namespace ? id : `${metadata.namespace}.${id}`;
}

/** The condition of a type, if the budget has one. */
export function conditionOf(budget: GatewayBudget, type: StandardConditionType): Condition | undefined {
  return currentCondition(budget, type);
}

export function isReady(budget: GatewayBudget): boolean {
  return conditionOf(budget, 'Ready')?.status === 'True';
}
