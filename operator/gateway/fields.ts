/**
 * The records of customers and budgets as sets of fields, named as in the spec. One table says where the gateway has each field;
 * the functions read the fields from a spec and from a record, compare them, and write them. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import type { BudgetRow, CustomerRow } from './schemas.ts';

/** The limits of a customer's budget. */
export interface LimitValues {
  maxBudget: number;
  budgetDuration: string;
  tpmLimit: number;
  rpmLimit: number;
}

/** The type of each field of a customer. */
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

/** The type of each field of a budget, which several customers may share. */
export interface TierValues extends LimitValues {
  softBudget: number;
  maxParallelRequests: number;
  /** The limits for single models, by the name of the model. */
  modelMaxBudget: Readonly<Record<string, Readonly<Partial<LimitValues>>>>;
}

/** The type of each field of a key. */
export interface KeyValues extends LimitValues {
  models: readonly string[];
  maxParallelRequests: number;
  teamId: string;
}

type AllValues = FieldValues & TierValues & KeyValues;
type AnyField = keyof AllValues;
export type LimitField = keyof LimitValues;
export type Field = keyof FieldValues;
export type TierField = keyof TierValues;
export type KeyField = keyof KeyValues;
/** Some fields with their values. A field without a value is absent. */
export type Values<F extends AnyField> = { readonly [Name in F]?: AllValues[Name] };
export type Fields = Values<Field>;
export type Tier = Values<TierField>;

/**
 * Where the gateway has a field: in the customer's row, as the link from there to a budget row, in the customer's permissions, in
 * every budget row, only in the rows of budgets that customers share, or only in keys. A key has its fields in its own row.
 */
type Place = 'row' | 'link' | 'permission' | 'limit' | 'tier' | 'key';

interface Column {
  readonly at: Place;
  readonly name: string;
  /** The value that clears the column. */
  readonly cleared: unknown;
}

/** @param cleared LiteLLM ignores null in `/customer/update` */
const row = (name: keyof CustomerRow, cleared: unknown): Column => ({ at: 'row', name, cleared });
const budget = (at: 'limit' | 'tier', name: keyof BudgetRow): Column => ({ at, name, cleared: null });
const permission = (name: string): Column => ({ at: 'permission', name, cleared: [] });

/** All fields, in the order in which messages name them. */
const columns: Readonly<Record<AnyField, Column>> = {
  alias: row('alias', ''),
  maxBudget: budget('limit', 'max_budget'),
  budgetDuration: budget('limit', 'budget_duration'),
  budgetId: { at: 'link', name: 'budget_id', cleared: null },
  tpmLimit: budget('limit', 'tpm_limit'),
  rpmLimit: budget('limit', 'rpm_limit'),
  softBudget: budget('tier', 'soft_budget'),
  maxParallelRequests: budget('tier', 'max_parallel_requests'),
  modelMaxBudget: budget('tier', 'model_max_budget'),
  models: row('models', []),
  defaultModel: row('default_model', ''),
  // LiteLLM does not clear it: it accepts only eu and us. Other gateways clear it by null.
  allowedModelRegion: row('allowed_model_region', null),
  blocked: row('blocked', false),
  'objectPermission.mcpServers': permission('mcp_servers'),
  'objectPermission.accessGroups': permission('mcp_access_groups'),
  'objectPermission.vectorStores': permission('vector_stores'),
  'objectPermission.agents': permission('agents'),
  metadata: row('metadata', {}),
  teamId: { at: 'key', name: 'team_id', cleared: null },
};
const anyFields = Object.keys(columns) as readonly AnyField[];

function fieldsAt(...places: readonly Place[]): readonly AnyField[] {
  return anyFields.filter((field) => places.includes(columns[field].at));
}

// The table says which fields a kind has, so the types agree.
/** All fields of customers. */
export const allFields = fieldsAt('row', 'link', 'permission', 'limit') as readonly Field[];
/** All fields of budgets. */
export const tierFields = fieldsAt('limit', 'tier') as readonly TierField[];
/** All fields of keys. */
export const keyFields: readonly KeyField[] = [
  ...(['models', 'maxParallelRequests', 'teamId'] as const),
  ...(fieldsAt('limit') as readonly LimitField[]),
];
export const limitFields = fieldsAt('limit') as readonly LimitField[];
export const rowFields = fieldsAt('row') as readonly Field[];
export const permissionFields = fieldsAt('permission') as readonly Extract<Field, `objectPermission.${string}`>[];

/** The name of a field at the gateway. */
export function nameOf(field: AnyField): string {
  return columns[field].name;
}

/** Whether a field is a limit, which a budget row contains. */
export function isLimit(field: AnyField): field is LimitField {
  return columns[field].at === 'limit';
}

/** The fields that have a value. */
export function fieldsOf<F extends AnyField>(values: Readonly<Partial<Record<F, unknown>>>): F[] {
  return anyFields.filter((field): field is F => values[field as F] !== undefined);
}

export function limitsOf(fields: Fields): Partial<LimitValues> {
  return pick(fields, isLimit);
}

/** The fields that pass a test. */
export function pick<F extends AnyField>(values: Values<F>, test: (field: F) => boolean): Values<F> {
  const picked = fieldsOf(values).filter(test);
  return Object.fromEntries(picked.map((field) => [field, values[field]])) as Values<F>;
}

