/** For tests: arbitrary specs of customers, and arbitrary records of a gateway. */
import fc from 'fast-check';
import type { GatewayCustomerSpec } from '../../api/v1alpha1/v1alpha1.ts';
import type { Field } from '../../gateway/gateway.ts';

/** The budgets that the gateway has as tiers. */
export const tiers = {
  free: { max_budget: 1, budget_duration: '1d', tpm_limit: 10 },
  pro: { max_budget: 100, rpm_limit: 60 },
};
/** The fields that LiteLLM does not support. */
export const neverReported: readonly Field[] = ['metadata'];
/** The fields that LiteLLM does not clear. */
export const neverCleared: readonly Field[] = ['allowedModelRegion'];

/** The part of a spec that may change. */
export type Spec = Omit<GatewayCustomerSpec, 'instanceRef' | 'customerId'>;

const list = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

/** Any spec. */
export const specs: fc.Arbitrary<Spec> = fc
  .record({
    alias: maybe(fc.constantFrom('One', 'Two')),
    models: maybe(list),
    defaultModel: maybe(fc.constantFrom('gpt-4o-mini', 'fast')),
    allowedModelRegion: maybe(fc.constantFrom('eu', 'us')),
    blocked: maybe(fc.boolean()),
    objectPermission: maybe(
      fc.record({ mcpServers: maybe(list), accessGroups: maybe(list), vectorStores: maybe(list), agents: maybe(list) }),
    ),
    metadata: maybe(fc.constantFrom({}, { a: '1' }, { b: '2' })),
    tpmLimit: maybe(fc.constantFrom(0, 5, 9_007_199_254_740_991)),
    rpmLimit: maybe(fc.constantFrom(0, 7)),
    budget: fc.oneof(
      fc.record({ maxBudget: maybe(fc.constantFrom(0, 0.5, 20)), budgetDuration: maybe(fc.constantFrom('1d', '30d')) }),
      fc.record({ budgetId: fc.constantFrom('free', 'pro') }),
    ),
  })
  .map(({ budget, ...rest }) => JSON.parse(JSON.stringify({ ...rest, ...budget })) as Spec);

/** Any record that existed before its resource. */
export const existingRecords = fc.record(
  {
    alias: fc.constant('Before'),
    blocked: fc.boolean(),
    models: list,
    default_model: fc.constant('fast'),
    allowed_model_region: fc.constantFrom('eu', 'us'),
    budget: fc.oneof(
      fc.record({ budget_id: fc.constantFrom('free', 'pro') }),
      fc.record({ max_budget: fc.constantFrom(3, 4), tpm_limit: fc.constantFrom(8, 9) }),
    ),
  },
  { requiredKeys: [] },
);

/** Any change of a record that another client makes. */
export const edits = fc.oneof(
  fc.record({ alias: fc.constant('Edited') }),
  fc.record({ blocked: fc.boolean() }),
  fc.record({ models: fc.constant(['x']) }),
  fc.record({ default_model: fc.constant('other') }),
  fc.record({ budget_id: fc.constantFrom('free', 'pro') }),
  fc.constant('delete' as const),
  fc.constant('deleteRow' as const),
);

/** Any crashes, by the number of the write that they interrupt. */
export const crashes = fc.array(
  fc.record({ at: fc.nat(8), kind: fc.constantFrom('breakBefore' as const, 'breakAfter' as const) }),
  { minLength: 1, maxLength: 3 },
);
