/** What the status of a budget says of the budget at its gateway. Pure. */
import type { Condition, GatewayBudget, GatewayBudgetStatus } from '../api/v1alpha1/v1alpha1.ts';
import { type BudgetConditionReason, currentCondition, type StandardConditionType } from '../conditions/conditions.ts';
import { allows, instanceKeyOf } from '../connection/connection.ts';
import {
  type ClaimRules,
  nextStatus as nextExternalStatus,
  type Outcome,
  type StatusGateway,
  type StatusRules,
  type Words,
} from '../external/external.ts';
import { type TierField, tierFields } from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';

/** How a reconcile of a budget ended. */
export interface BudgetOutcome extends Outcome {
  readonly reason: BudgetConditionReason;
  readonly ownership?: NonNullable<GatewayBudgetStatus['ownership']>;
  /** The id of the budget, if the gateway has it. */
  readonly budgetId?: string;
}

export const budgetWords: Words = { kind: 'GatewayBudget', noun: 'budget', record: 'budget', condition: 'Ready' };

const recordFields = ['specHash', 'appliedFields', 'gateway', 'budgetId'] as const;

const budgetStatus: StatusRules<GatewayBudget, BudgetOutcome> = {
  words: budgetWords,
  recordFields,
  notAllowed: [],
  // A resource that owns nothing describes no budget. One that only observes keeps the id while the gateway does not answer.
  ended(budget, { ownership, reason }) {
    if (ownership === 'Waiting' || ownership === 'Refused') return recordFields;
    if (!isObserveOnly(budget)) return [];
    return reason === 'NotAtGateway' ? recordFields : recordFields.filter((field) => field !== 'budgetId');
  },
  fields: {
    budgetId: ({ budgetId }) => budgetId,
    lastChangeTime: ({ wrote }, _budget, now) => (wrote === true ? now.toISOString() : undefined),
  },
};

/**
 * The status after an outcome.
 * @param customers the number of customers that use the budget
 * @returns the same object if nothing changed
 */
export function nextStatus(
  budget: GatewayBudget,
  outcome: BudgetOutcome,
  customers: number,
  now: Date,
  gateway?: StatusGateway,
): GatewayBudgetStatus {
  const rules = { ...budgetStatus, fields: { ...budgetStatus.fields, customers: () => customers } };
  return nextExternalStatus(rules, budget, outcome, now, gateway);
}

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
