import type { CallOptions, GatewayClient } from './client.ts';
import type { GatewayOperation } from './errors.ts';
import { GatewayError, isGatewayError } from './errors.ts';
import type { Field, FieldValues, Fields } from './fields.ts';
import { fieldsOf, isEmpty, permissionNames, rowNames, sameValue } from './fields.ts';
import { clearedBy, permissionLists } from './litellmQuirks.ts';
import type { ObservedCustomer } from './observedCustomer.ts';
import { budgetColumns } from './observedCustomer.ts';
import type { BudgetBody, CustomerBody } from './schemas.ts';

/** One call on the way from what is to what shall be. Doing the same steps again leads to the same state. */
export type Step =
  | { readonly do: 'requireTier'; readonly id: string }
  /** Makes the row; where a crash has left it behind, makes it what is asked for here. */
  | { readonly do: 'budgetNew'; readonly body: BudgetBody }
  | { readonly do: 'budgetUpdate'; readonly body: BudgetBody }
  | { readonly do: 'budgetDelete'; readonly id: string }
  | { readonly do: 'customerNew'; readonly body: CustomerBody }
  | { readonly do: 'customerUpdate'; readonly body: CustomerBody };

/** What a plan is made from. */
export interface PlanInput {
  readonly customerId: string;
  /** What the fields shall be, as {@link Strategy.supportedFields} told. */
  readonly wanted: Fields;
  /** The fields that we have set before: those no longer wanted are cleared. */
  readonly applied: ReadonlySet<Field>;
  /** The customer as it is; undefined: there is none. */
  readonly observed: ObservedCustomer | undefined;
  /** Nothing of this customer was ever begun, so that nothing can have been left behind by a crash. */
  readonly fresh: boolean;
  /** The budget row of another resource, whose record this one takes over: never kept, and deleted in the end. */
  readonly replaces?: string | undefined;
}

/** What a gateway can be made to hold of what the spec asks for. */
export interface SupportedFields {
  readonly fields: Fields;
  /** Fields of the spec that cannot be held together with the others. */
  readonly unsupported: readonly Field[];
}

/** What an observed record means for a comparison. */
export interface ObservedValues {
  /** The values that count as set: each wanted field must be among them. */
  readonly effective: Fields;
  /** The values that are there at all: none of those that we have set and no longer want may be among them. */
  readonly present: Fields;
}

/** One of the two ways of bringing a customer's fields to a gateway. All of it is pure. */
export interface Strategy {
  supportedFields(
    desired: Fields,
    applied: ReadonlySet<Field>,
    observed: ObservedCustomer | undefined,
  ): SupportedFields;
  observedValues(observed: ObservedCustomer, wanted: Fields): ObservedValues;
  plan(input: PlanInput): Step[];
  /** The shared budget from which such a plan copies limits that the spec does not name; undefined: it copies none. */
  copiedBudget(input: PlanInput): string | undefined;
  /** The steps that take away what we have made besides the customer, once that is gone. */
  cleanupSteps(): Step[];
}

/** Does the steps in their order. @throws GatewayError from the first that fails; the rest is not done. */
export async function execute(client: GatewayClient, steps: readonly Step[], options: CallOptions): Promise<void> {
  for (const step of steps) await doStep(client, step, options);
}

async function doStep(client: GatewayClient, step: Step, options: CallOptions): Promise<void> {
  switch (step.do) {
    case 'requireTier':
      if ((await client.budgetInfo([step.id], options)).length > 0) return;
      throw new GatewayError(
        'terminal',
        'POST /budget/info',
        'spec.budgetId names no budget of the gateway: create that budget there first, or correct the id.',
      );
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
    // Refused since it exists, or for another reason: asking tells.
    if ((await client.budgetInfo([body.budget_id], options)).length === 0) throw error;
    const nothing = Object.fromEntries(budgetColumns.map((column) => [column, null]));
    await client.budgetUpdate({ ...nothing, ...body }, options);
  }
}

function vanished(operation: GatewayOperation): GatewayError {
  return new GatewayError('transient', operation, 'The record vanished from the gateway while it was being updated.');
}

/** The wanted fields of the customer's own row, under their names at the gateway, for `/customer/new`. */
export function newBody(customerId: string, wanted: Fields): CustomerBody {
  const permission = Object.fromEntries(
    Object.entries(permissionNames)
      .filter(([field]) => wanted[field as Field] !== undefined)
      .map(([field, name]) => [name, wanted[field as Field]]),
  );
  return {
    user_id: customerId,
    ...rowValues(wanted),
    ...(Object.keys(permission).length === 0 ? {} : { object_permission: permission }),
  };
}

/** The same for `/customer/update`, with what empties the fields that are to be cleared. */
export function updateBody({ customerId, wanted, applied, observed }: PlanInput): CustomerBody {
  const cleared = (Object.keys(rowNames) as (keyof typeof rowNames)[])
    .filter((field) => wanted[field] === undefined && applied.has(field) && !isEmpty(observed?.fields[field]))
    .map((field) => [rowNames[field], clearedBy[rowNames[field]]]);
  return {
    user_id: customerId,
    ...rowValues(wanted),
    ...(Object.fromEntries(cleared) as object),
    ...permissionChange(wanted, applied, observed),
  };
}

function rowValues(wanted: Fields): Record<string, FieldValues[Field] | undefined> {
  return Object.fromEntries(
    fieldsOf(wanted)
      .filter((field): field is keyof typeof rowNames => field in rowNames)
      .map((field) => [rowNames[field], wanted[field]]),
  );
}

/** All lists at once, ours and the others as they are: see {@link permissionLists}. */
function permissionChange(
  wanted: Fields,
  applied: ReadonlySet<Field>,
  observed: ObservedCustomer | undefined,
): { readonly object_permission?: Readonly<Record<string, readonly string[]>> } {
  const changes = Object.entries(permissionNames).flatMap(([name, wire]) => {
    const field = name as keyof typeof permissionNames;
    const value = wanted[field] ?? (applied.has(field) ? [] : undefined);
    return value === undefined || sameValue(value, observed?.fields[field]) ? [] : [[wire, value] as const];
  });
  if (changes.length === 0) return {};
  const none = Object.fromEntries(permissionLists.map((list) => [list, []]));
  return { object_permission: { ...none, ...observed?.permissions, ...Object.fromEntries(changes) } };
}
