/** What a budget resource owns at the gateway, and which of several resources owns a budget. Pure. */
import { annotations, type GatewayBudget, type GatewayBudgetStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayIdentity, MarkSubject, OwnershipMark } from '../connection/connection.ts';
import type { Tier, TierField } from '../gateway/gateway.ts';
import { tierFields } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { budgetIdOf } from './budgetResource.ts';
import { tierHash } from './desired.ts';

/** Whether the gateway has, or may have, a budget of this resource. */
export function ownsOrCreates(budget: GatewayBudget): boolean {
  const { status } = budget;
  if (isObserveOnly(budget)) return false;
  return status?.ownership === 'Owned' || status?.ownership === 'Creating';
}

/** What is proved about a resource at the gateway of its instance. */
export interface BudgetProof {
  /** Whether the status records that the budget is at this gateway. */
  readonly isHere: boolean;
  /** Whether the status is about another gateway: spec.endpoint of the instance was changed. */
  readonly isElsewhere: boolean;
  /** The owner mark, if it is valid at this gateway, or if the address of the gateway is unknown. */
  readonly mark: OwnershipMark | undefined;
}

/** What the mark of a budget is about. */
export function markSubject(budget: GatewayBudget): MarkSubject {
  const { namespace, name } = budget.metadata;
  return { kind: 'GatewayBudget', namespace, name, id: budgetIdOf(budget) };
}

/** The proofs for a resource. @param address the canonical address of the gateway; undefined if it is unknown */
export function proofFor(
  { identity }: { readonly identity: GatewayIdentity },
  budget: GatewayBudget,
  address: string | undefined,
): BudgetProof {
  const text = budget.metadata.annotations?.[annotations.ownerMark];
  const recorded = budget.status?.gateway;
  return {
    isHere: address !== undefined && recorded === identity.digest(address),
    isElsewhere: identity.isElsewhere(recorded, address),
    mark: text === undefined ? undefined : identity.verify(markSubject(budget), address, text),
  };
}

/** The ownership that the status records for this gateway; undefined before the first status. */
function recordedOwnership(budget: GatewayBudget, { isElsewhere }: BudgetProof): GatewayBudgetStatus['ownership'] {
  return isElsewhere ? undefined : budget.status?.ownership;
}

/** Whether the gateway has, or may have, a budget of this resource: {@link ownsOrCreates}, with the proofs. */
export function mayOwn(budget: GatewayBudget, proof: BudgetProof): boolean {
  if (isObserveOnly(budget)) return false;
  const recorded = recordedOwnership(budget, proof);
  return recorded === undefined ? proof.mark !== undefined : ownsOrCreates(budget);
}

/**
 * Whether a budget that the gateway reports belongs to this resource. A resource that was creating it when the operator
 * ended may have been overtaken by another client. If it must refuse budgets of others, only one with exactly the
 * announced values counts as its own. A resource without a status was restored from a backup: its mark decides.
 */
export function isOwn(
  budget: GatewayBudget,
  observed: Tier,
  { proof, policy }: { readonly proof: BudgetProof; readonly policy: 'Adopt' | 'Refuse' },
): boolean {
  switch (recordedOwnership(budget, proof)) {
    case 'Owned':
      return true;
    case 'Creating':
      return policy === 'Adopt' || budget.status?.specHash === tierHash(observed);
    case undefined:
      return proof.mark !== undefined;
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
  readonly proof: BudgetProof;
  /** Whether it refers to the same instance. */
  readonly sameInstance: boolean;
  /** Whether the gateway refused the key of its instance. */
  readonly keyRefused: boolean;
}

/**
 * The resource that owns the budget instead of this one. Precedence, in this order: a resource whose budget this gateway
 * has; one that was restored with its mark; the oldest; the one with the smaller uid. A claimant of another instance counts
 * only if it is proved that this gateway has its budget, and while the gateway does not refuse the key of its instance: an
 * instance without the key of the gateway must not keep others from their budgets.
 */
export function ownerBefore(own: Claimant, claimants: readonly Claimant[]): GatewayBudget | undefined {
  const ownRank = rankOf(own);
  return claimants
    .filter((claimant) => claimant.sameInstance || (!claimant.keyRefused && isProved(claimant)))
    .filter((other) => other.budget.metadata.uid !== own.budget.metadata.uid && rankOf(other) < ownRank)
    .sort((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1))[0]?.budget;
}

/** A sort key: the resource with the smaller one has precedence. */
function rankOf(claimant: Claimant): string {
  const { creationTimestamp, uid } = claimant.budget.metadata;
  const rank = isAtGateway(claimant) ? 0 : isProved(claimant) ? 1 : 2;
  return `${rank} ${creationTimestamp} ${uid}`;
}

function isAtGateway({ budget, proof }: Claimant): boolean {
  return proof.isHere && ownsOrCreates(budget);
}

function isProved(claimant: Claimant): boolean {
  const { budget, proof } = claimant;
  return isAtGateway(claimant) || (recordedOwnership(budget, proof) === undefined && proof.mark !== undefined);
}
