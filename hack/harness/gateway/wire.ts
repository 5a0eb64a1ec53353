import { float, type JsonObject } from './json.ts';
import type { Budget, Customer, Records } from './records.ts';

/** What the answers of the budget endpoints name and never contain. */
const RELATIONS = [
  ...['organization', 'projects', 'keys', 'end_users', 'tags', 'model_access_groups'],
  ...['team_membership', 'organization_membership'],
];

/** @returns a budget row in the format of `/budget/*`, with the columns in the order of the real gateway */
export function budgetWire(budget: Budget): unknown {
  return {
    budget_id: budget.budget_id,
    max_budget: float(budget.max_budget),
    soft_budget: float(budget.soft_budget),
    ...rateLimits(budget),
    budget_reset_at: budget.budget_reset_at,
    allowed_models: [],
    temp_budget_increase: null,
    temp_budget_expiry: null,
    ...{ created_at: budget.created_at, created_by: 'default_user_id' },
    ...{ updated_at: budget.updated_at, updated_by: 'default_user_id' },
    ...Object.fromEntries(RELATIONS.map((name) => [name, null])),
  };
}

/** @returns a customer row in the format of `/customer/*`, with the linked budget's columns in their order */
export function customerWire(customer: Customer, records: Records, proxyName: string): unknown {
  const budget = customer.budget_id === null ? undefined : records.budgets.get(customer.budget_id);
  return {
    user_id: customer.user_id,
    blocked: customer.blocked,
    alias: customer.alias,
    spend: float(customer.spend),
    allowed_model_region: customer.allowed_model_region,
    default_model: customer.default_model,
    models: customer.models,
    budget_id: customer.budget_id,
    [`${proxyName}_budget_table`]: budget === undefined ? null : linkedBudget(budget),
    object_permission_id: customer.object_permission_id,
    object_permission: customer.object_permission,
  };
}

function linkedBudget(budget: Budget): unknown {
  return {
    budget_id: budget.budget_id,
    soft_budget: float(budget.soft_budget),
    max_budget: float(budget.max_budget),
    ...rateLimits(budget),
    allowed_models: [],
    temp_budget_increase: null,
    temp_budget_expiry: null,
    budget_reset_at: budget.budget_reset_at,
    created_at: budget.created_at,
  };
}

/** @returns the columns that follow the amounts in both formats */
function rateLimits(budget: Budget): JsonObject {
  return {
    max_parallel_requests: budget.max_parallel_requests,
    tpm_limit: budget.tpm_limit,
    rpm_limit: budget.rpm_limit,
    tpd_limit: budget.tpd_limit,
    model_max_budget: null,
    budget_duration: budget.budget_duration,
  };
}

/** @returns `['a', 'b']`, as Python prints a list of strings */
export function pythonList(items: readonly string[]): string {
  return `[${items.map(pythonString).join(', ')}]`;
}

/** @returns a string as Python prints it: in single quotes, or in double quotes if it contains a single quote */
export function pythonString(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return escaped.includes("'") && !escaped.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`;
}
