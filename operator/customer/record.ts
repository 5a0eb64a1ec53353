/** The record of a customer at its gateway: how one resource reads and writes it. */
import { setImmediate } from 'node:timers/promises';
import type { GatewayCustomer, GatewayCustomerStatus } from '../api/v1alpha1/v1alpha1.ts';
import { tierOf } from '../budget/budget.ts';
import { type GatewayConnection, mayAdopt } from '../connection/connection.ts';
import {
  type Announcement,
  claimKey,
  type ExternalRecord,
  isInSync,
  type Origin,
  type Outcome,
  PendingError,
  type Report,
  type Sync,
} from '../external/external.ts';
import {
  allFields,
  budgetRowId,
  budgetRowStrategy,
  customerFieldsStrategy,
  desiredOf,
  driftOf,
  execute,
  type Field,
  fieldsOf,
  isGatewayError,
  type LimitValues,
  observe,
  type ObservedCustomer,
  type PlanInput,
  readCustomer,
  type Step,
  type Strategy,
  type SupportedFields,
} from '../gateway/gateway.ts';
import { isObserveOnly } from '../lifecycle/lifecycle.ts';
import { customerPolicyProblem } from '../policy/policy.ts';
import { keyText } from '../runtime/runtime.ts';
import {
  compare,
  type CustomerComparison,
  type CustomerSync,
  isLinked,
  isUntouched,
  recordOwner,
  specHash,
} from './comparison.ts';
import type { Dependencies } from './dependencies.ts';
import { appliedState, reportsOnlyUse, type SyncOutcome } from './status.ts';
import { inheritanceOf, linkedToAnother, ownerOfRow, refused } from './succession.ts';

/** How long a list is used: this share of the sync interval. */
const listUseShare = 1 / 10;

/** The record of one customer during one sync. */
export class CustomerRecord implements ExternalRecord<ObservedCustomer, CustomerComparison> {
  readonly lookup = 'GET /customer/info';
  readonly createsFirst: boolean;
  readonly #dependencies: Dependencies;
  readonly #sync: Sync<GatewayCustomer, Field>;
  readonly #given: Omit<CustomerSync, 'strategy'>;
  #begun: CustomerSync | undefined;

