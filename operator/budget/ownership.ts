/** What a budget resource owns at the gateway, and which of several resources owns a budget. Pure. */
import type { GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import type { Tier, TierField } from '../gateway/gateway.ts';
import { tierFields } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { adoptionPolicyOf } from './budgetResource.ts';
import { tierHash } from './desired.ts';

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
export function isOwn(budget: GatewayBudget, observed: Tier): boolean {
  switch (budget.status?.ownership) {
    case 'Owned':
      return true;
    case 'Creating':
      return adoptionPolicyOf(budget) === 'Adopt' || budget.status.specHash === tierHash(observed);
    default:
      return false;
  }
}

/** The fields that the operator has set at the gateway, or may have set. */
export function appliedFields({ status }: GatewayBudget): ReadonlySet<TierField> {
  return new Set(tierFields.filter((field) => status?.appliedFields?.includes(field)));
}

/** A resource that names the same budget of the same gateway. */
export interface Claimant {
  readonly budget: GatewayBudget;
  /** Whether it refers to the same instance. */
  readonly sameInstance: boolean;
}

/**
 * The resource that owns the budget instead of this one. Precedence, in this order: a resource whose budget this gateway
 * has; the oldest; the one with the smaller uid. A claimant of another instance counts only if this gateway has its
 * budget: an instance with a wrong key must not keep others from their budgets.
 * @param gateway digest of the gateway's address, if known
 */
export function ownerBefore(
  budget: GatewayBudget,
  claimants: readonly Claimant[],
  gateway: string | undefined,
): GatewayBudget | undefined {
  const own = rankOf(budget, gateway);
  return claimants
    .filter((claimant) => claimant.sameInstance || isAtGateway(claimant.budget, gateway))
    .map((claimant) => claimant.budget)
    .filter((other) => other.metadata.uid !== budget.metadata.uid && rankOf(other, gateway) < own)
    .sort((one, other) => (rankOf(one, gateway) < rankOf(other, gateway) ? -1 : 1))[0];
}

/** A sort key: the resource with the smaller one has precedence. */
function rankOf(budget: GatewayBudget, gateway: string | undefined): string {
  const { creationTimestamp, uid } = budget.metadata;
  return `${isAtGateway(budget, gateway) ? 0 : 1} ${creationTimestamp} ${uid}`;
}

function isAtGateway(budget: GatewayBudget, gateway: string | undefined): boolean {
  return ownsOrCreates(budget) && gateway !== undefined && budget.status?.gateway === gateway;
}
