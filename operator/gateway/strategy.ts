/** The two ways to store the fields of a customer at a gateway: as steps, which are executed in order. Pure. */
import type { BudgetColumns, ObservedCustomer, Step } from './customerRecord.ts';
import {
  clearingColumns,
  columnsOf,
  type Field,
  type Fields,
  fieldsOf,
  isLimit,
  limitFields,
  limitsOf,
  type LimitValues,
  nameOf,
  type ObservedValues,
  permissionFields,
  pick,
  rowFields,
  sameValue,
  unclearedFields,
} from './fields.ts';
import { permissionLists } from './litellmQuirks.ts';
import type { CustomerBody } from './schemas.ts';

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

/** The body of `/customer/new`: the desired fields of the customer's own row, under their names at the gateway. */
export function newBody(customerId: string, desired: Fields): CustomerBody {
  const permission = columnsOf(permissionFields, desired);
  return {
    user_id: customerId,
    ...columnsOf(rowFields, desired),
    ...(Object.keys(permission).length === 0 ? {} : { object_permission: permission }),
  };
}

/** The body of `/customer/update`: as {@link newBody}, with empty values for the fields to clear. */
export function updateBody(input: PlanInput): CustomerBody {
  return { user_id: input.customerId, ...changedColumns(rowFields, input), ...permissionChange(input) };
}

/** The columns of the desired fields, and of those to clear. */
function changedColumns(fields: readonly Field[], input: PlanInput): Record<string, unknown> {
  const cleared = clearedFields(input).filter((field) => fields.includes(field));
  return { ...columnsOf(fields, input.desired), ...clearingColumns(cleared) };
}

/** The fields that an update clears. */
export function clearedFields({ desired, applied, observed }: PlanInput): Field[] {
  return unclearedFields(desired, applied, observed?.fields);
}

/** Sends all lists at once, changed or not: see {@link permissionLists}. */
function permissionChange({ desired, applied, observed }: PlanInput): { readonly object_permission?: object } {
  const changed = permissionFields.filter((field) => {
    const value = desired[field] ?? (applied.has(field) ? [] : undefined);
    return value !== undefined && !sameValue(value, observed?.fields[field]);
  });
  if (changed.length === 0) return {};
  const none = Object.fromEntries(permissionLists.map((list) => [list, []]));
  const changes = { ...clearingColumns(changed), ...columnsOf(changed, desired) };
  return { object_permission: { ...none, ...observed?.permissions, ...changes } };
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
    const columns: readonly Field[] = ['budgetId', ...limitFields];
    if (input.observed === undefined) {
      const body = { ...newBody(input.customerId, input.desired), ...columnsOf(columns, input.desired) };
      return [{ do: 'customerNew', body }];
    }
    return [{ do: 'customerUpdate', body: { ...updateBody(input), ...changedColumns(columns, input) } }];
  },

  copiedBudget: () => undefined,

  cleanupSteps: () => [],
};

/** The id of the budget row of one customer resource. */
export function budgetRowId(resourceUid: string): string {
  return `gcust-${resourceUid}`;
}

const resourcePrefix = 'gcust-';
/** The prefix of the rows of instances, for customers that have no limits themselves. */
const defaultsPrefix = 'gcust-default-';

/** Whether an id belongs to the rows that the operator creates for customers and instances. */
export function isOperatorRow(id: string): boolean {
  return id.startsWith(resourcePrefix);
}

/** The uid of the customer resource that owns a budget row; undefined if the row has another owner. */
export function resourceOfRow(id: string | undefined): string | undefined {
  if (id?.startsWith(resourcePrefix) !== true || id.startsWith(defaultsPrefix)) return undefined;
  return id.slice(resourcePrefix.length);
}

/** The place where the limits of a customer are stored. */
type Target =
  /** In a shared tier, which the operator links to and never writes. */
  | { readonly kind: 'tier'; readonly id: string }
  /** In the customer's own row, with at least these columns. */
  | { readonly kind: 'own'; readonly columns: BudgetColumns }
  /** Nowhere: the customer has no link. */
  | { readonly kind: 'none' }
  /** Unchanged: the operator did not set the limits, and the spec does not name them. */
  | { readonly kind: 'asItIs' };

/**
 * The strategy for a gateway with a `/budget` API: each customer has its own budget row with its limits. The row is
 * created before the customer and linked to it. Consequently, the link identifies the owner of a record even after a
 * crash, every limit can be changed and cleared, shared tiers are never written, and a deletion removes exactly this
 * row.
 *
 * @param rowId see {@link budgetRowId}
 * @param defaults the budget of a customer with limits but without a budget: its own row excludes it from the gateway's
 *   default budget
 */
export function budgetRowStrategy(rowId: string, defaults: Partial<LimitValues>): Strategy {
  return {
    supportedFields: (desired, applied, observed) => supportedFields(defaults, desired, applied, observed),
    observedValues: (observed, desired) => observedValues(rowId, observed, desired),
    plan: (input) => plan(rowId, input),
    copiedBudget: (input) => copiedBudget(rowId, input),
    cleanupSteps: () => [{ do: 'budgetDelete', id: rowId }],
  };
}

