/** A budget tier as a set of fields, named as in the spec of a GatewayBudget, and as columns of its row. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type LimitField, limitNames, type LimitValues } from './fields.ts';
import type { BudgetBody, BudgetRow } from './schemas.ts';

/** The type of each field of a tier. */
export interface TierValues extends LimitValues {
  softBudget: number;
  maxParallelRequests: number;
  /** The limits for single models, by the name of the model. */
  modelMaxBudget: Readonly<Record<string, Readonly<Partial<LimitValues>>>>;
}

export type TierField = keyof TierValues;
/** Some fields of a tier with their values. A field without a value is absent. */
export type Tier = Readonly<Partial<TierValues>>;

const tierNames = {
  ...limitNames,
  softBudget: 'soft_budget',
  maxParallelRequests: 'max_parallel_requests',
  modelMaxBudget: 'model_max_budget',
} as const satisfies Record<TierField, keyof BudgetRow>;

/** All fields of a tier, in the order in which messages name them. */
export const tierFields = Object.keys(tierNames) as readonly TierField[];

/** The fields that have a value in a row. */
export function tierOf(row: BudgetRow): Tier {
  const values = tierFields.flatMap((field) => {
    const value = field === 'modelMaxBudget' ? modelLimits(row) : row[tierNames[field]];
    return isEmpty(value) ? [] : [[field, value] as const];
  });
  // The schema of the row has validated each value.
  return Object.fromEntries(values);
}

/** The columns of a row for some fields. null clears a column. */
export function tierColumns(values: {
  readonly [Field in TierField]?: TierValues[Field] | null;
}): Omit<BudgetBody, 'budget_id'> {
  return Object.fromEntries(
    tierFields
      .filter((field) => values[field] !== undefined)
      .map((field) => {
        const value = values[field];
        return [tierNames[field], typeof value === 'object' && value !== null ? modelColumns(value) : value];
      }),
  );
}

/** Whether two values of a field are equal. No limits for any model equal no value. */
export function sameTierValue<Field extends TierField>(one: Tier[Field], other: Tier[Field]): boolean {
  if (isEmpty(one) || isEmpty(other)) return isEmpty(one) && isEmpty(other);
  return isDeepStrictEqual(one, other);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || isDeepStrictEqual(value, {});
}

function modelLimits({ model_max_budget: models }: BudgetRow): TierValues['modelMaxBudget'] {
  return Object.fromEntries(
    Object.entries(models ?? {}).map(([model, columns]) => {
      const limits = (Object.keys(limitNames) as LimitField[]).map((field) => [field, columns[limitNames[field]]]);
      return [model, Object.fromEntries(limits.filter(([, value]) => !isEmpty(value))) as Partial<LimitValues>];
    }),
  );
}

function modelColumns(models: TierValues['modelMaxBudget']): Record<string, Record<string, number | string>> {
  return Object.fromEntries(
    Object.entries(models).map(([model, limits]) => [
      model,
      Object.fromEntries(
        (Object.keys(limitNames) as LimitField[]).flatMap((field) => {
          const value = limits[field];
          return value === undefined ? [] : [[limitNames[field], value]];
        }),
      ),
    ]),
  );
}
