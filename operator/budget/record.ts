/** A budget at its gateway, compared with the spec of one resource. */
import type { GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import {
  type Change,
  type Comparison,
  type ExternalRecord,
  isInSync,
  type Run,
  type SyncAction,
} from '../external/external.ts';
import {
  type CallOptions,
  type GatewayClient,
  GatewayError,
  isGatewayError,
  type Tier,
  tierColumns,
  type TierField,
  tierFields,
  tierOf,
} from '../gateway/gateway.ts';
import { isObserveOnly, pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import type { Dependencies } from './dependencies.ts';
import { changedFields, changesOf, desiredTier, type TierChanges, tierHash } from './desired.ts';
import * as outcomes from './outcomes.ts';
import { budgetIdOf, isOwn, ownsOrCreates } from './ownership.ts';
import type { BudgetOutcome } from './status.ts';

/** No customer has this id: the call reads nothing and changes nothing. */
const probeId = 'gcust-probe';

/** The budget with this id; undefined if the gateway has none. */
export async function observeTier(client: GatewayClient, id: string, options: CallOptions): Promise<Tier | undefined> {
  const [row] = await client.budgetInfo([id], options);
  return row === undefined ? undefined : tierOf(row);
}

interface TierComparison extends Comparison {
  /** The fields that the operator has set before. */
  readonly before: ReadonlySet<TierField>;
  readonly changes: TierChanges;
}

/** The budget of one resource during one sync. */
export class BudgetRecord implements ExternalRecord<Tier, TierComparison> {
  readonly lookup = 'POST /budget/info';
  readonly noun = 'budget';
  readonly createsFirst = false;
  readonly #dependencies: Dependencies;
  readonly #run: Run<GatewayBudget, TierField>;
  readonly #connection: GatewayConnection;
  readonly #client: GatewayClient;
  readonly #signal: AbortSignal;
  readonly #address: string;
  /** The resource when the sync began. */
  readonly #budget: GatewayBudget;
  readonly #id: string;
  readonly #desired: Tier;
  readonly #specHash: string;
  /** The sync request that this sync handles. A later one is left to the next sync. */
  readonly #syncRequest: string | undefined;
  #lostCreation = false;

  constructor(
    dependencies: Dependencies,
    run: Run<GatewayBudget, TierField>,
    connection: GatewayConnection,
    signal: AbortSignal,
  ) {
    this.#dependencies = dependencies;
    this.#run = run;
    this.#connection = connection;
    this.#client = dependencies.clients.for(connection);
    this.#signal = signal;
    this.#address = dependencies.identity.addressOfConnection(connection);
    this.#budget = run.latest;
    this.#id = budgetIdOf(run.latest);
    this.#desired = desiredTier(run.latest.spec);
    this.#specHash = tierHash(this.#desired);
    this.#syncRequest = pendingSyncRequest(run.latest);
    run.claimAt(connection);
  }

  /** A gateway without a `/budget` API stores no budgets. */
  async withoutLookup(): Promise<BudgetOutcome | undefined> {
    // Another server at a wrong address has no /budget API either. Customers would then be stored in another way.
    if (!this.#client.isLiteLlm) await this.#client.customerInfo(probeId, { signal: this.#signal });
    const supports = await this.#dependencies.clients.hasBudgetApi(this.#connection);
    return supports ? undefined : outcomes.notSupported;
  }

  async observe(first?: 'first'): Promise<Tier | undefined> {
    const isRoutine = first !== undefined && (isInSync(this.#budget) || isObserveOnly(this.#budget));
    const priority = first === undefined ? {} : { priority: isRoutine ? ('routine' as const) : ('urgent' as const) };
    return await observeTier(this.#client, this.#id, { signal: this.#signal, ...priority });
  }

  observed(tier: Tier | undefined): BudgetOutcome {
    const differing = tier === undefined ? undefined : changedFields(changesOf(this.#desired, new Set(), tier));
    return outcomes.observed(this.#budget, differing, this.#syncRequest);
  }

  begin(): Promise<void> {
    return Promise.resolve();
  }

  /** Not Ready until the budget exists: customers that lost their link to it are then linked again. */
  async announceCreation(): Promise<void> {
    await this.#run.ensureFinalizer();
    const isAgain = this.#run.claim.ownership.state === 'owned';
    const creating = outcomes.creating(this.#applied(fieldsOf(this.#desired)), isAgain);
    await this.#run.report({ ...creating, address: this.#address });
  }

  async create(): Promise<void> {
    await this.#client.budgetNew({ budget_id: this.#id, ...tierColumns(this.#desired) }, { signal: this.#signal });
  }

  mayExist(error: unknown): boolean {
    return isGatewayError(error, 'terminal', 'alreadyExists');
  }

  loseCreation(): void {
    this.#lostCreation = true;
  }

  createdAction(): SyncAction {
    return outcomes.createdAction(this.#run.claim.ownership.state === 'owned');
  }

  refuse(tier: Tier): Promise<BudgetOutcome | undefined> {
    const isRefused = !this.#isOwn(tier) && this.#policy === 'Refuse';
    return Promise.resolve(isRefused ? { ...outcomes.refused(this.#budget), address: this.#address } : undefined);
  }

  get #policy(): 'Adopt' | 'Refuse' {
    return this.#dependencies.claims.adoptionPolicy(this.#budget);
  }

  #isOwn(tier: Tier): boolean {
    const { ownership } = this.#run.claim;
    return !this.#lostCreation && isOwn(this.#budget, tier, { ownership, policy: this.#policy });
  }

  compare(tier: Tier): TierComparison {
    const before = this.#isOwn(tier) ? this.#run.claim.ownership.fields : new Set<TierField>();
    const changes = changesOf(this.#desired, before, tier);
    const specChanged = this.#budget.status?.specHash !== this.#specHash;
    return { before, changes, specChanged, isUpToDate: changedFields(changes).length === 0 };
  }

  adoptedAction(tier: Tier): SyncAction | undefined {
    if (this.#run.claim.ownership.state === 'owned') return undefined;
    return outcomes.adoptedAction(this.#budget, this.#isOwn(tier));
  }

  async announce({ before }: TierComparison): Promise<void> {
    await this.#run.ensureMarked([]);
    const { state, fields: known } = this.#run.claim.ownership;
    const fields = new Set([...before, ...fieldsOf(this.#desired)]);
    if (state === 'owned' && [...fields].every((field) => known.has(field))) return;
    const gateway = this.#dependencies.identity.digest(this.#address);
    await this.#run.updateStatus({ ownership: 'Owned', appliedFields: [...fields], gateway });
  }

  async update({ changes }: TierComparison): Promise<void> {
    const row = await this.#client.budgetUpdate(
      { budget_id: this.#id, ...tierColumns(changes) },
      { signal: this.#signal },
    );
    if (row !== undefined) return;
    const message = 'The budget was deleted at the gateway during an update.';
    throw new GatewayError('transient', 'POST /budget/update', message);
  }

  updatedAction({ changes, specChanged }: TierComparison): SyncAction {
    return outcomes.updatedAction(changedFields(changes), specChanged);
  }

  upToDate({ specChanged }: TierComparison, action: SyncAction | undefined): BudgetOutcome {
    // The operator may have ended after the write of a changed spec, and before the status. Before an adoption, it has
    // written nothing.
    const wrote = specChanged && ownsOrCreates(this.#budget) && !this.#run.claim.ownership.isElsewhere;
    const applied = this.#applied(fieldsOf(this.#desired));
    const outcome = outcomes.inSync(this.#budget, applied, action, this.#syncRequest);
    return { ...outcome, wrote, address: this.#address };
  }

  written(after: Tier, { comparison, action }: Change<TierComparison>): BudgetOutcome {
    const left = changedFields(changesOf(this.#desired, comparison?.before ?? new Set(), after));
    const fields = tierFields.filter((field) => this.#desired[field] !== undefined || left.includes(field));
    const applied = this.#applied(fields);
    const outcome =
      left.length > 0
        ? outcomes.notConverged(this.#run.latest, applied, left)
        : outcomes.inSync(this.#run.latest, applied, action, this.#syncRequest);
    return { ...outcome, wrote: true, address: this.#address };
  }

  #applied(fields: readonly TierField[]): { readonly specHash: string; readonly fields: readonly TierField[] } {
    return { specHash: this.#specHash, fields };
  }
}

function fieldsOf(tier: Tier): TierField[] {
  return tierFields.filter((field) => tier[field] !== undefined);
}
