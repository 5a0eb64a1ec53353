/** The budget of one resource at its gateway: how the resource reads and writes it. */
import type { GatewayBudget } from '../api/v1alpha1/v1alpha1.ts';
import {
  type Comparison,
  type ExternalRecord,
  failed,
  isInSync,
  type Origin,
  type Report,
  type Sync,
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
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { changedFields, changesOf, desiredTier, isOwn, type TierChanges, tierHash } from './comparison.ts';
import type { Dependencies } from './dependencies.ts';
import { type BudgetOutcome, budgetIdOf } from './status.ts';

/** No customer has this id: the call reads nothing and changes nothing. */
const probeId = 'gcust-probe';

/** The budget with this id; undefined if the gateway has none. */
export async function observeTier(client: GatewayClient, id: string, options: CallOptions): Promise<Tier | undefined> {
  const [row] = await client.budgetInfo([id], options);
  return row === undefined ? undefined : tierOf(row);
}

interface TierComparison extends Comparison {
  readonly changes: readonly TierField[];
  /** The fields that the operator has set before. */
  readonly before: ReadonlySet<TierField>;
  readonly values: TierChanges;
}

/** The budget of one resource during one sync. */
export class BudgetRecord implements ExternalRecord<Tier, TierComparison> {
  readonly lookup = 'POST /budget/info';
  readonly createsFirst = false;
  readonly #dependencies: Dependencies;
  readonly #sync: Sync<GatewayBudget, TierField>;
  readonly #id: string;
  readonly #desired: Tier;
  readonly #specHash: string;
  #lostCreation = false;

  constructor(dependencies: Dependencies, sync: Sync<GatewayBudget, TierField>) {
    this.#dependencies = dependencies;
    this.#sync = sync;
    this.#id = budgetIdOf(sync.resource);
    this.#desired = desiredTier(sync.resource.spec);
    this.#specHash = tierHash(this.#desired);
  }

  /** A gateway without a `/budget` API stores no budgets. */
  async unsupported(): Promise<BudgetOutcome | undefined> {
    const { client, connection, signal } = this.#sync;
    // Another server at a wrong address has no /budget API either. Customers would then be stored in another way.
    if (!client.isLiteLlm) await client.customerInfo(probeId, { signal });
    return (await this.#dependencies.clients.hasBudgetApi(connection)) ? undefined : notSupported;
  }

  async observe(first?: 'first'): Promise<Tier | undefined> {
    const { resource: budget, client, signal } = this.#sync;
    const isRoutine = first !== undefined && (isInSync(budget) || isObserveOnly(budget));
    const priority = first === undefined ? {} : { priority: isRoutine ? ('routine' as const) : ('urgent' as const) };
    return await observeTier(client, this.#id, { signal, ...priority });
  }

  observed(tier: Tier): Report & { readonly found: Partial<BudgetOutcome> } {
    return { differs: changedFields(changesOf(this.#desired, new Set(), tier)), found: { budgetId: this.#id } };
  }

  refuse(tier: Tier): Promise<BudgetOutcome | undefined> {
    const { resource, policy } = this.#sync;
    return Promise.resolve(!this.#isOwn(tier) && policy === 'Refuse' ? refused(resource) : undefined);
  }

  #isOwn(tier: Tier): boolean {
    const { resource, claim, policy } = this.#sync;
    return !this.#lostCreation && isOwn(resource, tier, { ownership: claim.ownership, policy });
  }

  compare(tier: Tier): TierComparison {
    const { resource, claim } = this.#sync;
    const before = this.#isOwn(tier) ? claim.ownership.fields : new Set<TierField>();
    const values = changesOf(this.#desired, before, tier);
    const changes = changedFields(values);
    const specChanged = resource.status?.specHash !== this.#specHash;
    return { before, values, changes, differs: changes, specChanged, isUpToDate: changes.length === 0 };
  }

  originOf(tier: Tier): Origin | undefined {
    const { resource, claim } = this.#sync;
    if (claim.ownership.state === 'owned') return undefined;
    if (!this.#isOwn(tier)) return 'adopted';
    // The operator ended after it had announced the creation.
    return resource.status?.ownership === 'Creating' ? 'created' : 'restored';
  }

  /** A budget that is created is not Ready until it exists: customers that lost their link to it are then linked again. */
  async announce(comparison: TierComparison | undefined): Promise<void> {
    const { run, claim, address } = this.#sync;
    const { state, fields: known } = claim.ownership;
    if (comparison === undefined) {
      await run.ensureFinalizer();
      const message = 'The budget does not exist at the gateway and is being created.';
      const ownership = state === 'owned' ? 'Owned' : 'Creating';
      await run.report({ ...failed('Creating', { message }), ownership, address, applied: this.#applied(this.#named) });
      return;
    }
    await run.ensureMarked([]);
    const fields = new Set([...comparison.before, ...this.#named]);
    if (state === 'owned' && [...fields].every((field) => known.has(field))) return;
    const gateway = this.#dependencies.identity.digest(address);
    await run.updateStatus({ ownership: 'Owned', appliedFields: [...fields], gateway });
  }

  /** The fields that the spec names. */
  get #named(): readonly TierField[] {
    return tierFields.filter((field) => this.#desired[field] !== undefined);
  }

  #applied(fields: readonly TierField[]): { readonly specHash: string; readonly fields: readonly TierField[] } {
    return { specHash: this.#specHash, fields };
  }

  async create(): Promise<void> {
    const { client, signal } = this.#sync;
    await client.budgetNew({ budget_id: this.#id, ...tierColumns(this.#desired) }, { signal });
  }

  mayExist(error: unknown): boolean {
    return isGatewayError(error, 'terminal', 'alreadyExists');
  }

  loseCreation(): void {
    this.#lostCreation = true;
  }

  async update({ values }: TierComparison): Promise<void> {
    const { client, signal } = this.#sync;
    const row = await client.budgetUpdate({ budget_id: this.#id, ...tierColumns(values) }, { signal });
    if (row !== undefined) return;
    const message = 'The budget was deleted at the gateway during an update.';
    throw new GatewayError('transient', 'POST /budget/update', message);
  }

  report(tier: Tier, comparison: TierComparison | undefined): Report & { readonly found: Partial<BudgetOutcome> } {
    const differs = changedFields(changesOf(this.#desired, comparison?.before ?? new Set(), tier));
    const fields = tierFields.filter((field) => this.#desired[field] !== undefined || differs.includes(field));
    return { differs, found: { budgetId: this.#id, applied: this.#applied(fields) } };
  }
}

const notSupported: BudgetOutcome = {
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
