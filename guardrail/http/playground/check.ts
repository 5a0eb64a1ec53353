/** What the checks of the playground have in common: their settings, and what they need of the service. */
import * as z from 'zod';
import type { Access } from '../../customers/customers.ts';
import type { Analyzer, Policy, Profile } from '../../detection/detection.ts';
import type { Tenant } from '../../ids.ts';
import type { CallContext, Guard } from '../../pseudonymization/pseudonymization.ts';
import type { CallMiddleware } from '../middleware/context.ts';
import { ServiceError } from '../middleware/errors.ts';

export const checkSchema = z.strictObject({
  recall: z
    .enum(['precise', 'balanced', 'thorough'])
    .nullish()
    .describe('The lowest recall of this call. A lower value than the setting of the service has no effect.'),
  profile: z
    .enum(['personal', 'confidential'])
    .nullish()
    .describe('The profile of this call, in place of that of the service.'),
  policy: z
    .string()
    .max(100_000)
    .nullish()
    .describe('The draft of a policy, in YAML. It applies to this call in place of the policy of the service.'),
  team: z.string().min(1).max(4096).nullish().describe('The id of a team of the policy.'),
  end_user_id: z
    .string()
    .min(1)
    .max(4096)
    .nullish()
    .describe('The id of a customer whose policy applies, too. Only with an admin key.'),
});

/** What the calls of the page need. */
export interface PlaygroundOptions {
  readonly analyzer: Analyzer;
  readonly guard: Guard;
  /**
   * The policy of a call, by the revisions of the policies of its customers, with a profile and a draft in place of those of the
   * service; undefined: as they are.
   * @throws FieldError if the draft is invalid
   */
  readonly policyWith: (
    trial: { readonly profile: Profile | undefined; readonly draft: string | undefined },
    revisions: readonly (string | undefined)[],
  ) => Policy;
  readonly access: Access | undefined;
  /** Whether the keys of a tenant are admin keys. */
  readonly isAdmin: (tenant: Tenant) => boolean;
  readonly preHandlers: readonly CallMiddleware[];
}

/** What a request of the page says about its policy. */
type Trial = Pick<z.infer<typeof checkSchema>, 'profile' | 'policy' | 'team' | 'end_user_id'>;

/**
 * The policy of a check, for all teams.
 * @throws FieldError if the draft is invalid
 * @throws ServiceError if a tenant without an admin key names a customer
 */
export function policyFor(
  { profile, policy: draft, team, end_user_id: endUser }: Trial,
  tenant: Tenant,
  { policyWith, access, isAdmin }: Pick<PlaygroundOptions, 'policyWith' | 'access' | 'isAdmin'>,
): Policy {
  const trial = { profile: profile ?? undefined, draft: draft ?? undefined };
  if (endUser === undefined || endUser === null) return policyWith(trial, []);
  if (!isAdmin(tenant)) throw new ServiceError('not_an_admin');
  const caller = { customers: [endUser], team: team ?? undefined, keyHashes: [] };
  return policyWith(trial, access?.decide(caller).policies ?? []);
}

/** The policy and the recall of a call before a model call. See {@link policyFor}. */
export function checkContext(
  fields: z.infer<typeof checkSchema>,
  tenant: Tenant,
  options: PlaygroundOptions,
): Pick<CallContext, 'policy' | 'stricter'> {
  const { recall, team } = fields;
  const trial = policyFor(fields, tenant, options);
  const policy = team === undefined || team === null ? trial : forTeam(trial, team);
  return { policy, ...(recall && { stricter: { recall } }) };
}

/** A policy as it is for a team. The team of the call would be a part of its session, whose values the page restores. */
const forTeam = (policy: Policy, team: string): Policy => ({
  ...policy,
  find: (text) => policy.find(text, team),
  allowedIn: (text) => policy.allowedIn(text, team),
  actionOf: (span, value) => policy.actionOf(span, value, team),
  keptBy: (span, value) => policy.keptBy(span, value, team),
});
