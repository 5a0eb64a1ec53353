/** The outcomes of a budget's reconcile, as the status reports them. Pure. */
import type { GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import type { SyncAction } from '../external/external.ts';
import type { TierField } from '../gateway/gateway.ts';
import { observationResult } from '../lifecycle/lifecycle.ts';
import { budgetIdOf } from './ownership.ts';
import type { AppliedTier, BudgetOutcome } from './status.ts';

/** Another resource owns the budget. A resource of another namespace is not named. */
export function ownedByAnother(budget: GatewayBudget, owner: GatewayBudget): BudgetOutcome {
  const { namespace, name } = owner.metadata;
  const who =
    namespace === budget.metadata.namespace
      ? `GatewayBudget ${namespace}/${name}`
      : 'A GatewayBudget in another namespace';
  const message = `${who} manages budget ${budgetIdOf(budget)} of this gateway. Use another budgetId, or delete one of the two resources.`;
  return { synced: false, reason: 'Conflict', ownership: 'Waiting', message };
}

/** The id has the prefix of the operator's own rows. The API server rejects such a resource, unless it is older. */
export function reserved(budget: GatewayBudget): BudgetOutcome {
  const message = `Budget id ${budgetIdOf(budget)} has the prefix of the operator's own budgets. Create another GatewayBudget with another budgetId, and delete this one.`;
  return { synced: false, reason: 'BudgetIdReserved', message };
}

/** The gateway cannot store budgets. */
export const notSupported: BudgetOutcome = {
  synced: false,
  reason: 'NotSupported',
  message:
    'The gateway has no /budget API, so it cannot store a budget. Set the limits on each GatewayCustomer, and delete this resource.',
};

/** The gateway already has a budget of another origin. */
export function refused(budget: GatewayBudget): BudgetOutcome {
  const isExplicit = budget.spec.adoptionPolicy === 'Refuse';
  const cause = isExplicit
    ? 'spec.adoptionPolicy is Refuse'
    : 'only a GatewayBudget in the namespace of the instance may adopt it, and only if spec.adoption of the instance is not None';
  const remedy = isExplicit
    ? 'Delete the budget at the gateway, or set adoptionPolicy to Adopt in the namespace of the instance.'
    : 'Use another budgetId, or create the GatewayBudget in the namespace of the instance.';
  const message = `The gateway already has budget ${budgetIdOf(budget)}, and ${cause}. ${remedy}`;
  return { synced: false, reason: 'AlreadyExists', ownership: 'Refused', message };
}

/** An observation without a change. @param differing undefined: the gateway has no budget with this id */
export function observed(
  budget: GatewayBudget,
  differing: readonly TierField[] | undefined,
  syncRequest: string | undefined,
): BudgetOutcome {
  const { matches, reason, message } = observationResult('budget', differing);
  const found = differing === undefined ? {} : { budgetId: budgetIdOf(budget) };
  return { synced: matches, reason, message, ...found, syncRequest };
}

/** The creation is about to begin. @param again whether the budget was there before */
export function creating(applied: AppliedTier, again: boolean): BudgetOutcome {
  return {
    synced: false,
    reason: 'Creating',
    ownership: again ? 'Owned' : 'Creating',
    applied,
    message: 'The budget does not exist at the gateway and is being created.',
  };
}

/** The budget matches the spec, with or without a write. The message must not change from one reconcile to the next. */
export function inSync(
  budget: GatewayBudget,
  applied: AppliedTier,
  action: SyncAction | undefined,
  syncRequest: string | undefined,
): BudgetOutcome {
  const reason = action === undefined ? 'UpToDate' : action.reason === 'DriftCorrected' ? 'Updated' : action.reason;
  const message = "The gateway's budget matches the spec.";
  return {
    synced: true,
    reason,
    message,
    ownership: 'Owned',
    budgetId: budgetIdOf(budget),
    applied,
    action,
    syncRequest,
  };
}

/** The gateway accepted a write and still reports other values. */
export function notConverged(
  budget: GatewayBudget,
  applied: AppliedTier,
  differing: readonly TierField[],
): BudgetOutcome {
  return {
    synced: false,
    reason: 'NotConverged',
    ownership: 'Owned',
    applied,
    budgetId: budgetIdOf(budget),
    message: `The gateway accepted the change but reports other values for ${differing.join(', ')}. Check whether another client sets them, and whether this gateway supports them.`,
  };
}

/** The action of a creation. */
export function createdAction(again: boolean): SyncAction {
  const message = again
    ? 'The budget was missing at the gateway and was created again.'
    : 'The budget was created at the gateway.';
  return { reason: 'Created', message };
}

/** The action of a sync that becomes the owner of an existing budget. @param isOwn whether the resource created it before */
export function adoptedAction(budget: GatewayBudget, isOwn: boolean): SyncAction {
  // The operator ended after it had announced the creation.
  if (isOwn && budget.status?.ownership === 'Creating') return createdAction(false);
  if (isOwn)
    return { reason: 'Adopted', message: 'The resource was restored from a backup and owns its budget again.' };
  return { reason: 'Adopted', message: 'The gateway already had a budget with this id. The resource adopted it.' };
}

/** The action of an update. */
export function updatedAction(fields: readonly TierField[], specChanged: boolean): SyncAction {
  const names = fields.join(', ');
  return specChanged
    ? { reason: 'Updated', message: `Changed at the gateway: ${names}.` }
    : { reason: 'DriftCorrected', message: `The gateway's budget differed from the spec and was corrected: ${names}.` };
}
