/** Which keys an instance allows. Pure. */
import type { GatewayInstance, GatewayKey, KeyGrant } from '../api/v1alpha1/v1alpha1.ts';

/**
 * Why an instance does not allow a key: what one of its grants lacks, in a sentence, and what to do. undefined: it allows the key.
 * Keys in the namespace of the instance need no grant.
 */
export function grantProblem({ metadata, spec }: GatewayInstance, key: GatewayKey): string | undefined {
  const { namespace } = key.metadata;
  if (namespace === metadata.namespace) return undefined;
  const grants = (spec.keyGrants ?? []).filter(({ namespaces }) =>
    [namespace, '*'].some((at) => namespaces.includes(at)),
  );
  const problems = grants.map((grant) => problemOf(grant, key));
  if (problems.includes(undefined)) return undefined;
  const where = `spec.keyGrants of GatewayInstance ${metadata.namespace}/${metadata.name}`;
  const [first] = problems;
  return first === undefined
    ? `${where} does not let namespace ${namespace} have keys. Add the namespace there.`
    : `${where} does not allow this key in namespace ${namespace}: ${first}. Change the key, or the grant.`;
}

function problemOf(grant: KeyGrant, { spec }: GatewayKey): string | undefined {
  const { models = [], teamId, maxBudget, budgetDuration } = spec;
  if (grant.models !== undefined) {
    if (models.length === 0) return 'spec.models must name models of the grant';
    const other = models.find((model) => grant.models?.includes(model) !== true);
    if (other !== undefined) return `the grant does not contain model ${other}`;
  }
  if (teamId !== undefined && grant.teamIds?.includes(teamId) !== true)
    return `the grant does not contain team ${teamId}`;
  if (grant.maxBudget === undefined) return undefined;
  if (maxBudget === undefined || maxBudget > grant.maxBudget)
    return `spec.maxBudget must be at most ${grant.maxBudget}`;
  if (budgetDuration === undefined) return undefined;
  // A shorter period would allow more than the amount.
  if (grant.budgetDuration === undefined) return 'spec.budgetDuration must not be set';
  const isShorter = secondsOf(budgetDuration) < secondsOf(grant.budgetDuration);
  return isShorter ? `spec.budgetDuration must be at least ${grant.budgetDuration}` : undefined;
}

/** The shortest length of each unit: a month can have 28 days. */
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800, mo: 2_419_200 };

/** The length of a period of a budget, in seconds. The API server has checked its form. */
function secondsOf(period: string): number {
  const [, amount, unit = ''] = /^(\d+)([a-z]+)$/.exec(period) ?? [];
  return Number(amount) * (unitSeconds[unit] ?? 0);
}