/**
 * The fields that a spec names, also empty ones. Other fields are cleared if the operator has set them, and otherwise not changed.
 * @param fields those of the kind
 */
export function desiredOf<F extends AnyField>(fields: readonly F[], spec: object): Values<F> {
  const { objectPermission, ...rest } = spec as Readonly<Record<string, unknown>>;
  const lists = Object.entries((objectPermission ?? {}) as Readonly<Record<string, unknown>>);
  const named: Readonly<Record<string, unknown>> = {
    ...rest,
    ...Object.fromEntries(lists.map(([list, value]) => [`objectPermission.${list}`, value])),
  };
  // Each value is the spec's field of the same name, so the types agree.
  return pick(named as Values<F>, (field) => fields.includes(field));
}

/** The fields that have a value in a row, or in a part of one. The schema of the row has validated each value. */
export function readFields<F extends AnyField>(
  fields: readonly F[],
  row: Readonly<Record<string, unknown>>,
): Values<F> {
  const values = fields.map((field) => {
    const value = row[nameOf(field)];
    return [field, field === 'modelMaxBudget' ? modelLimits(value as BudgetRow['model_max_budget']) : value] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => !isNone(value))) as Values<F>;
}

/** The columns of the given fields that have a value, in the form of the gateway. null clears a column. */
export function columnsOf<F extends AnyField>(
  fields: readonly F[],
  values: { readonly [Name in F]?: AllValues[Name] | null },
): Record<string, unknown> {
  return Object.fromEntries(
    fields
      .filter((field) => values[field] !== undefined)
      .map((field) => [nameOf(field), field === 'modelMaxBudget' ? modelColumns(values[field]) : values[field]]),
  );
}

/** The columns that clear fields. */
export function clearingColumns(fields: readonly AnyField[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [nameOf(field), columns[field].cleared]));
}

/** Whether a value is equivalent to no value. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === false || isNone(value);
}

/** Whether the gateway reports no value. It clears a text by an empty one. */
function isNone(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Whether two values are equal. Lists are compared as sets; an empty value equals no value. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (isEmpty(one) || isEmpty(other)) return isEmpty(one) && isEmpty(other);
  return isDeepStrictEqual(canonical(one), canonical(other));
}

function canonical(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value as readonly string[])].sort() : value;
}

/** The values of an observed record for the comparison with the desired fields. */
export interface ObservedValues<F extends AnyField = Field> {
  /** The effective values. Each desired field must have its value here. */
  readonly effective: Values<F>;
  /** All values that exist. A field that the operator has set and that is no longer desired must be absent here. */
  readonly present: Values<F>;
}

/** How a record differs from the desired fields. Fields that are neither desired nor set by the operator do not count. */
export interface Drift<F extends AnyField = Field> {
  /** Desired fields that have another value. */
  readonly differs: readonly F[];
  /** Desired fields that the gateway does not report, probably because it does not support them. */
  readonly unreported: readonly F[];
  /** Fields that the operator has set, that are no longer desired, and that still have a value. */
  readonly uncleared: readonly F[];
}

/**
 * Compares the gateway's report with the desired fields.
 * @param applied the fields that the operator has set
 * @param reported the fields that the gateway reports, with or without a value; default: all
 */
export function driftOf<F extends AnyField>(
  desired: Values<F>,
  applied: ReadonlySet<F>,
  { effective, present }: ObservedValues<F>,
  reported?: ReadonlySet<F>,
): Drift<F> {
  const differing = fieldsOf(desired).filter((field) => !sameValue(desired[field], effective[field]));
  const isReported = (field: F): boolean => reported?.has(field) !== false;
  return {
    differs: differing.filter(isReported),
    unreported: differing.filter((field) => !isReported(field)),
    uncleared: unclearedFields(desired, applied, present),
  };
}

/** See {@link Drift.uncleared}. */
export function unclearedFields<F extends AnyField>(
  desired: Values<F>,
  applied: ReadonlySet<F>,
  present: Values<F> | undefined,
): F[] {
  if (present === undefined) return [];
  return fieldsOf(present).filter(
    (field) => applied.has(field) && desired[field] === undefined && !isEmpty(present[field]),
  );
}

/** The fields that the operator has set after a successful write. */
export function appliedAfter(desired: Fields, { unreported, uncleared }: Drift): Field[] {
  const isSet = (field: Field): boolean => desired[field] !== undefined && !unreported.includes(field);
  return allFields.filter((field) => isSet(field) || uncleared.includes(field));
}

/** The fields that writes do not change at the gateway. */
export function unappliedFields({ unreported, uncleared }: Drift): Field[] {
  return [...unreported, ...uncleared];
}

/** The limits for models; undefined if there are none. */
function modelLimits(models: BudgetRow['model_max_budget']): TierValues['modelMaxBudget'] | undefined {
  const limits = Object.entries(models ?? {}).map(([model, row]) => [model, readFields(limitFields, row)] as const);
  return limits.length === 0 ? undefined : Object.fromEntries(limits);
}

function modelColumns(models: unknown): unknown {
  if (models === null) return null;
  const limits = Object.entries(models as TierValues['modelMaxBudget']);
  return Object.fromEntries(limits.map(([model, values]) => [model, columnsOf(limitFields, values)]));
}
