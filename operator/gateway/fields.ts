/**
 * A customer as a set of fields, named as in the spec. The desired, the observed and the applied fields all use these names,
 * so that they can be compared field by field.
 */
import type { BudgetRow, CustomerRow } from './schemas.ts';

/** The limits of a customer's budget. */
export interface LimitValues {
  maxBudget: number;
  budgetDuration: string;
  tpmLimit: number;
  rpmLimit: number;
}

/** The type of each field. */
export interface FieldValues extends LimitValues {
  alias: string;
  blocked: boolean;
  models: readonly string[];
  defaultModel: string;
  allowedModelRegion: string;
  budgetId: string;
  'objectPermission.mcpServers': readonly string[];
  'objectPermission.accessGroups': readonly string[];
  'objectPermission.vectorStores': readonly string[];
  'objectPermission.agents': readonly string[];
  metadata: Readonly<Record<string, string>>;
}

export type LimitField = keyof LimitValues;
export type Field = keyof FieldValues;
/** Some fields with their values. A field without a value is absent. */
export type Fields = Readonly<Partial<FieldValues>>;

/** The limits with their names at the gateway. */
export const limitNames = {
  maxBudget: 'max_budget',
  budgetDuration: 'budget_duration',
  tpmLimit: 'tpm_limit',
  rpmLimit: 'rpm_limit',
} as const satisfies Record<LimitField, keyof BudgetRow>;
export const limitFields = Object.keys(limitNames) as readonly LimitField[];

/** The fields of the customer's own row that are neither limits nor permissions, with their names at the gateway. */
export const rowNames = {
  alias: 'alias',
  blocked: 'blocked',
  models: 'models',
  defaultModel: 'default_model',
  allowedModelRegion: 'allowed_model_region',
  metadata: 'metadata',
} as const satisfies Partial<Record<Field, keyof CustomerRow>>;

/** The permissions with their names in `object_permission`. */
export const permissionNames = {
  'objectPermission.mcpServers': 'mcp_servers',
  'objectPermission.accessGroups': 'mcp_access_groups',
  'objectPermission.vectorStores': 'vector_stores',
  'objectPermission.agents': 'agents',
} as const satisfies Partial<Record<Field, string>>;

/** All fields, in the order in which messages name them. */
export const allFields: readonly Field[] = [
  'alias',
  'maxBudget',
  'budgetDuration',
  'budgetId',
  'tpmLimit',
  'rpmLimit',
  'models',
  'defaultModel',
  'allowedModelRegion',
  'blocked',
  'objectPermission.mcpServers',
  'objectPermission.accessGroups',
  'objectPermission.vectorStores',
  'objectPermission.agents',
  'metadata',
];

/** The fields that have a value. */
export function fieldsOf(fields: Fields): Field[] {
  return allFields.filter((field) => fields[field] !== undefined);
}

export function limitsOf(fields: Fields): Partial<LimitValues> {
  return pick(fields, isLimit);
}

/** Whether a field is a limit, which a budget row contains. */
export function isLimit(field: Field): boolean {
  return field in limitNames;
}

/** The fields that pass a test. */
export function pick(fields: Fields, test: (field: Field) => boolean): Fields {
  return Object.fromEntries(
    fieldsOf(fields)
      .filter(test)
      .map((field) => [field, fields[field]]),
  );
}

/** Whether a value is equivalent to no value. */
export function isEmpty(value: FieldValues[Field] | undefined): boolean {
  if (typeof value === 'object') return Object.keys(value).length === 0;
  return value === undefined || value === '' || value === false;
}

/** Whether two values are equal. Lists are compared as sets; an empty value equals no value. */
export function sameValue(one: FieldValues[Field] | undefined, other: FieldValues[Field] | undefined): boolean {
  if (isEmpty(one) || isEmpty(other)) return isEmpty(one) && isEmpty(other);
  return canonical(one) === canonical(other);
}

function canonical(value: FieldValues[Field] | undefined): string {
  if (isList(value)) return JSON.stringify([...new Set(value)].sort());
  if (typeof value === 'object') return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(value);
}

function isList(value: FieldValues[Field] | undefined): value is readonly string[] {
  return Array.isArray(value);
}
