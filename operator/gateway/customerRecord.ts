/** The record of a customer at a gateway: how it is read, and the steps that write it. */
import type { CallOptions, GatewayClient } from './client.ts';
import { GatewayError, type GatewayOperation, isGatewayError } from './errors.ts';
import { type Field, type Fields, limitFields, nameOf, permissionFields, readFields, rowFields } from './fields.ts';
import { isLiteLlm, linkedBudget, missingBudget } from './litellmQuirks.ts';
import { type BudgetBody, budgetFields, type CustomerBody, type CustomerRow } from './schemas.ts';

/** Limits under their names at the gateway, also those without a field in the spec. */
export type BudgetColumns = Readonly<Record<string, number | string>>;

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

/**
 * Reads the record of a customer.
 * @returns undefined if the gateway has none
 * @throws GatewayError
 */
export async function readCustomer(
  client: GatewayClient,
  customerId: string,
  options: CallOptions,
): Promise<ObservedCustomer | undefined> {
  const row = await client.customerInfo(customerId, options);
  return row === undefined ? undefined : observe(row);
}

/** Converts a response of `/customer/info`. */
export function observe(row: CustomerRow): ObservedCustomer {
  const linked = linkedBudget(row);
  const parsed = budgetFields.safeParse(linked ?? row);
  const budget = Object.fromEntries(
    Object.entries(parsed.success ? parsed.data : {}).filter(
      (entry): entry is [string, number | string] => entry[1] !== null && entry[1] !== undefined && entry[1] !== '',
    ),
  );
  const permissions = Object.fromEntries(
    Object.entries(row.object_permission ?? {}).filter(
      (entry): entry is [string, string[]] => Array.isArray(entry[1]) && entry[1].every((v) => typeof v === 'string'),
    ),
  );
  const fields = {
    ...readFields(['budgetId', ...rowFields], row),
    ...readFields(limitFields, budget),
    ...readFields(permissionFields, permissions),
  };
  return {
    customerId: row.user_id,
    isLiteLlm: isLiteLlm(row),
    spend: row.spend ?? undefined,
    blocked: row.blocked ?? false,
    fields,
    reported: new Set(reportedIn(row, linked)),
    budgetId: fields.budgetId,
    budget,
    permissions,
  };
}

function reportedIn(row: CustomerRow, linked: unknown): Field[] {
  const hasBudget = 'budget_id' in row || isLiteLlm(row);
  const columns = typeof linked === 'object' && linked !== null ? linked : undefined;
  return [
    ...(['budgetId', ...rowFields] as const).filter((field) => nameOf(field) in row),
    ...limitFields.filter((field) =>
      columns === undefined ? hasBudget || nameOf(field) in row : nameOf(field) in columns,
    ),
    ...('object_permission' in row ? permissionFields : []),
  ];
}

/** One call of a plan. Repeating the steps of a plan leads to the same state. */
export type Step =
  | { readonly do: 'requireTier'; readonly id: string }
  /** Creates the row, or resets a row that remains from a crash to this body. */
  | { readonly do: 'budgetNew'; readonly body: BudgetBody }
  | { readonly do: 'budgetUpdate'; readonly body: BudgetBody }
  | { readonly do: 'budgetDelete'; readonly id: string }
  | { readonly do: 'customerNew'; readonly body: CustomerBody }
  | { readonly do: 'customerUpdate'; readonly body: CustomerBody };

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
    const nothing = Object.fromEntries(Object.keys(budgetFields.shape).map((column) => [column, null]));
    await client.budgetUpdate({ ...nothing, ...body }, options);
  }
}

function vanished(operation: GatewayOperation): GatewayError {
  return new GatewayError('transient', operation, 'The record was deleted at the gateway during an update.');
}
