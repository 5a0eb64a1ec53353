import { hostname } from 'node:os';
import type Router from '@koa/router';
import * as z from 'zod';
import type { Access } from '../../customers/customers.ts';
import type { Tenant } from '../../ids.ts';
import { adminsOnly, authenticatedRouter } from '../middleware/authentication.ts';
import type { AuthenticatedState } from '../middleware/context.ts';
import type { EndUserCheck } from '../middleware/endUserCheck.ts';
import type { Operation } from '../openapi/operation.ts';

export interface ConfigurationOptions {
  readonly access: Access | undefined;
  /** Identifies the policy in force; undefined: the service has none. */
  readonly policyRevision: () => string | undefined;
  readonly endUsers: Pick<EndUserCheck, 'latest'>;
  /** Whether the keys of a tenant are admin keys. */
  readonly isAdmin: (tenant: Tenant) => boolean;
}

const configurationSchema = z.object({
  process: z.string().describe('The name of the host, which is that of the pod, and the id of the process.'),
  customer_list: z
    .object({
      revision: z.string().describe('Identifies the content of the list.'),
      customers: z.int().min(0).describe('The number of customers in the list.'),
    })
    .nullable()
    .describe('The list of customers in force. null: there is no valid list, or the service has none.'),
  last_call_without_end_user: z
    .string()
    .nullable()
    .describe(
      'When the latest request that named no end user began, in ISO 8601. null: there was none since the start.',
    ),
  policy: z
    .object({
      revision: z
        .string()
        .describe(
          'Identifies the text of the policy: its SHA-256, of which these are the first 32 hexadecimal digits.',
        ),
    })
    .nullable()
    .describe(
      'The policy in force, which a changed file that is not valid does not replace. null: the service has none.',
    ),
});

const PATH = '/configuration';

export const configurationOperations: readonly Operation[] = [
  {
    method: 'get',
    path: PATH,
    operationId: 'getConfiguration',
    summary:
      'Returns which versions of the files that change at run time are in force, and when a request named no end user. Requires an admin key.',
    responses: { 200: { description: 'The versions.', body: configurationSchema } },
    errors: [401, 403],
  },
];

/** Reports what has taken effect in this process, so that an operator can tell when every process has a change. */
export function configurationRoute({
  access,
  policyRevision,
  endUsers,
  isAdmin,
}: ConfigurationOptions): Router<AuthenticatedState> {
  const router = authenticatedRouter();
  router.get(PATH, adminsOnly(isAdmin), (context) => {
    const revision = policyRevision();
    context.body = {
      process: `${hostname()}/${process.pid}`,
      last_call_without_end_user: endUsers.latest?.toISOString() ?? null,
      customer_list: access?.state() ?? null,
      policy: revision === undefined ? null : { revision },
    } satisfies z.infer<typeof configurationSchema>;
  });
  return router;
}