function supportedFields(
  defaults: Partial<LimitValues>,
  desired: Fields,
  applied: ReadonlySet<Field>,
  observed: ObservedCustomer | undefined,
): SupportedFields {
  if (desired.budgetId !== undefined) {
    const beside = fieldsOf(limitsOf(desired));
    return { fields: pick(desired, (field) => !isLimit(field)), unsupported: beside };
  }
  const limited = fieldsOf(limitsOf(desired)).length > 0;
  if (!limited || desired.maxBudget !== undefined || defaults.maxBudget === undefined) {
    return { fields: desired, unsupported: [] };
  }
  const carriedBudget = !applied.has('maxBudget') && carriedLimits(observed, desired, applied).max_budget !== undefined;
  return { fields: carriedBudget ? desired : { ...defaults, ...desired }, unsupported: [] };
}

function observedValues(rowId: string, observed: ObservedCustomer, desired: Fields): ObservedValues {
  const own = observed.budgetId === rowId;
  const withoutLink = pick(observed.fields, (field) => field !== 'budgetId');
  if (own) return { effective: withoutLink, present: withoutLink };
  const withoutLimits = pick(observed.fields, (field) => !isLimit(field));
  return { effective: withoutLimits, present: desired.budgetId === undefined ? observed.fields : withoutLimits };
}

function plan(rowId: string, input: PlanInput): Step[] {
  const deleteRow: Step = { do: 'budgetDelete', id: rowId };
  const target = chooseTarget(rowId, input);
  const linked = input.observed?.budgetId;
  const own = linked === rowId;
  const deleteReplaced: Step[] = input.replaces === undefined ? [] : [{ do: 'budgetDelete', id: input.replaces }];
  const deleteOwn: Step[] = [...(own || !input.fresh ? [deleteRow] : []), ...deleteReplaced];
  switch (target.kind) {
    case 'tier': {
      const check: Step[] = linked === target.id ? [] : [{ do: 'requireTier', id: target.id }];
      return [...check, writeCustomer(input, target.id), ...deleteOwn];
    }
    case 'own':
      // The customer is written even if only its row changed: this write invalidates the proxy's cache.
      return [...writeRow(rowId, input, target.columns, own), writeCustomer(input, rowId), ...deleteReplaced];
    case 'none': {
      if (own || linked === undefined) return [writeCustomer(input), ...deleteOwn];
      const detach: Step = { do: 'budgetNew', body: { budget_id: rowId } };
      return [detach, writeCustomer(input, rowId), deleteRow, ...deleteReplaced];
    }
    case 'asItIs':
      return [writeCustomer(input), ...deleteOwn];
  }
}

function copiedBudget(rowId: string, input: PlanInput): string | undefined {
  const { desired, applied, observed, replaces } = input;
  const linked = observed?.budgetId;
  if (linked === undefined || linked === rowId || linked === replaces) return undefined;
  const copied = Object.keys(carriedLimits(observed, desired, applied)).length > 0;
  return copied && chooseTarget(rowId, input).kind === 'own' ? linked : undefined;
}

function chooseTarget(rowId: string, input: PlanInput): Target {
  const { desired, applied, observed, replaces } = input;
  if (desired.budgetId !== undefined) return { kind: 'tier', id: desired.budgetId };
  const columns = { ...carriedLimits(observed, desired, applied), ...columnsOf(limitFields, desired) } as BudgetColumns;
  const target: Target = Object.keys(columns).length > 0 ? { kind: 'own', columns } : { kind: 'none' };
  const linked = observed?.budgetId;
  const ofResource = linked === undefined || linked === rowId || linked === replaces;
  if (ofResource || fieldsOf(limitsOf(desired)).length > 0) return target;
  return clearedFields(input).some((field) => field === 'budgetId' || isLimit(field)) ? target : { kind: 'asItIs' };
}

/**
 * The limits that the customer had before the operator and that the spec does not name. They are copied into its own
 * row and remain effective. The limits of a tier that the operator linked are not copied.
 */
function carriedLimits(
  observed: ObservedCustomer | undefined,
  desired: Fields,
  applied: ReadonlySet<Field>,
): BudgetColumns {
  if (observed === undefined || applied.has('budgetId')) return {};
  const ours = limitFields.filter((field) => applied.has(field) || desired[field] !== undefined);
  const columns = ours.map(nameOf);
  return Object.fromEntries(Object.entries(observed.budget).filter(([column]) => !columns.includes(column)));
}

function writeRow(rowId: string, input: PlanInput, columns: BudgetColumns, exists: boolean): Step[] {
  const id = { budget_id: rowId };
  if (!exists) return [{ do: 'budgetNew', body: { ...id, ...columns } }];
  const { desired, observed } = input;
  // Sends only changes: a duration that is sent again starts a new budget period.
  const changed = limitFields.filter((field) => !sameValue(desired[field], observed?.fields[field]));
  const changes = { ...columnsOf(changed, desired), ...clearingColumns(clearedFields(input).filter(isLimit)) };
  if (Object.keys(changes).length === 0) return [];
  return [{ do: 'budgetUpdate', body: { ...id, ...changes } }];
}

function writeCustomer(input: PlanInput, budgetId?: string): Step {
  const link = budgetId === undefined ? {} : { budget_id: budgetId };
  if (input.observed === undefined) {
    return { do: 'customerNew', body: { ...newBody(input.customerId, input.desired), ...link } };
  }
  return { do: 'customerUpdate', body: { ...updateBody(input), ...link } };
}
