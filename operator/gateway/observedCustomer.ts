import type { Field, Fields } from './fields.ts';
import { fieldsOf, limitFields, limitNames, permissionNames, pick, rowNames } from './fields.ts';
import { isLiteLlm, linkedBudget, textOrNone } from './litellmQuirks.ts';
import type { CustomerRow } from './schemas.ts';
import { budgetFields } from './schemas.ts';

/** Limits without a field in the spec. They are copied when a customer gets its own budget row. */
const otherLimits = ['tpd_limit', 'soft_budget', 'max_parallel_requests'] as const;
/** The columns that are copied from one budget row to another. */
export const budgetColumns = [...Object.values(limitNames), ...otherLimits] as const;
export type BudgetColumn = (typeof budgetColumns)[number];
/** Limits under their names at the gateway. */
export type BudgetColumns = Readonly<Partial<Record<BudgetColumn, number | string>>>;

/** A customer as the gateway reports it. */
export interface ObservedCustomer {
  readonly customerId: string;
  /** Whether the gateway is LiteLLM, with any proxy name. */
  readonly isLiteLlm: boolean;
  readonly spend: number | undefined;
  readonly blocked: boolean;
  /** The fields that have a value, including limits of a linked tier. */
  readonly fields: Fields;
  /** The fields that occur in this gateway's responses, with or without a value. */
  readonly reported: ReadonlySet<Field>;
  /** The budget row that the customer is linked to. */
  readonly budgetId: string | undefined;
  /** The limits in that row. */
  readonly budget: BudgetColumns;
  /** All lists of `object_permission`, including those without a field in the spec. */
  readonly permissions: Readonly<Record<string, readonly string[]>>;
}

/** Converts a response of `/customer/info`. */
export function observe(row: CustomerRow): ObservedCustomer {
  const linked = linkedBudget(row);
  const parsed = budgetFields.safeParse(linked ?? row);
  const columns = parsed.success ? parsed.data : {};
  const budget = Object.fromEntries(
    budgetColumns.flatMap((column) => {
      const value = columns[column];
      return value === null || value === undefined || value === '' ? [] : [[column, value]];
    }),
  );
  const permissions = Object.fromEntries(
    Object.entries(row.object_permission ?? {}).filter(
      (entry): entry is [string, string[]] => Array.isArray(entry[1]) && entry[1].every((v) => typeof v === 'string'),
    ),
  );
  const budgetId = textOrNone(row.budget_id);
  const all: Partial<Record<Field, unknown>> = {
    alias: textOrNone(row.alias),
    blocked: row.blocked ?? undefined,
    models: row.models ?? undefined,
    defaultModel: textOrNone(row.default_model),
    allowedModelRegion: textOrNone(row.allowed_model_region),
    metadata: row.metadata ?? undefined,
    budgetId,
  };
  for (const field of limitFields) all[field] = budget[limitNames[field]];
  for (const [field, name] of Object.entries(permissionNames)) all[field as Field] = permissions[name];
  return {
    customerId: row.user_id,
    isLiteLlm: isLiteLlm(row),
    spend: row.spend ?? undefined,
    blocked: row.blocked ?? false,
    // The schema of the response has validated each value.
    fields: pick(all as Fields, () => true),
    reported: new Set(reportedIn(row, linked)),
    budgetId,
    budget,
    permissions,
  };
}

function reportedIn(row: CustomerRow, linked: unknown): Field[] {
  const named = (Object.keys(rowNames) as (keyof typeof rowNames)[]).filter((field) => rowNames[field] in row);
  const hasBudget = 'budget_id' in row || isLiteLlm(row);
  const columns = typeof linked === 'object' && linked !== null ? linked : undefined;
  const limits = limitFields.filter((field) =>
    columns === undefined ? hasBudget || limitNames[field] in row : limitNames[field] in columns,
  );
  const permissions = 'object_permission' in row ? (Object.keys(permissionNames) as Field[]) : [];
  return [...named, ...limits, ...permissions, ...('budget_id' in row ? (['budgetId'] as const) : [])];
}

export function observedFields(observed: ObservedCustomer): Field[] {
  return fieldsOf(observed.fields);
}
