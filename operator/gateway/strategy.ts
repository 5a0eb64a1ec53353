/** The two ways to store the fields of a customer at a gateway: as steps, which are executed in order. Pure. */
import type { ObservedCustomer, Step } from './customerRecord.ts';
import {
  clearingColumns,
  columnsOf,
  type Field,
  type Fields,
  isLimit,
  limitFields,
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
