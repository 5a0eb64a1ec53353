/** Turns the records of a gateway into the specs of resources. Pure. */
import type { GatewayBudgetSpec, GatewayCustomerSpec, ObjectPermission } from '../api/v1alpha1/v1alpha1.ts';
import {
  type BudgetRow,
  type CustomerRow,
  type Fields,
  isOperatorRow,
  type LimitValues,
  nameOf,
  observe,
  permissionFields,
  readFields,
  type Tier,
  tierFields,
} from '../gateway/gateway.ts';
import { areNames, isAmount, isCount, isDuration, isText } from './values.ts';

/** The fields of a spec that describe a record. */
export type CustomerFields = Omit<GatewayCustomerSpec, 'instanceRef' | 'customerId'>;
export type BudgetFields = Omit<GatewayBudgetSpec, 'instanceRef' | 'budgetId'>;

/** What a spec says of a record. */
export interface Described<T> {
  readonly spec: T;
  /** The fields of the record that the spec cannot express. Their values stay at the gateway as they are. */
  readonly unexpressed: readonly string[];
}

type Check = (value: unknown) => boolean;

const limits: Readonly<Record<keyof LimitValues, Check>> = {
  maxBudget: isAmount,
  budgetDuration: isDuration,
  tpmLimit: (value) => isCount(value),
  rpmLimit: (value) => isCount(value),
};

const maxInt32 = 2 ** 31 - 1;
const tierChecks: Readonly<Record<keyof Tier, Check>> = {
  ...limits,
  softBudget: isAmount,
  maxParallelRequests: (value) => isCount(value, maxInt32),
  modelMaxBudget: isModelLimits,
};

const customerChecks: Readonly<Partial<Record<keyof Fields, Check>>> = {
  alias: (value) => isText(value, 256),
  ...limits,
  budgetId: isReferable,
  models: (value) => areNames(value, 1024),
  defaultModel: (value) => isText(value, 256),
  allowedModelRegion: (value) => isText(value, 64),
  blocked: (value) => typeof value === 'boolean',
  metadata: isMetadata,
};

/** Whether the spec of a customer can name a budget by its id. */
export function isReferable(id: unknown): id is string {
  return isText(id, 256) && !isOperatorRow(id);
}

/** The fields of a customer. The limits of a linked budget are those of the budget: the spec names its id instead. */
export function describeCustomer(row: CustomerRow): Described<CustomerFields> {
  const { fields, budgetId, permissions: lists } = observe(row);
  const isLinked = budgetId !== undefined;
  const unexpressed: string[] = [];
  const spec: Record<string, unknown> = {};
  for (const [field, check] of Object.entries(customerChecks)) {
    const value = fields[field as keyof Fields];
    if (isNothing(value) || (isLinked && field in limits)) continue;
    if (check(value)) spec[field] = Array.isArray(value) ? [...new Set(value as string[])] : value;
    else unexpressed.push(field);
  }
  const permission: ObjectPermission = {};
  for (const field of permissionFields) {
    const value = fields[field];
    if (isNothing(value)) continue;
    const list = field.slice('objectPermission.'.length) as keyof ObjectPermission;
    if (areNames(value, 256)) permission[list] = [...new Set(value)];
    else unexpressed.push(field);
  }
  if (Object.keys(permission).length > 0) spec.objectPermission = permission;
  const expressed = permissionFields.map(nameOf);
  const others = Object.entries(lists).filter(([name, list]) => !expressed.includes(name) && list.length > 0);
  unexpressed.push(...others.map(([name]) => `object_permission.${name}`));
  if (!isNothing(row.object_permission?.mcp_tool_permissions)) {
    unexpressed.push('object_permission.mcp_tool_permissions');
  }
  return { spec, unexpressed };
}

/** The columns of a budget without a field in the spec. */
const otherColumns = ['tpd_limit', 'allowed_models', 'temp_budget_increase'] as const;

/** The limits of a budget. */
export function describeBudget(row: BudgetRow): Described<BudgetFields> {
  const tier = readFields(tierFields, row);
  const entries = Object.entries(tierChecks).map(([field, check]) => ({
    field,
    check,
    value: tier[field as keyof Tier],
  }));
  const present = entries.filter(({ value }) => value !== undefined);
  const spec = Object.fromEntries(
    present.filter(({ check, value }) => check(value)).map(({ field, value }) => [field, value]),
  );
  const refused = present.filter(({ check, value }) => !check(value)).map(({ field }) => field);
  const isUnread = !isNothing(row.model_max_budget) && tier.modelMaxBudget === undefined;
  return {
    spec,
    unexpressed: [
      ...refused,
      ...(isUnread ? ['modelMaxBudget'] : []),
      ...otherColumns.filter((column) => !isNothing(row[column])),
    ],
  };
}

function isModelLimits(value: unknown): boolean {
  const models = Object.values((value ?? {}) as Record<string, Partial<LimitValues>>);
  const isValid = (given: Partial<LimitValues>): boolean =>
    Object.entries(given).every(([field, limit]) => limits[field as keyof LimitValues](limit));
  return models.length <= 64 && models.every(isValid);
}

function isMetadata(value: unknown): boolean {
  const entries = Object.values((value ?? {}) as Record<string, unknown>);
  return entries.length <= 128 && entries.every((text) => text === '' || isText(text, 4096));
}

/** Whether a value is equivalent to no value. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === false;
}
