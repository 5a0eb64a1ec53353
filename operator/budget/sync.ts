/** Syncs the gateway's budget with the spec of one resource: observes it, and then creates or updates it if required. */
import { annotations, type GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import type { GatewayClient, Tier, TierField } from '../gateway/gateway.ts';
import { GatewayError, isGatewayError, tierColumns, tierFields } from '../gateway/gateway.ts';
import { isObserveOnly, pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import { budgetIdOf } from './budgetResource.ts';
import type { Dependencies } from './dependencies.ts';
import { changedFields, changesOf, desiredTier, type TierChanges, tierHash } from './desired.ts';
import { observeTier, supportsBudgets } from './observation.ts';
import * as outcomes from './outcomes.ts';
import { isInSync, type Ownership, type Run, type SyncAction } from '../external/external.ts';
import { isOwn, ownsOrCreates } from './ownership.ts';
import type { AppliedTier, BudgetOutcome } from './status.ts';

/** One sync and its inputs. */
interface Sync {
  readonly dependencies: Dependencies;
  readonly current: Run<GatewayBudget, TierField>;
  readonly client: GatewayClient;
  readonly signal: AbortSignal;
  /** The canonical address of the gateway. */
  readonly address: string;
  readonly ownership: Ownership<TierField>;
  readonly policy: 'Adopt' | 'Refuse';
  readonly desired: Tier;
  readonly specHash: string;
  /** The sync request that this sync handles. A later one is left to the next sync. */
  readonly syncRequest: string | undefined;
  /** Whether another client created the budget while this sync was creating it. */
  readonly lostCreation: boolean;
}

/**
 * Observes first. Writes the finalizer and announces the creation only before a change or an adoption. A resource that only
 * observes ends there.
 * @throws GatewayError from the call that failed; ApiError 404 or DeletedFirstError when the resource is deleted; nothing
 *   has been written then
 */
export async function sync(
  dependencies: Dependencies,
  current: Run<GatewayBudget, TierField>,
  connection: GatewayConnection,
  signal: AbortSignal,
): Promise<BudgetOutcome> {
  const budget = current.latest;
  const client = dependencies.clients.for(connection);
  if (!(await supportsBudgets(dependencies.clients, connection, signal))) return outcomes.notSupported;
  const desired = desiredTier(budget.spec);
  const address = dependencies.identity.addressOfConnection(connection);
  const run: Sync = {
    ...{ dependencies, current, client, signal, desired, address },
    ownership: current.claimAt(connection).ownership,
    policy: dependencies.claims.adoptionPolicy(budget),
    specHash: tierHash(desired),
    syncRequest: pendingSyncRequest(budget),
    lostCreation: false,
  };
  const priority = isInSync(budget) ? 'routine' : 'urgent';
  const observed = await observeTier(client, budgetIdOf(budget), { signal, priority });
  if (isObserveOnly(budget)) {
    const differing = observed === undefined ? undefined : changedFields(changesOf(desired, new Set(), observed));
    return outcomes.observed(budget, differing, run.syncRequest);
  }
  const outcome = observed === undefined ? await create(run, budget) : await update(run, budget, observed);
  return { ...outcome, address };
}

async function create(run: Sync, budget: GatewayBudget): Promise<BudgetOutcome> {
  const { dependencies, current, client, signal, desired } = run;
  const again = run.ownership.state === 'owned';
  await current.ensureFinalizer();
  // Not Ready until the budget exists: customers that lost their link to it are then linked again.
  const { address } = run;
  await current.report({ ...outcomes.creating(applied(run, fieldsOf(desired)), again), address });
  dependencies.finalizer.beforeExternalWrite(current.latest);
  try {
    await client.budgetNew({ budget_id: budgetIdOf(budget), ...tierColumns(desired) }, { signal });
  } catch (error) {
    if (!isGatewayError(error, 'terminal', 'alreadyExists')) throw error;
    // A lookup shows whether the budget exists already or the gateway rejected it for another reason.
    const existing = await observeTier(client, budgetIdOf(budget), { signal });
    if (existing === undefined) throw error;
    return await update({ ...run, lostCreation: true }, budget, existing);
  }
  if (again) dependencies.metrics.drift.inc();
  return await conclude(run, new Set(), outcomes.createdAction(again));
}

async function update(run: Sync, budget: GatewayBudget, observed: Tier): Promise<BudgetOutcome> {
  const { dependencies, current, client, signal, desired } = run;
  const own = !run.lostCreation && isOwn(budget, observed, run);
  if (!own && run.policy === 'Refuse') return outcomes.refused(budget);
  const before = own ? run.ownership.fields : new Set<TierField>();
  const changes = changesOf(desired, before, observed);
  const adopted = run.ownership.state === 'owned' ? undefined : outcomes.adoptedAction(budget, own);
  await ensureMarked(run);
  const specChanged = budget.status?.specHash !== run.specHash;
  if (changedFields(changes).length === 0) {
    const fields = fieldsOf(desired);
    // The operator may have ended after the write of a changed spec, and before the status. Before an adoption, it has
    // written nothing.
    const wrote = specChanged && ownsOrCreates(budget) && !run.ownership.isElsewhere;
    return { ...outcomes.inSync(budget, applied(run, fields), adopted, run.syncRequest), wrote };
  }
  await announceFields(run, before);
  dependencies.finalizer.beforeExternalWrite(current.latest);
  await send(client, budgetIdOf(budget), changes, signal);
  if (adopted === undefined && !specChanged) dependencies.metrics.drift.inc();
  return await conclude(run, before, adopted ?? outcomes.updatedAction(changedFields(changes), specChanged));
}

/** Records the fields before they are set, unless they are recorded already, so that they can be cleared after a crash. */
async function announceFields(run: Sync, before: ReadonlySet<TierField>): Promise<void> {
  const { dependencies, current, desired, address, ownership } = run;
  const fields = new Set([...before, ...fieldsOf(desired)]);
  const isRecorded = ownership.state === 'owned' && [...fields].every((field) => ownership.fields.has(field));
  if (isRecorded) return;
  const gateway = dependencies.identity.digest(address);
  await current.updateStatus({ ownership: 'Owned', appliedFields: [...fields], gateway });
}

/** Sets the finalizer and a valid mark, in at most one patch. Before, the budget is known to be the resource's own. */
async function ensureMarked({ dependencies, current, ownership, address }: Sync): Promise<void> {
  const budget = current.latest;
  const { uid } = budget.metadata;
  const signedAt = dependencies.now().toISOString();
  const mark = { uid, fields: [], signedAt };
  const isMarked = ownership.mark?.uid === uid;
  const text = isMarked
    ? undefined
    : dependencies.identity.sign(dependencies.claims.markSubject(budget), address, mark);
  await current.ensureFinalizer(text === undefined ? {} : { [annotations.ownerMark]: text });
}

async function send(client: GatewayClient, id: string, changes: TierChanges, signal: AbortSignal): Promise<void> {
  const row = await client.budgetUpdate({ budget_id: id, ...tierColumns(changes) }, { signal });
  if (row !== undefined) return;
  throw new GatewayError('transient', 'POST /budget/update', 'The budget was deleted at the gateway during an update.');
}

/** Evaluates a write by a new observation of the budget: a 200 alone does not prove success. */
async function conclude(run: Sync, before: ReadonlySet<TierField>, action: SyncAction): Promise<BudgetOutcome> {
  const { current, client, signal, desired, syncRequest } = run;
  const budget = current.latest;
  const after = await observeTier(client, budgetIdOf(budget), { signal });
  if (after === undefined) {
    throw new GatewayError(
      'transient',
      'POST /budget/info',
      'The gateway accepted the budget but does not report it. A replica of the gateway may be behind, or the budget was deleted.',
    );
  }
  await ensureMarked(run);
  const left = changedFields(changesOf(desired, before, after));
  const fields = tierFields.filter((field) => desired[field] !== undefined || left.includes(field));
  const outcome =
    left.length > 0
      ? outcomes.notConverged(budget, applied(run, fields), left)
      : outcomes.inSync(budget, applied(run, fields), action, syncRequest);
  return { ...outcome, wrote: true };
}

function applied({ specHash }: Sync, fields: readonly TierField[]): AppliedTier {
  return { specHash, fields };
}

function fieldsOf(tier: Tier): TierField[] {
  return tierFields.filter((field) => tier[field] !== undefined);
}
