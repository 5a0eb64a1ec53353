/** The two ways to store the fields of a customer at a gateway: as steps, which are executed in order. */
import type { CallOptions, GatewayClient } from './client.ts';
import { GatewayError, type GatewayOperation, isGatewayError } from './errors.ts';
import {
  type Field,
  type Fields,
  fieldsOf,
  type FieldValues,
  isEmpty,
  isLimit,
  limitNames,
  permissionNames,
  pick,
  rowNames,
  sameValue,
} from './fields.ts';
import { clearedBy, missingBudget, permissionLists } from './litellmQuirks.ts';
import { budgetColumns, type ObservedCustomer } from './observedCustomer.ts';
import type { BudgetBody, CustomerBody } from './schemas.ts';

/** One call of a plan. Repeating the steps of a plan leads to the same state. */
export type Step =
  | { readonly do: 'requireTier'; readonly id: string }
  /** Creates the row, or resets a row that remains from a crash to this body. */
  | { readonly do: 'budgetNew'; readonly body: BudgetBody }
  | { readonly do: 'budgetUpdate'; readonly body: BudgetBody }
  | { readonly do: 'budgetDelete'; readonly id: string }
  | { readonly do: 'customerNew'; readonly body: CustomerBody }
  | { readonly do: 'customerUpdate'; readonly body: CustomerBody };

/** The input of a plan. */
export interface PlanInput {
  readonly customerId: string;
  /** The desired values, as returned by {@link Strategy.supportedFields}. */
  readonly desired: Fields;
  /** The fields that the operator has set. Those that are no longer desired are cleared. */
  readonly applied: ReadonlySet<Field>;
  /** The customer as the gateway reports it; undefined if it does not exist. */
  readonly observed: ObservedCustomer | undefined;
  /** Whether nothing has been sent for this customer yet, so that a crash cannot have left anything. */
  readonly fresh: boolean;
  /** The budget row of the resource whose record this one takes over. The plan unlinks and deletes it. */
  readonly replaces?: string | undefined;
}

/** The fields of a spec that a gateway can store. */
export interface SupportedFields {
  readonly fields: Fields;
  /** Fields of the spec that the gateway cannot combine with the other fields. */
  readonly unsupported: readonly Field[];
}

/** The values of an observed record for the comparison with the desired fields. */
export interface ObservedValues {
  /** The effective values. Each desired field must have its value here. */
  readonly effective: Fields;
  /** All values that exist. A field that the operator has set and that is no longer desired must be absent here. */
  readonly present: Fields;
}

/** One of the two ways to store a customer's fields at a gateway. Pure. */
export interface Strategy {
  supportedFields(
    desired: Fields,
    applied: ReadonlySet<Field>,
    observed: ObservedCustomer | undefined,
  ): SupportedFields;
  observedValues(observed: ObservedCustomer, desired: Fields): ObservedValues;
  plan(input: PlanInput): Step[];
  /** The shared budget from which the plan copies limits that the spec does not name; undefined if it copies none. */
  copiedBudget(input: PlanInput): string | undefined;
  /**
   * The steps that delete the objects that the operator created in addition to the customer. They follow the deletion
   * of the customer.
   */
  cleanupSteps(): Step[];
}

/**
 * Executes the steps in order. Stops at the first step that fails.
 * @throws GatewayError from the failed step
 */
export async function execute(client: GatewayClient, steps: readonly Step[], options: CallOptions): Promise<void> {
  for (const step of steps) await executeStep(client, step, options);
}

async function executeStep(client: GatewayClient, step: Step, options: CallOptions): Promise<void> {
  switch (step.do) {
    case 'requireTier':
      if ((await client.budgetInfo([step.id], options)).length > 0) return;
      throw new GatewayError('terminal', 'POST /budget/info', missingBudget);
    case 'budgetNew':
      await budgetNew(client, step.body, options);
      return;
    case 'budgetUpdate':
      if ((await client.budgetUpdate(step.body, options)) !== undefined) return;
      throw vanished('POST /budget/update');
    case 'budgetDelete':
      await client.budgetDelete(step.id, options);
      return;
    case 'customerNew':
      await client.customerNew(step.body, options);
      return;
    case 'customerUpdate':
      await client.customerUpdate(step.body, options).catch((error: unknown) => {
        throw isGatewayError(error, 'notFound') ? vanished(error.operation) : error;
      });
  }
}

