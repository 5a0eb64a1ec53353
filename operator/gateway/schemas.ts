/**
 * Schemas of the gateway's admin API, validated on receipt. Unknown fields are accepted, and all fields except the ids
 * are optional: gateways differ, and new versions add fields.
 */
import { z } from 'zod';

const strings = z.array(z.string());

/** The limits of a customer: a row of the gateway's budget table, or the same fields in the customer's own row. */
export const budgetFields = z.object({
  max_budget: z.number().nullish(),
  budget_duration: z.string().nullish(),
  tpm_limit: z.number().nullish(),
  rpm_limit: z.number().nullish(),
  tpd_limit: z.number().nullish(),
  soft_budget: z.number().nullish(),
  max_parallel_requests: z.number().nullish(),
});

const modelLimits = z.looseObject({
  max_budget: z.number().nullish(),
  budget_duration: z.string().nullish(),
  tpm_limit: z.number().nullish(),
  rpm_limit: z.number().nullish(),
});

/** One row of the budget table. Limits for models in a form that the operator does not write count as none. */
export const budgetRow = budgetFields.loose().extend({
  budget_id: z.string(),
  model_max_budget: z.record(z.string(), modelLimits).nullish().catch(undefined),
});
export type BudgetRow = z.infer<typeof budgetRow>;

const objectPermission = z.looseObject({
  mcp_servers: strings.nullish(),
  mcp_access_groups: strings.nullish(),
  vector_stores: strings.nullish(),
  agents: strings.nullish(),
});

/** One customer, as in the responses of `/customer/info`, `/customer/new` and `/customer/update`. */
export const customerRow = budgetFields.loose().extend({
  user_id: z.string(),
  alias: z.string().nullish(),
  blocked: z.boolean().nullish(),
  spend: z.number().nullish(),
  models: strings.nullish(),
  default_model: z.string().nullish(),
  allowed_model_region: z.string().nullish(),
  budget_id: z.string().nullish(),
  object_permission: objectPermission.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
export type CustomerRow = z.infer<typeof customerRow>;

/** One virtual key, as in the responses of `/key/list`: its hash is its id, and its value is nowhere. */
export const keyRow = budgetFields.loose().extend({
  token: z.string().regex(/^[0-9a-f]{64}$/),
  user_id: z.string().nullish(),
  team_id: z.string().nullish(),
  models: strings.nullish(),
  spend: z.number().nullish(),
  created_at: z.iso.datetime({ offset: true }),
});
export type KeyRow = z.infer<typeof keyRow>;

/** Body of `/customer/new` and `/customer/update`. */
export type CustomerBody = { readonly user_id: string } & Readonly<Record<string, unknown>>;
/** Body of `/budget/new` and `/budget/update`. null clears a field. */
export type BudgetBody = { readonly budget_id: string } & {
  readonly [Field in keyof z.infer<typeof budgetFields>]?: number | string | null;
} & { readonly model_max_budget?: Readonly<Record<string, object>> | null };

/** Body of `/key/generate`. */
export type NewKeyBody = { readonly user_id: string; readonly key_alias: string } & Readonly<Record<string, unknown>>;
/** Body of `/key/update`: a key by its hash. null clears a field. */
export type KeyBody = { readonly key: string } & Readonly<Record<string, unknown>>;

/** An error body in one of two envelopes, or in neither. */
export const errorBody = z.looseObject({
  error: z
    .union([
      z.looseObject({
        message: z.string().nullish(),
        type: z.string().nullish(),
        param: z.string().nullish(),
        code: z.union([z.string(), z.number()]).nullish(),
      }),
      z.string(),
    ])
    .nullish(),
  detail: z
    .union([
      z.string(),
      z.array(
        z.looseObject({
          type: z.string().nullish(),
          loc: z.array(z.union([z.string(), z.number()])).nullish(),
          msg: z.string().nullish(),
        }),
      ),
      z.looseObject({ error: z.unknown() }),
    ])
    .nullish(),
});
export type ErrorBody = z.infer<typeof errorBody>;
