/** The status of a budget after a reconcile. Pure. */
import type { Condition, GatewayBudget, GatewayBudgetStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { BudgetConditionReason } from '../conditions/conditions.ts';
import { needsUser, nextReason, readyConditions } from '../conditions/conditions.ts';
import { type Outcome, withSyncTime } from '../external/external.ts';
import type { TierField } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';

/** What the gateway has after a sync, or will have after an announced write. */
export interface AppliedTier {
  readonly specHash: string;
  readonly fields: readonly TierField[];
}

/** How a reconcile of a budget ended. */
export interface BudgetOutcome extends Outcome {
  readonly reason: BudgetConditionReason;
  readonly ownership?: NonNullable<GatewayBudgetStatus['ownership']>;
  readonly applied?: AppliedTier;
  /** The id of the budget, if the gateway has it. */
  readonly budgetId?: string;
}

/**
 * The status after an outcome.
 * @param customers the number of customers that use the budget
 * @param gateway digest of the address of the outcome, see `status.gateway`; undefined: the outcome is about no gateway
 * @returns the same object if nothing changed
 */
export function nextStatus(
  budget: GatewayBudget,
  outcome: BudgetOutcome,
  customers: number,
  now: Date,
  gateway?: string,
): GatewayBudgetStatus {
  const before = budget.status ?? {};
  const after: GatewayBudgetStatus = {
    ...retained(budget, outcome),
    customers,
    observedGeneration: budget.metadata.generation,
    ...(isObserveOnly(budget) ? { ownership: 'Observed' } : {}),
    ...(outcome.ownership === undefined ? {} : { ownership: outcome.ownership }),
    ...(outcome.ownership !== undefined && gateway !== undefined ? { gateway } : {}),
    ...(outcome.applied === undefined ? {} : appliedStatus(outcome.applied)),
    ...(outcome.budgetId === undefined ? {} : { budgetId: outcome.budgetId }),
    ...(outcome.syncRequest === undefined ? {} : { lastHandledSyncRequest: outcome.syncRequest }),
    ...(outcome.wrote === true ? { lastChangeTime: now.toISOString() } : {}),
    conditions: conditionsOf(budget, outcome, now),
  };
  return withSyncTime(before, after, outcome, now);
}

/** The fields of the previous status that remain. A resource that owns nothing has none that describe a budget. */
function retained(budget: GatewayBudget, { ownership, reason }: BudgetOutcome): GatewayBudgetStatus {
  const before = budget.status ?? {};
  const ownsNothing = ownership === 'Waiting' || ownership === 'Refused';
  if (!ownsNothing && !isObserveOnly(budget)) return before;
  const { appliedFields: _fields, specHash: _hash, gateway: _gateway, budgetId, ...rest } = before;
  // A budget that is only observed keeps its id while the gateway does not answer.
  const keepsId = !ownsNothing && reason !== 'NotAtGateway' && budgetId !== undefined;
  return keepsId ? { ...rest, budgetId } : rest;
}

function appliedStatus({ specHash, fields }: AppliedTier): Partial<GatewayBudgetStatus> {
  return { specHash, appliedFields: [...fields] };
}

function conditionsOf(budget: GatewayBudget, { synced, reason, message }: BudgetOutcome, now: Date): Condition[] {
  const state = {
    status: synced ? ('True' as const) : ('False' as const),
    reason: nextReason(budget, 'Ready', reason),
    message,
  };
  return readyConditions(budget, now, state, needsUser(reason) ? state : undefined);
}