  /** @throws BudgetNotUsableError if the customer must wait for its GatewayBudget */
  constructor(dependencies: Dependencies, sync: Sync<GatewayCustomer, Field>) {
    const { resource: customer, connection, claim, policy, syncRequest } = sync;
    const tier = tierOf(dependencies, customer);
    const desired = desiredOf(allFields, { ...customer.spec, budgetId: tier?.budgetId });
    const { instance } = connection;
    this.#dependencies = dependencies;
    this.#sync = sync;
    this.#given = {
      ...{ customer, claim, policy, desired, syncRequest },
      mayAdopt: mayAdopt(dependencies.instances.get(instance), instance, customer.metadata.namespace),
      ownerOfRow: (uid) => ownerOfRow(dependencies, uid),
      specHash: specHash(desired, tier?.lastChange),
      inheritance: inheritanceOf(claim),
      lostCreation: false,
    };
    this.createsFirst = this.#mayCreateFirst();
  }

  /**
   * Whether the record is created without a look: if there is one, the gateway reports a duplicate. Only LiteLLM's report of a
   * duplicate is known. The operator observes first
   * - a record that it may have seen or created before;
   * - if the spec says that an existing record is adopted: there probably is one;
   * - if records of others must be refused: after a crash, a record that was there before could not be told from its own;
   * - if the gateway may be unavailable: a resource for which no call was made is deleted without a call.
   */
  #mayCreateFirst(): boolean {
    const { resource, claim, policy, client } = this.#sync;
    const { state, mayHaveWritten, status } = claim.ownership;
    const isUnseen = state === 'none' && !mayHaveWritten && status === undefined && !this.#given.inheritance.record;
    const adoptsByDefault = resource.spec.adoptionPolicy === undefined && policy === 'Adopt';
    return !isObserveOnly(resource) && isUnseen && adoptsByDefault && client.isLiteLlm && client.isAvailable;
  }

  /**
   * A list may be as old as {@link listUseShare} says, so it only confirms that there is nothing to do: before any write, the
   * record is looked up.
   * @throws PendingError
   */
  async listed(): Promise<ObservedCustomer | undefined> {
    const { resource: customer, connection } = this.#sync;
    if (!isInSync(customer)) return undefined;
    const { clients, byInstance, byClaim } = this.#dependencies;
    const { instance, syncInterval } = connection;
    const listed = clients.listed(connection, customer.spec.customerId, {
      maxAgeMs: listUseShare * syncInterval,
      count: () => byInstance.keys(keyText(instance)).length,
      includes: (customerId) => byClaim.keys(claimKey(instance, customerId)).length > 0,
    });
    if (listed.kind === 'pending') throw new PendingError(listed.retryAfterMs);
    if (listed.kind === 'unknown') return undefined;
    // A call would yield to other work. Without it, thousands of lookups would block the process.
    await setImmediate();
    return observe(listed.row);
  }

  confirms(after: GatewayCustomerStatus): boolean {
    return reportsOnlyUse(this.#sync.resource, after);
  }

  /**
   * If the gateway answers for a missing customer as for a path that it does not have, the first observation ends in a creation: at
   * a wrong path it fails, and the record is observed afterwards. Not if records of others must be refused.
   */
  async observe(first?: 'first'): Promise<ObservedCustomer | undefined> {
    const { resource: customer, client, signal, policy } = this.#sync;
    const isRoutine = isInSync(customer) || isObserveOnly(customer);
    const priority = first === undefined ? {} : { priority: isRoutine ? ('routine' as const) : ('urgent' as const) };
    try {
      return await readCustomer(client, customer.spec.customerId, { signal, ...priority });
    } catch (error) {
      const mayCreate = first !== undefined && policy === 'Adopt' && !isObserveOnly(customer);
      if (mayCreate && isGatewayError(error, 'unconfirmed')) return undefined;
      throw error;
    }
  }

  observed(record: ObservedCustomer): Report & { readonly found: Partial<SyncOutcome> } {
    // The limits of a linked budget count as the record's own: it does not matter here where the gateway stores them.
    const values = { effective: record.fields, present: record.fields };
    const { differs, unreported } = driftOf(this.#given.desired, new Set(), values, record.reported);
    return { differs: [...differs, ...unreported], found: { observed: record, linkedBudget: record.budgetId } };
  }

  async begin(): Promise<void> {
    const { resource, connection } = this.#sync;
    this.#begun ??= { ...this.#given, strategy: await strategyFor(this.#dependencies, resource, connection) };
  }

  get #customerSync(): CustomerSync {
    if (this.#begun === undefined) throw new Error('The sync has not begun.');
    return this.#begun;
  }

  refusal(record: ObservedCustomer): Outcome | undefined {
    const { resource, connection } = this.#sync;
    const owner = recordOwner(this.#customerSync, record);
    if (owner === 'thisResource') return undefined;
    return owner === 'refused'
      ? refused(this.#dependencies, connection, resource, record)
      : linkedToAnother(this.#dependencies, resource, record);
  }

  /** The budget row remains from an attempt to create the record. */
  async withdraw(): Promise<void> {
    await this.#execute(this.#customerSync.strategy.cleanupSteps());
  }

  compare(record: ObservedCustomer): CustomerComparison {
    return compare(this.#customerSync, record);
  }

  originOf(record: ObservedCustomer): Origin | undefined {
    const { status, state, restoredFrom, isElsewhere } = this.#sync.claim.ownership;
    if (status === 'TakingOver') return 'takenOver';
    if (state === 'owned') return undefined;
    if (restoredFrom !== undefined) return 'restored';
    // The link proves that this resource created the record before a crash.
    const isCreated = status !== 'Observed' && !isElsewhere && isLinked(this.#sync.resource, record);
    return isCreated ? 'created' : 'adopted';
  }

  /**
   * The fields are recorded before they are set: as a mark, in one patch with the finalizer, if the status does not record the
   * record yet.
   */
  announcement(comparison: CustomerComparison | undefined): Announcement {
    const { run, client, claim } = this.#sync;
    const { strategy, inheritance } = this.#customerSync;
    if (comparison === undefined && this.createsFirst) client.checkCapacity('POST /customer/new', 'urgent');
    const fields = fieldsOf(this.#supported(comparison).fields);
    if (comparison !== undefined) fields.push(...inheritance.fields);
    const { ownership } = claim;
    const isInStatus = !ownership.announcedInStatus || run.latest.status?.appliedFields !== undefined;
    const isRecorded = run.announcesByMark || (isInStatus && fields.every((field) => ownership.fields.has(field)));
    const copies = comparison && strategy.copiedBudget(this.#planOf(comparison));
    const status: Partial<GatewayCustomerStatus> = {
      ...(isRecorded ? {} : { appliedFields: [...new Set([...ownership.fields, ...fields])] }),
      // Once the record is linked to this resource's own row, the operator can no longer find the row of the other
      // resource.
      ...(comparison?.replaces === undefined ? {} : { replacesBudget: comparison.replaces }),
      ...(copies === undefined ? {} : { copiedBudget: copies }),
    };
    return { mark: fields, status };
  }

  /** @param comparison undefined: the record does not exist */
  #supported(comparison: CustomerComparison | undefined): SupportedFields {
    const { strategy, desired, claim } = this.#customerSync;
    return comparison?.supported ?? strategy.supportedFields(desired, claim.ownership.fields, undefined);
  }

  #planOf(comparison: CustomerComparison | undefined): PlanInput {
    const { claim, inheritance } = this.#customerSync;
    const { fields, state, mayHaveWritten, restoredFrom } = claim.ownership;
    const inherited = inheritance.replaces ?? (restoredFrom === undefined ? undefined : budgetRowId(restoredFrom));
    const isNew = comparison === undefined;
    return {
      customerId: this.#sync.resource.spec.customerId,
      desired: this.#supported(comparison).fields,
      applied: isNew ? fields : comparison.applied,
      observed: comparison?.observed,
      replaces: isNew ? inherited : comparison.replaces,
      fresh: isNew ? state === 'none' && !mayHaveWritten : isUntouched(this.#customerSync),
    };
  }

  async create(): Promise<void> {
    await this.#execute(this.#customerSync.strategy.plan(this.#planOf(undefined)));
  }

  /** Another client may have created it, probably by a paid call. LiteLLM may check the fields before it detects a duplicate. */
  mayExist(error: unknown): boolean {
    if (isGatewayError(error, 'alreadyExists')) return true;
    return this.createsFirst && isGatewayError(error, 'terminal') && error.operation === 'POST /customer/new';
  }

  loseCreation(): void {
    this.#begun = { ...this.#customerSync, lostCreation: true };
  }

  async update(comparison: CustomerComparison): Promise<void> {
    const steps = this.#customerSync.strategy.plan(this.#planOf(comparison));
    await this.#execute(this.#sync.claim.ownership.state === 'owned' ? steps : steps.filter(hasEffect));
  }

  async #execute(steps: readonly Step[]): Promise<void> {
    await execute(this.#sync.client, steps, { signal: this.#sync.signal });
  }

  report(record: ObservedCustomer, comparison: CustomerComparison | undefined): Report {
    const { strategy, desired, claim } = this.#customerSync;
    const { connection, run } = this.#sync;
    const { instances, policies } = this.#dependencies;
    const supported = this.#supported(comparison);
    const applied = comparison?.applied ?? claim.ownership.fields;
    const values = strategy.observedValues(record, supported.fields);
    const drift = driftOf(supported.fields, applied, values, record.reported);
    const state = appliedState(run.latest, {
      ...{ connection, desired, supported, drift, observed: record, specHash: this.#given.specHash },
      instance: instances.get(connection.instance),
      policyProblem: customerPolicyProblem(policies, run.latest),
    });
    const found: Partial<SyncOutcome> = { observed: record, applied: state };
    return { differs: drift.differs, found };
  }
}

/** An update that names only the customer changes nothing. */
function hasEffect(step: Step): boolean {
  return step.do !== 'customerUpdate' || Object.keys(step.body).length > 1;
}

type Sources = Pick<Dependencies, 'clients' | 'instances' | 'budgets'>;

/**
 * The strategy for a customer: its own budget row if the gateway has a `/budget` API, otherwise fields of the record.
 */
export async function strategyFor(
  sources: Sources,
  customer: GatewayCustomer,
  connection: GatewayConnection,
): Promise<Strategy> {
  if (!(await sources.clients.hasBudgetApi(connection))) return customerFieldsStrategy;
  return budgetRowStrategy(budgetRowId(customer.metadata.uid), await defaultLimits(sources, connection));
}

/** The instance's default budget, for customers that have limits but no budget. */
async function defaultLimits(
  { clients, instances, budgets }: Sources,
  connection: GatewayConnection,
): Promise<Partial<LimitValues>> {
  const budget = instances.get(connection.instance)?.spec.defaultCustomerBudget;
  if (budget?.maxBudget !== undefined) {
    const { maxBudget, budgetDuration } = budget;
    return { maxBudget, ...(budgetDuration === undefined ? {} : { budgetDuration }) };
  }
  const id = budget?.budgetId ?? referredId(budgets, connection.instance, budget?.budgetRef);
  if (id === undefined) return {};
  const row = await clients.tier(connection, id);
  return {
    ...(typeof row?.max_budget === 'number' ? { maxBudget: row.max_budget } : {}),
    ...(typeof row?.budget_duration === 'string' ? { budgetDuration: row.budget_duration } : {}),
  };
}

/** The id of the GatewayBudget of an instance; undefined if it does not exist at the gateway. */
function referredId(
  budgets: Sources['budgets'],
  { namespace }: GatewayConnection['instance'],
  ref: { readonly name: string } | undefined,
): string | undefined {
  return ref === undefined ? undefined : budgets.get({ namespace, name: ref.name })?.status?.budgetId;
}
