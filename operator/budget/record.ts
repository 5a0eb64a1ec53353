/** The budget of one resource at its gateway: how the resource reads and writes it. */
import type { GatewayBudget, GatewayBudgetStatus } from '../api/v1alpha1/v1alpha1.ts';
import {
  type Announcement,
  type Comparison,
  type ExternalRecord,
  failed,
  hashOf,
  isInSync,
  type Origin,
  type Ownership,
  type Report,
  type Sync,
} from '../external/external.ts';
import {
  type CallOptions,
  columnsOf,
  desiredOf,
  driftOf,
  fieldsOf,
  type GatewayClient,
  GatewayError,
  isEmpty,
  isGatewayError,
  readFields,
  type Tier,
  type TierField,
  tierFields,
} from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import type { Dependencies } from './dependencies.ts';
import { type BudgetOutcome, budgetIdOf } from './status.ts';

/** No customer has this id: the call reads nothing and changes nothing. */
const probeId = 'gcust-probe';

/** The budget with this id; undefined if the gateway has none. */
export async function observeTier(client: GatewayClient, id: string, options: CallOptions): Promise<Tier | undefined> {
  const [row] = await client.budgetInfo([id], options);
  return row === undefined ? undefined : readFields(tierFields, row);
}

/** A hash of a tier. */
export function tierHash(tier: Tier): string {
  return hashOf(Object.fromEntries(Object.entries(tier).filter(([, value]) => !isEmpty(value))));
}

/** The changes that a budget needs: a value for each field that differs, null for each field to clear. */
type TierChanges = { readonly [Field in TierField]?: Tier[Field] | null };

/**
 * Compares the gateway's budget with the desired fields. Only changes are sent: a duration that is sent again starts a
 * new period.
 * @param applied the fields that the operator has set; those that are no longer desired are cleared
 */
export function changesOf(desired: Tier, applied: ReadonlySet<TierField>, observed: Tier): TierChanges {
  const { differs, uncleared } = driftOf(desired, applied, { effective: observed, present: observed });
  return Object.fromEntries([...differs, ...uncleared].map((field) => [field, desired[field] ?? null]));
}

/**
 * Whether a budget that the gateway reports belongs to this resource. A resource that was creating it when the operator
 * ended may have been overtaken by another client. If it must refuse budgets of others, only one with exactly the
 * announced values counts as its own.
 */
export function isOwn(
  budget: GatewayBudget,
  observed: Tier,
  { ownership, policy }: { readonly ownership: Ownership; readonly policy: 'Adopt' | 'Refuse' },
): boolean {
  if (ownership.status !== 'Creating') return ownership.state !== 'none';
  return policy === 'Adopt' || budget.status?.specHash === tierHash(observed);
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
    this.#desired = desiredOf(tierFields, sync.resource.spec);
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
    return { differs: fieldsOf(changesOf(this.#desired, new Set(), tier)), found: { budgetId: this.#id } };
  }

  refusal(tier: Tier): BudgetOutcome | undefined {
    const { resource, policy } = this.#sync;
    return !this.#isOwn(tier) && policy === 'Refuse' ? refused(resource) : undefined;
  }

  #isOwn(tier: Tier): boolean {
    const { resource, claim, policy } = this.#sync;
    return !this.#lostCreation && isOwn(resource, tier, { ownership: claim.ownership, policy });
  }

  compare(tier: Tier): TierComparison {
    const { resource, claim } = this.#sync;
    const before = this.#isOwn(tier) ? claim.ownership.fields : new Set<TierField>();
    const values = changesOf(this.#desired, before, tier);
    const changes = fieldsOf(values);
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
  announcement(comparison: TierComparison | undefined): Announcement {
    const { claim, address } = this.#sync;
    const { state, fields: known } = claim.ownership;
    if (comparison === undefined) {
      const message = 'The budget does not exist at the gateway and is being created.';
      const ownership = state === 'owned' ? 'Owned' : 'Creating';
      const applied = this.#applied(fieldsOf(this.#desired));
      return { outcome: { ...failed('Creating', { message }), ownership, address, applied } };
    }
    const fields = new Set([...comparison.before, ...fieldsOf(this.#desired)]);
    if (state === 'owned' && [...fields].every((field) => known.has(field))) return { mark: [] };
    const gateway = this.#dependencies.identity.digest(address);
    const status: Partial<GatewayBudgetStatus> = { ownership: 'Owned', appliedFields: [...fields], gateway };
    return { mark: [], status };
  }

  #applied(fields: readonly TierField[]): { readonly specHash: string; readonly fields: readonly TierField[] } {
    return { specHash: this.#specHash, fields };
  }

  async create(): Promise<void> {
    const { client, signal } = this.#sync;
    await client.budgetNew({ budget_id: this.#id, ...columnsOf(tierFields, this.#desired) }, { signal });
  }

  mayExist(error: unknown): boolean {
    return isGatewayError(error, 'terminal', 'alreadyExists');
  }

  loseCreation(): void {
    this.#lostCreation = true;
  }

  async update({ values }: TierComparison): Promise<void> {
    const { client, signal } = this.#sync;
    const row = await client.budgetUpdate({ budget_id: this.#id, ...columnsOf(tierFields, values) }, { signal });
    if (row !== undefined) return;
    const message = 'The budget was deleted at the gateway during an update.';
    throw new GatewayError('transient', 'POST /budget/update', message);
  }

  report(tier: Tier, comparison: TierComparison | undefined): Report & { readonly found: Partial<BudgetOutcome> } {
    const differs = fieldsOf(changesOf(this.#desired, comparison?.before ?? new Set(), tier));
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