async function budgetNew(client: GatewayClient, body: BudgetBody, options: CallOptions): Promise<void> {
  try {
    await client.budgetNew(body, options);
  } catch (error) {
    if (!isGatewayError(error, 'terminal', 'alreadyExists')) throw error;
    // A lookup shows whether the row exists already or the gateway rejected it for another reason.
    if ((await client.budgetInfo([body.budget_id], options)).length === 0) throw error;
    const nothing = Object.fromEntries(budgetColumns.map((column) => [column, null]));
    await client.budgetUpdate({ ...nothing, ...body }, options);
  }
}

function vanished(operation: GatewayOperation): GatewayError {
  return new GatewayError('transient', operation, 'The record was deleted at the gateway during an update.');
}

/** The body of `/customer/new`: the desired fields of the customer's own row, under their names at the gateway. */
export function newBody(customerId: string, desired: Fields): CustomerBody {
  const permission = Object.fromEntries(
    Object.entries(permissionNames)
      .filter(([field]) => desired[field as Field] !== undefined)
      .map(([field, name]) => [name, desired[field as Field]]),
  );
  return {
    user_id: customerId,
    ...rowValues(desired),
    ...(Object.keys(permission).length === 0 ? {} : { object_permission: permission }),
  };
}

/** The body of `/customer/update`: as {@link newBody}, with empty values for the fields to clear. */
export function updateBody({ customerId, desired, applied, observed }: PlanInput): CustomerBody {
  const cleared = (Object.keys(rowNames) as (keyof typeof rowNames)[])
    .filter((field) => desired[field] === undefined && applied.has(field) && !isEmpty(observed?.fields[field]))
    .map((field) => [rowNames[field], clearedBy[rowNames[field]]]);
  return {
    user_id: customerId,
    ...rowValues(desired),
    ...(Object.fromEntries(cleared) as object),
    ...permissionChange(desired, applied, observed),
  };
}

function rowValues(desired: Fields): Record<string, FieldValues[Field] | undefined> {
  return Object.fromEntries(
    fieldsOf(desired)
      .filter((field): field is keyof typeof rowNames => field in rowNames)
      .map((field) => [rowNames[field], desired[field]]),
  );
}

/** Sends all lists at once, changed or not: see {@link permissionLists}. */
function permissionChange(
  desired: Fields,
  applied: ReadonlySet<Field>,
  observed: ObservedCustomer | undefined,
): { readonly object_permission?: Readonly<Record<string, readonly string[]>> } {
  const changes = Object.entries(permissionNames).flatMap(([name, wire]) => {
    const field = name as keyof typeof permissionNames;
    const value = desired[field] ?? (applied.has(field) ? [] : undefined);
    return value === undefined || sameValue(value, observed?.fields[field]) ? [] : [[wire, value] as const];
  });
  if (changes.length === 0) return {};
  const none = Object.fromEntries(permissionLists.map((list) => [list, []]));
  return { object_permission: { ...none, ...observed?.permissions, ...Object.fromEntries(changes) } };
}

/** The strategy for a gateway with only the four customer calls: limits and tier are fields of the customer. */
export const customerFieldsStrategy: Strategy = {
  supportedFields: (desired) => ({ fields: desired, unsupported: [] }),

  // A gateway may report the limits of a linked tier with the customer. They belong to the tier and are not cleared.
  observedValues: (observed, desired) => ({
    effective: observed.fields,
    present: desired.budgetId === undefined ? observed.fields : pick(observed.fields, (field) => !isLimit(field)),
  }),

  plan(input) {
    const budget = budgetValues(input);
    if (input.observed === undefined) {
      return [{ do: 'customerNew', body: { ...newBody(input.customerId, input.desired), ...budget } }];
    }
    return [{ do: 'customerUpdate', body: { ...updateBody(input), ...budget } }];
  },

  copiedBudget: () => undefined,

  cleanupSteps: () => [],
};

function budgetValues({ desired, applied, observed }: PlanInput): Record<string, unknown> {
  const names: Partial<Record<Field, string>> = { ...limitNames, budgetId: 'budget_id' };
  const values: Record<string, unknown> = {};
  for (const [name, wire] of Object.entries(names)) {
    const field = name as Field;
    if (desired[field] !== undefined) values[wire] = desired[field];
    else if (applied.has(field) && !isEmpty(observed?.fields[field])) values[wire] = null;
  }
  return values;
}
