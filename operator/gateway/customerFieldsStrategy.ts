import type { Field } from './fields.ts';
import { isEmpty, isLimit, limitNames, pick } from './fields.ts';
import type { PlanInput, Strategy } from './strategy.ts';
import { newBody, updateBody } from './strategy.ts';

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
