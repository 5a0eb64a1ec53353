/** The record of a customer at its gateway, compared with the spec of one resource. */
import { setImmediate } from 'node:timers/promises';
import { annotations, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayConnection } from '../connection/connection.ts';
import {
  type Change,
  claimKey,
  type ExternalRecord,
  isInSync,
  PendingError,
  type Run,
  type SyncAction,
} from '../external/external.ts';
import {
  budgetRowId,
  execute,
  type Field,
  fieldsOf,
  type GatewayClient,
  isGatewayError,
  observe,
  type ObservedCustomer,
  type PlanInput,
  type Step,
  type SupportedFields,
} from '../gateway/gateway.ts';
import { isObserveOnly, observationResult, pendingSyncRequest } from '../lifecycle/lifecycle.ts';
import { keyText } from '../runtime/runtime.ts';
import type { Dependencies } from './dependencies.ts';
import { desiredFields, type Drift, driftOf, specHash } from './desired.ts';
import { type CustomerComparison, examine, isLinked, isUntouched, recordOwner, type Sync } from './examination.ts';
import { reportsOnlyUse, type SyncOutcome } from './status.ts';
import { strategyFor, tierOf } from './strategy.ts';
import { inheritanceOf } from './succession.ts';
import * as outcomes from './syncOutcomes.ts';

/** How long a list is used: this share of the sync interval. */
const listUseShare = 1 / 10;

/** The record of one customer during one sync. */
export class CustomerRecord implements ExternalRecord<ObservedCustomer, CustomerComparison> {
  readonly lookup = 'GET /customer/info';
  readonly noun = 'customer';
  readonly createsFirst: boolean;
  readonly #dependencies: Dependencies;
  readonly #run: Run<GatewayCustomer, Field>;
  readonly #connection: GatewayConnection;
  readonly #client: GatewayClient;
  readonly #signal: AbortSignal;
  /** The resource when the sync began. */
  readonly #customer: GatewayCustomer;
  readonly #policy: 'Adopt' | 'Refuse';
  readonly #given: Omit<Sync, 'strategy'>;
  #begun: Sync | undefined;

