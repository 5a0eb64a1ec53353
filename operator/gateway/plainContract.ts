import type { Field } from './fields.ts';
import { isEmpty, limitNames, pick } from './fields.ts';
import type { PlanInput, Step, Strategy } from './strategy.ts';
import { newBody, updateBody } from './strategy.ts';

/** For a gateway that has nothing but the four calls: limits and tier are fields of the customer like all others. */
export const plainContract: Strategy = {
  want: (desired) => ({ fields: desired, unsupported: [] }),

  // A gateway may report the limits of a linked tier with the customer: those are the tier's, not to be cleared.
  see: (observed, wanted) => ({
    holds: observed.fields,
    present: wanted.budgetId === undefined ? observed.fields : pick(observed.fields, (field) => !(field in limitNames)),
  }),

  plan(input) {
    const budget = budgetValues(input);
    if (input.observed === undefined) {
      return [{ do: 'customerNew', body: { ...newBody(input.customerId, input.wanted), ...budget } }];
    }
    return [{ do: 'customerUpdate', body: { ...updateBody(input), ...budget } }];
  },

  removal: (customerId): Step[] => [{ do: 'customerDelete', customerId }],
};

function budgetValues({ wanted, applied, observed }: PlanInput): Record<string, unknown> {
  const names: Partial<Record<Field, string>> = { ...limitNames, budgetId: 'budget_id' };
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, wire]) => {
      const field = name as Field;
      if (wanted[field] !== undefined) return [[wire, wanted[field]]];
      return applied.has(field) && !isEmpty(observed?.fields[field]) ? [[wire, null]] : [];
    }),
  );
}
