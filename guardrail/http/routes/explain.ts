import type Router from '@koa/router';
import * as z from 'zod';
import type { Access } from '../../customers/customers.ts';
import { droppedJson, explain, type Analyzer, type Policy } from '../../detection/detection.ts';
import { FieldError, parseFields } from '../../gateways/gateways.ts';
import type { Tenant } from '../../ids.ts';
import { adminsOnly, authenticatedRouter } from '../middleware/authentication.ts';
import type { AuthenticatedState, CallMiddleware } from '../middleware/context.ts';
import { withDeadline } from '../middleware/deadline.ts';
import { droppedSchema, explainedEntityOf, explainedEntitySchema } from './entities.ts';
import type { Operation } from '../openapi/operation.ts';

export interface ExplainOptions {
  readonly analyzer: Analyzer;
  readonly access: Access | undefined;
  /** The policy of a call, by the revisions of the policies of the customers that it names. */
  readonly policyOf: (revisions: readonly (string | undefined)[]) => Policy;
  /** The mode, if the policy does not say it. */
  readonly mode: 'enforce' | 'monitor';
  readonly policyRevision: () => string | undefined;
  /** Whether the keys of a tenant are admin keys. */
  readonly isAdmin: (tenant: Tenant) => boolean;
  /** Admission and body reading, in this order. */
  readonly preHandlers: readonly CallMiddleware[];
}

const explainSchema = z.strictObject({
  text: z.string(),
  end_user_id: z
    .string()
    .min(1)
    .max(4096)
    .nullish()
    .describe('The id of the end user of the call. Without it, the call names nobody.'),
  team: z.string().min(1).max(4096).nullish().describe('The id of the team that calls.'),
});
const explainedSchema = z.object({
  mode: z.enum(['enforce', 'monitor']).describe('Whether the guardrail would act, or only count.'),
  refusal: z.string().nullable().describe('Why this caller may not call for this end user. null: it may.'),
  policies: z
    .object({
      service: z.string().nullable().describe('The revision of the policy of the service. null: it has none.'),
      end_user: z.string().nullable().describe('The revision of the own policy of the end user. null: there is none.'),
    })
    .describe('The policies that apply together.'),
  entities: z
    .array(explainedEntitySchema)
    .describe('In order of their positions, without overlaps and without entities that the policy ignores.'),
  dropped: z.array(droppedSchema).describe('The candidates that are no entity, in order of their positions.'),
});

const PATH = '/explain';

export const explainOperations: readonly Operation[] = [
  {
    method: 'post',
    path: PATH,
    operationId: 'explain',
    summary:
      'Returns what a call with a text would lead to, for an end user, and why. Stores nothing. Requires an admin key.',
    requestBody: explainSchema,
    responses: { 200: { description: 'The decision and the entities.', body: explainedSchema } },
    errors: [400, 401, 403, 413, 415, 429, 502, 503],
  },
];

/** Tells what the policy of an end user does with a text, without a session: nothing is stored, and nothing is restored. */
export function explainRoute(options: ExplainOptions): Router<AuthenticatedState> {
  const { analyzer, access, policyOf, mode, policyRevision } = options;
  const router = authenticatedRouter();
  // Before the body is read.
  router.post(PATH, adminsOnly(options.isAdmin), ...options.preHandlers, async (context) => {
    if (context.querystring !== '')
      throw new FieldError('The URL must have no query: the parameters are fields of the body.');
    const { text, end_user_id: endUser, team } = parseFields(explainSchema, context.state.body);
    const customers = endUser === undefined || endUser === null ? [] : [endUser];
    const caller = { customers, team: team ?? undefined, keyHashes: [] };
    const { refusal, policies = [] } = access?.decide(caller) ?? {};
    const policy = policyOf(policies);
    const { findings, dropped } = await withDeadline(context, (signal) =>
      explain(analyzer, text, { team: team ?? undefined, tenant: context.state.tenant, signal, policy }),
    );
    context.body = {
      mode: policy.settings.mode ?? mode,
      refusal: refusal ?? null,
      policies: { service: policyRevision() ?? null, end_user: policies[0] ?? null },
      entities: findings.map(explainedEntityOf),
      dropped: dropped.map((candidate) => droppedJson(candidate)),
    } satisfies z.infer<typeof explainedSchema>;
  });
  return router;
}