  /** @throws BudgetNotUsableError if the customer must wait for its GatewayBudget */
  constructor(
    dependencies: Dependencies,
    run: Run<GatewayCustomer, Field>,
    connection: GatewayConnection,
    signal: AbortSignal,
  ) {
    const customer = run.latest;
    const claim = run.claimAt(connection);
    const tier = tierOf(dependencies, customer);
    const desired = desiredFields(customer.spec, tier?.budgetId);
    this.#dependencies = dependencies;
    this.#run = run;
    this.#connection = connection;
    this.#client = dependencies.clients.for(connection);
    this.#signal = signal;
    this.#customer = customer;
    this.#policy = dependencies.claims.adoptionPolicy(customer);
    this.#given = {
      ...{ dependencies, connection, claim, desired },
      address: dependencies.identity.addressOfConnection(connection),
      specHash: specHash(desired, tier?.lastChange),
      inheritance: inheritanceOf(claim),
      syncRequest: pendingSyncRequest(customer),
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
    const { claim, inheritance } = this.#given;
    const { state, mayHaveWritten, status } = claim.ownership;
    const isUnseen = state === 'none' && !mayHaveWritten && status === undefined && !inheritance.record;
    const adoptsByDefault = this.#customer.spec.adoptionPolicy === undefined && this.#policy === 'Adopt';
    const isManaged = !isObserveOnly(this.#customer);
    return isManaged && isUnseen && adoptsByDefault && this.#client.isLiteLlm && this.#client.isAvailable;
  }

  async withoutLookup(): Promise<SyncOutcome | undefined> {
    const listed = await this.#listed();
    if (listed === undefined) return undefined;
    const outcome = isObserveOnly(this.#customer) ? this.observed(listed) : await this.#confirmed(listed);
    if (outcome === undefined) return undefined;
    return reportsOnlyUse(this.#customer, this.#run.nextStatus(outcome)) ? outcome : undefined;
  }

  /**
   * The record of a customer that is in sync, as the list of its gateway reports it. The list may be as old as
   * {@link listUseShare} says, so it only confirms that there is nothing to do: before any write, the record is looked up.
   * @returns undefined if the record must be looked up
   * @throws PendingError
   */
  async #listed(): Promise<ObservedCustomer | undefined> {
    if (!isInSync(this.#customer)) return undefined;
    const { clients, byInstance, byClaim } = this.#dependencies;
    const { instance, syncInterval } = this.#connection;
    const listed = clients.listed(this.#connection, this.#customer.spec.customerId, {
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

  /** The outcome if there is nothing to do. A record that may belong to others is never up to date, or its adoption is an action. */
  async #confirmed(listed: ObservedCustomer): Promise<SyncOutcome | undefined> {
    await this.begin();
    const comparison = this.compare(listed);
    const { finalizer } = this.#dependencies;
    const isRecorded = finalizer.isSet(this.#customer) && this.#run.missingMark([]) === undefined;
    const isDone = comparison.isUpToDate && this.adoptedAction(listed) === undefined && isRecorded;
    return isDone ? this.upToDate(comparison, undefined) : undefined;
  }

  /**
   * If the gateway's 404 for a missing customer is not known yet, the first observation ends in a creation: at a wrong path it
   * fails, and the record is observed afterwards. Not if records of others must be refused.
   */
  async observe(first?: 'first'): Promise<ObservedCustomer | undefined> {
    const signal = this.#signal;
    if (first === undefined) return await this.#read({ signal });
    if (isObserveOnly(this.#customer)) return await this.#read({ signal, priority: 'routine' });
    try {
      return await this.#read({ signal, priority: isInSync(this.#customer) ? 'routine' : 'urgent' });
    } catch (error) {
      if (isGatewayError(error, 'unconfirmed') && this.#policy === 'Adopt') return undefined;
      throw error;
    }
  }

  async #read(options: Parameters<GatewayClient['customerInfo']>[1]): Promise<ObservedCustomer | undefined> {
    const row = await this.#client.customerInfo(this.#customer.spec.customerId, options);
    return row === undefined ? undefined : observe(row);
  }

  observed(record: ObservedCustomer | undefined): SyncOutcome {
    const { desired, syncRequest } = this.#given;
    if (record === undefined) {
      const { matches, reason, message } = observationResult('customer', undefined);
      return { synced: matches, reason, message, syncRequest };
    }
    // The limits of a linked budget count as the record's own: it does not matter here where the gateway stores them.
    const values = { effective: record.fields, present: record.fields };
    const { differs, unreported } = driftOf(desired, new Set(), values, record.reported);
    const { matches, reason, message } = observationResult('customer', [...differs, ...unreported]);
    return { synced: matches, reason, message, observed: record, linkedBudget: record.budgetId, syncRequest };
  }

  async begin(): Promise<void> {
    this.#begun ??= {
      ...this.#given,
      strategy: await strategyFor(this.#dependencies, this.#customer, this.#connection),
    };
  }

  get #sync(): Sync {
    if (this.#begun === undefined) throw new Error('The sync has not begun.');
    return this.#begun;
  }

  get #supportedByNew(): SupportedFields {
    const { strategy, desired, claim } = this.#sync;
    return strategy.supportedFields(desired, claim.ownership.fields, undefined);
  }

  async announceCreation(): Promise<void> {
    if (this.createsFirst) this.#client.checkCapacity('POST /customer/new', 'urgent');
    await this.#announce({ fields: fieldsOf(this.#supportedByNew.fields) });
  }

  async create(): Promise<void> {
    const { strategy, claim, inheritance } = this.#sync;
    const { fields: applied, state, mayHaveWritten, restoredFrom } = claim.ownership;
    const steps = strategy.plan({
      customerId: this.#customer.spec.customerId,
      desired: this.#supportedByNew.fields,
      applied,
      observed: undefined,
      fresh: state === 'none' && !mayHaveWritten,
      replaces: inheritance.replaces ?? (restoredFrom === undefined ? undefined : budgetRowId(restoredFrom)),
    });
    await execute(this.#client, steps, { signal: this.#signal });
  }

  /** Another client may have created it, probably by a paid call. LiteLLM may check the fields before it detects a duplicate. */
  mayExist(error: unknown): boolean {
    if (isGatewayError(error, 'alreadyExists')) return true;
    return this.createsFirst && isGatewayError(error, 'terminal') && error.operation === 'POST /customer/new';
  }

  loseCreation(): void {
    this.#begun = { ...this.#sync, lostCreation: true };
  }

  createdAction(): SyncAction {
    return outcomes.createdAction(this.#sync.claim.ownership.state === 'owned');
  }

  async refuse(record: ObservedCustomer): Promise<SyncOutcome | undefined> {
    const owner = recordOwner(this.#dependencies, this.#customer, record, this.#sync);
    if (owner === 'thisResource') return undefined;
    await this.#cleanUpCreation();
    return owner === 'refused'
      ? outcomes.refused(this.#sync, this.#customer, record)
      : outcomes.linkedToAnother(this.#sync, this.#customer, record);
  }

  /** Deletes the budget row that remains from an attempt to create a record in place of one that belongs to others. */
  async #cleanUpCreation(): Promise<void> {
    const { lostCreation, claim, strategy } = this.#sync;
    if (!lostCreation && claim.ownership.state !== 'pending') return;
    // The mark announced a creation that did not happen.
    if (claim.ownership.restoredFrom === undefined) {
      await this.#run.ensureFinalizer({ [annotations.ownerMark]: null });
    }
    this.#dependencies.finalizer.beforeExternalWrite(this.#run.latest);
    await execute(this.#client, strategy.cleanupSteps(), { signal: this.#signal });
  }

  compare(record: ObservedCustomer): CustomerComparison {
    return examine(this.#sync, this.#customer, record);
  }

  adoptedAction(record: ObservedCustomer): SyncAction | undefined {
    return outcomes.adoptedAction(this.#sync.claim.ownership, isLinked(this.#customer, record));
  }

  async announce(comparison: CustomerComparison): Promise<void> {
    const { strategy, inheritance } = this.#sync;
    const fields = [...fieldsOf(comparison.supported.fields), ...inheritance.fields];
    const { replaces } = comparison;
    await this.#announce({ fields, replaces, copies: strategy.copiedBudget(this.#planOf(comparison)) });
  }

  #planOf({ supported, applied, observed, replaces }: CustomerComparison): PlanInput {
    const { customerId } = this.#customer.spec;
    return { customerId, desired: supported.fields, applied, observed, replaces, fresh: isUntouched(this.#sync) };
  }

  async update(comparison: CustomerComparison): Promise<void> {
    const { strategy, claim } = this.#sync;
    const steps = strategy.plan(this.#planOf(comparison));
    const needed = claim.ownership.state === 'owned' ? steps : steps.filter(hasEffect);
    await execute(this.#client, needed, { signal: this.#signal });
  }

  updatedAction({ drift, specChanged }: CustomerComparison): SyncAction {
    return outcomes.updatedAction(drift, specChanged);
  }

  upToDate(comparison: CustomerComparison, action: SyncAction | undefined): SyncOutcome {
    return outcomes.upToDate(this.#run.latest, this.#appliedInput(comparison), action);
  }

  written(after: ObservedCustomer, { comparison, action, isCorrection }: Change<CustomerComparison>): SyncOutcome {
    const { strategy, claim } = this.#sync;
    const { supported, applied } = comparison ?? { supported: this.#supportedByNew, applied: claim.ownership.fields };
    const values = strategy.observedValues(after, supported.fields);
    const drift = driftOf(supported.fields, applied, values, after.reported);
    const input = this.#appliedInput({ supported, drift, observed: after });
    const customer = this.#run.latest;
    if (drift.differs.length > 0) return outcomes.notConverged(customer, input);
    if (customer.status?.specHash === undefined) {
      const age = this.#dependencies.now().getTime() - Date.parse(customer.metadata.creationTimestamp);
      this.#dependencies.metrics.firstSync.observe(Math.max(0, age) / 1000);
    }
    const outcome = outcomes.written(customer, input, action);
    const corrected = isCorrection ? (comparison?.drift.differs ?? []) : [];
    return corrected.length > 0 ? { ...outcome, corrected } : outcome;
  }

  #appliedInput(found: {
    readonly supported: SupportedFields;
    readonly drift: Drift;
    readonly observed: ObservedCustomer;
  }): outcomes.AppliedInput {
    const { supported, drift, observed } = found;
    return { ...this.#sync, budgetId: this.#sync.desired.budgetId, supported, drift, observed };
  }

  /**
   * Records the fields before they are set, unless they are recorded already. For a resource whose status does not record its
   * record yet, writes them as a mark in one patch with its finalizer.
   */
  async #announce({ fields, replaces, copies }: Announcement): Promise<void> {
    const { ownership } = this.#sync.claim;
    await this.#run.ensureMarked(fields);
    const announced = this.#run.latest.status?.appliedFields;
    const isInStatus = !ownership.announcedInStatus || announced !== undefined;
    const isRecorded = isInStatus && fields.every((field) => ownership.fields.has(field));
    await this.#run.updateStatus({
      ...(this.#run.announcesByMark || isRecorded
        ? {}
        : { appliedFields: [...new Set([...ownership.fields, ...fields])] }),
      // Once the record is linked to this resource's own row, the operator can no longer find the row of the other
      // resource.
      ...(replaces === undefined ? {} : { replacesBudget: replaces }),
      ...(copies === undefined ? {} : { copiedBudget: copies }),
    });
  }
}

/** The effects of a write, which the status or the owner mark records before the write. */
interface Announcement {
  readonly fields: readonly Field[];
  /** See {@link PlanInput.replaces}. */
  readonly replaces?: string | undefined;
  /** See {@link Strategy.copies}. */
  readonly copies?: string | undefined;
}

/** An update that names only the customer changes nothing. */
function hasEffect(step: Step): boolean {
  return step.do !== 'customerUpdate' || Object.keys(step.body).length > 1;
}
