/** The condition DefaultBudgetEnforced. Pure. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import type { BudgetNotUsableError } from '../budget/budget.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { notRequested } from '../conditions/conditions.ts';
import type { BudgetSettings } from '../configuration/configuration.ts';

type Condition = ConditionState<'DefaultBudgetEnforced'>;

/** The inputs of the condition. */
export interface BudgetFacts {
  readonly settings: BudgetSettings | undefined;
  readonly failure: Condition | undefined;
}

export const notRequestedBudget: Condition = notRequested(
  'The spec requests no default budget for customers that have no budget themselves.',
);

export const unverified: Condition = {
  status: 'Unknown',
  reason: 'NotReachable',
  message: 'Cannot verify the default budget: the gateway is unreachable.',
};

/** The GatewayBudget of spec.defaultCustomerBudget.budgetRef does not exist, is not Ready, or belongs to another instance. */
export function budgetNotUsable({ reason, message }: BudgetNotUsableError): Condition {
  return { status: 'False', reason, message };
}

export function tierNotFound(budgetId: string): Condition {
  const message = `The gateway has no budget ${budgetId}. Create it at the gateway, or correct spec.defaultCustomerBudget.budgetId.`;
  return { status: 'False', reason: 'BudgetNotFound', message };
}

export function rowNotDeleted(rowId: string): Condition {
  const message = `The budget row ${rowId} of the previous default budget is not deleted yet, because the gateway is unreachable or rejected the deletion. The operator retries.`;
  return { status: 'False', reason: 'NotReachable', message };
}

/** LiteLLM's setting `max_end_user_budget` is an amount without a period. */
export function periodNotSupported(budgetDuration: string): Condition {
  return {
    status: 'False',
    reason: 'NotSupported',
    message:
      `The gateway has no /budget API, so it ignores the period ${budgetDuration} and each customer can spend the default budget only once. ` +
      'Remove spec.defaultCustomerBudget.budgetDuration to accept this, or replace it and maxBudget by budgetId, a budget tier of the gateway.',
  };
}

/** The condition, computed after it is known whether the gateway runs with its configuration. */
export function defaultBudgetCondition(
  instance: GatewayInstance,
  { settings, failure }: BudgetFacts,
  configured: ConditionState<'ProxyConfigured'>,
): Condition {
  if (failure !== undefined) return failure;
  if (instance.spec.proxyConfig === undefined) {
    return {
      status: 'False',
      reason: 'ProxyConfigRequired',
      message: `The gateway reads its default budget from its configuration, which the operator does not manage. Set spec.proxyConfig, or add ${settingNames(instance, settings)} to the configuration yourself.`,
    };
  }
  if (configured.status !== 'True') {
    const message = `The gateway does not run with the default budget yet: ${configured.message}`;
    return { status: 'False', reason: 'ProxyNotConfigured', message };
  }
  return {
    status: 'True',
    reason: 'Enforced',
    message: `The gateway runs with ${settingNames(instance, settings)}.${periodOf(instance)}`,
  };
}

function periodOf({ spec: { defaultCustomerBudget: budget } }: GatewayInstance): string {
  if (budget?.maxBudget === undefined) return '';
  return budget.budgetDuration === undefined
    ? ' Each customer can spend it once, because budgetDuration is not set.'
    : ` The spend of each customer restarts at zero every ${budget.budgetDuration}.`;
}

function settingNames(instance: GatewayInstance, settings: BudgetSettings | undefined): string {
  const section = `${instance.spec.proxyName ?? instanceDefaults.proxyName}_settings`;
  return [
    ...(settings?.maxBudget === undefined ? [] : [`${section}.max_end_user_budget: ${settings.maxBudget}`]),
    ...(settings?.budgetId === undefined ? [] : [`${section}.max_end_user_budget_id: ${settings.budgetId}`]),
  ].join(' and ');
}
