/** Reconciles every kind of resource that stands for a record at a gateway. What it tolerates for a while, it keeps in memory. */
import { annotations, instanceDefaults, type ObjectMeta } from '../api/v1alpha1/v1alpha1.ts';
import { parseDuration } from '../cluster/cluster.ts';
import { pausedMessage } from '../conditions/conditions.ts';
import { ConnectionError, type GatewayConnection } from '../connection/connection.ts';
import { GatewayError, isGatewayError } from '../gateway/gateway.ts';
import { DeletedFirstError, isAnnotated, isObserveOnly, Throttle } from '../lifecycle/lifecycle.ts';
import {
  isNotFound,
  keyText,
  type ObjectKey,
  type ReconcileContext,
  type Reconciler,
  type Result,
  RetryAfterError,
} from '../runtime/runtime.ts';
import {
  type Adapter,
  type AnyRecord,
  type Comparison,
  connect,
  type ExternalDependencies,
  PendingError,
  Run,
  type Sync,
} from './adapter.ts';
import { ReapplyGrace } from './claims.ts';
import { Deletion } from './deletion.ts';
import { actionOf, failed, gatewayFailures, inSync, notConverged, observed, type Origin } from './outcomes.ts';
import { type External, isInSync, type Outcome, type SyncAction } from './resource.ts';

/** The interval if the instance is unknown. */
const defaultSyncMs = parseDuration(instanceDefaults.syncInterval);
/**
 * The delay before the next reconcile of a resource whose key is rejected. Secrets are not watched; keys are read again
 * each minute.
 */
const keyRetryMs = 60_000;

/**
 * Reconciles the resources of one kind: connects, observes the record, creates or updates it if required, observes it again, and
 * reports. The adapter knows the kind.
 */
export class ExternalReconciler<T extends External, Field extends string> implements Reconciler {
  readonly #dependencies: ExternalDependencies<T, Field>;
  readonly #adapter: Adapter<T, Field>;
  readonly #deletion: Deletion<T, Field>;
  readonly #outages: OutageTolerance;
  readonly #grace: ReapplyGrace;
  readonly #throttle: Throttle;

  constructor(dependencies: ExternalDependencies<T, Field>, adapter: Adapter<T, Field>) {
    this.#dependencies = dependencies;
    this.#adapter = adapter;
    this.#deletion = new Deletion(dependencies, adapter);
    this.#outages = new OutageTolerance(dependencies.monotonic);
    this.#grace = new ReapplyGrace(dependencies.monotonic);
    this.#throttle = new Throttle(dependencies.monotonic);
  }

  /** @throws RetryAfterError or GatewayError if the gateway must be called again later */
  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result> {
    const { cache, finalizer } = this.#dependencies;
    const lost = finalizer.lostObjects(key);
    const resource = cache.get(key);
    const result = resource === undefined ? this.#forget(key) : await this.#ensure(this.#runOf(resource), context);
    // Runs last, so that a new resource with this name first takes over the record of the lost resource.
    if (lost.length > 0) await this.#deletion.cleanUpLost(lost, context);
    return result;
  }

  #runOf(resource: T): Run<T, Field> {
    return new Run(this.#dependencies, this.#adapter, resource);
  }

  async #ensure(run: Run<T, Field>, context: ReconcileContext): Promise<Result> {
    const resource = run.latest;
    try {
      await this.#dependencies.identity.load();
      if (isAnnotated(resource, 'paused')) return await this.#pause(run);
      if (resource.metadata.deletionTimestamp !== undefined) {
        this.#forget(resource.metadata);
        return await this.#deletion.finalize(run, context);
      }
      const waitMs = this.#adapter.isThrottled ? this.#throttle.waitMs(resource) : 0;
      if (waitMs > 0) return { requeueAfter: waitMs };
      const refusal = this.#adapter.refusal?.(resource);
      if (refusal !== undefined) return await this.#end(run, refusal);
      if (!isObserveOnly(resource)) await this.#adapter.takeOver?.(run);
      const connection = await connect(this.#dependencies, this.#adapter, resource, 'forCustomer');
      return (await this.#waitForOwner(run, connection)) ?? (await this.#sync(run, connection, context.signal));
    } catch (error) {
      if (error instanceof ConnectionError) return await this.#waitForInstance(run, error);
      // The resource has been deleted. The watch triggers the next reconcile.
      if (isNotFound(error) || error instanceof DeletedFirstError) return {};
      throw error;
    }
  }

  #forget(key: ObjectKey): Result {
    this.#outages.forget(key);
    this.#grace.forget(key);
    this.#throttle.forget(key);
    this.#adapter.forget?.(key);
    return {};
  }

  async #pause(run: Run<T, Field>): Promise<Result> {
    // A paused resource is not cleaned up after a lost finalizer either.
    this.#dependencies.finalizer.markCleanedUp(run.latest);
    return await this.#end(run, { synced: false, reason: 'Paused', message: pausedMessage(run.latest) });
  }

  /** The instance cannot be used. Until it can be used again, a resource that owns a record cannot be deleted. */
  async #waitForInstance(run: Run<T, Field>, { reason, message }: ConnectionError): Promise<Result> {
    const { record } = this.#adapter.words;
    const waits = `Until then, the ${record} at the gateway does not change, and a deletion of this resource waits.`;
    const text = this.#dependencies.finalizer.isSet(run.latest) ? `${message} ${waits}` : message;
    const requeueAfter = reason === 'InstanceNotReady' ? keyRetryMs : defaultSyncMs;
    return await this.#end(run, { synced: false, reason, message: text }, requeueAfter);
  }

  /** @returns undefined if the record is this resource's */
  async #waitForOwner(run: Run<T, Field>, connection: GatewayConnection): Promise<Result | undefined> {
    const resource = run.latest;
    const { owner } = isObserveOnly(resource) ? { owner: undefined } : run.claim;
    const address = this.#dependencies.identity.addressOfConnection(connection);
    const requeueAfter = connection.syncInterval;
    if (owner !== undefined) {
      this.#grace.forget(resource.metadata);
      const isTransferred = resource.status?.ownership === 'TakingOver';
      if (isTransferred && owner.metadata.deletionTimestamp !== undefined) return { requeueAfter };
      const outcome = this.#adapter.ownedByAnother(resource, this.#dependencies.claims.of(owner));
      return await this.#end(run, { ...outcome, address }, requeueAfter);
    }
    const { ownerGone } = this.#adapter;
    if (ownerGone === undefined || isObserveOnly(resource)) return undefined;
    const grace = this.#grace.left(resource);
    return grace > 0 ? await this.#end(run, { ...ownerGone, address }, grace) : undefined;
  }

  /** Calls the gateway for a resource, and reports the outcome or the failure. */
  async #sync(run: Run<T, Field>, connection: GatewayConnection, signal: AbortSignal): Promise<Result> {
    const { syncInterval } = connection;
    try {
      const outcome = await run.sync(connection, signal, async (sync) => {
        const reached = await syncRecord(this.#dependencies, this.#adapter, sync);
        return this.#adapter.reported?.(run, reached, sync.connection.syncInterval) ?? reached;
      });
      if (outcome.reason === 'Conflict') this.#grace.skip(run.latest);
      else this.#grace.forget(run.latest.metadata);
      return await this.#end(run, outcome, syncInterval);
    } catch (error) {
      if (error instanceof PendingError) return { requeueAfter: error.retryAfterMs };
      const outcome = this.#adapter.outcomeOf?.(error);
      if (outcome !== undefined) return await this.#end(run, outcome, syncInterval);
      // An error after the abort does not result from the gateway.
      if (signal.aborted || !isGatewayError(error)) throw error;
      const requeueAfter = await this.#reportFailure(run, error, syncInterval);
      this.#outages.forget(run.latest.metadata);
      return { requeueAfter };
    }
  }

  /**
   * Reports a failed call of the gateway.
   * @returns the delay before the next call, in milliseconds
   * @throws the error, or a RetryAfterError, if the work queue schedules the retry
   */
  async #reportFailure(run: Run<T, Field>, error: GatewayError, syncInterval: number): Promise<number> {
    const [reason, retry] = gatewayFailures[error.kind];
    const isSilent =
      isInSync(run.latest) && (error.kind === 'transient' ? this.#outages.tolerates(run.latest) : retry === 'gateway');
    if (!isSilent && (retry !== 'gateway' || error.rateLimited)) await run.report(failed(reason, error));
    if (retry === 'gateway') throw new RetryAfterError(error.message, error.retryAfterMs ?? 0, { cause: error });
    if (retry === 'queue') throw error;
    return retry === 'key' ? keyRetryMs : syncInterval;
  }

  async #end(run: Run<T, Field>, outcome: Outcome, requeueAfter?: number): Promise<Result> {
    this.#outages.forget(run.latest.metadata);
    await run.report(outcome);
    if (this.#adapter.isThrottled) this.#throttle.reconciled(run.latest);
    return requeueAfter === undefined ? {} : { requeueAfter };
  }

  isExpected(error: unknown): boolean {
    return isGatewayError(error) || this.#adapter.deletionReason?.(error) !== undefined;
  }

  async reportUnexpectedError(key: ObjectKey, message: string): Promise<void> {
    const resource = this.#dependencies.cache.get(key);
    if (resource !== undefined) await this.#runOf(resource).report(failed('InternalError', { message }));
  }
}

/**
 * Syncs a record with its spec. Observes first, unless the record is created first. Writes the finalizer and the owner mark only
 * before a change or an adoption.
 * @throws GatewayError from the call that failed; ApiError 404 or DeletedFirstError when the resource is deleted: nothing has
 *   been written then
 */
export async function syncRecord<T extends External, Field extends string>(
  dependencies: ExternalDependencies<T, Field>,
  adapter: Adapter<T, Field>,
  sync: Sync<T, Field>,
): Promise<Outcome> {
  return await new RecordSync(dependencies, adapter, sync).run();
}

class RecordSync<T extends External, Field extends string> {
  readonly #dependencies: ExternalDependencies<T, Field>;
  readonly #adapter: Adapter<T, Field>;
  readonly #sync: Sync<T, Field>;
  readonly #record: AnyRecord;
  /** Whether another client created the record while this sync was creating it. */
  #isLost = false;

  constructor(dependencies: ExternalDependencies<T, Field>, adapter: Adapter<T, Field>, sync: Sync<T, Field>) {
    this.#dependencies = dependencies;
    this.#adapter = adapter;
    this.#sync = sync;
    this.#record = adapter.record(sync);
  }

  async run(): Promise<Outcome> {
    const record = this.#record;
    const known = (await record.unsupported?.()) ?? (await this.#confirmed());
    if (known !== undefined) return known;
    const found = record.createsFirst ? undefined : await record.observe('first');
    if (isObserveOnly(this.#sync.resource)) return this.#observed(found);
    await record.begin?.();
    if (found !== undefined) return await this.#update(found);
    try {
      return await this.#create();
    } catch (error) {
      if (record.mayExist?.(error) !== true) throw error;
      // Another client created it. The gateway may check the fields before it detects a duplicate.
      const existing = await record.observe();
      if (existing === undefined) throw error;
      this.#isLost = true;
      record.loseCreation?.();
      return await this.#update(existing);
    }
  }

  get #isOwned(): boolean {
    return this.#sync.claim.ownership.state === 'owned';
  }

  /** The outcome if a list of records confirms that there is nothing to do. A record that may be another's needs a look. */
  async #confirmed(): Promise<Outcome | undefined> {
    const record = this.#record;
    const { run, resource } = this.#sync;
    const listed = await record.listed?.();
    if (listed === undefined) return undefined;
    if (isObserveOnly(resource)) return this.#ifConfirmed(this.#observed(listed));
    await record.begin?.();
    const comparison = record.compare(listed);
    const isRecorded = this.#dependencies.finalizer.isSet(resource) && run.missingMark([]) === undefined;
    const isDone = comparison.isUpToDate && record.originOf(listed) === undefined && isRecorded;
    return isDone ? this.#ifConfirmed(this.#owned(listed, comparison, undefined)) : undefined;
  }

  #ifConfirmed(outcome: Outcome): Outcome | undefined {
    return this.#record.confirms?.(this.#sync.run.nextStatus(outcome)) === false ? undefined : outcome;
  }

  #observed(found: unknown): Outcome {
    const { words } = this.#adapter;
    const { syncRequest } = this.#sync;
    if (found === undefined) return { ...observed(words, undefined), syncRequest };
    const report = this.#record.observed(found);
    return { ...observed(words, report.differs), ...report.found, syncRequest };
  }

  async #create(): Promise<Outcome> {
    const record = this.#record;
    const { finalizer, metrics } = this.#dependencies;
    await this.#sync.run.announce(record.announcement(undefined));
    finalizer.beforeExternalWrite(this.#sync.run.latest);
    await record.create();
    if (this.#isOwned) metrics.drift.inc();
    return await this.#conclude(undefined, this.#became(this.#isOwned ? 'createdAgain' : 'created'));
  }

  async #update(found: unknown): Promise<Outcome> {
    const record = this.#record;
    const { run, address, claim } = this.#sync;
    const { finalizer, metrics } = this.#dependencies;
    const refused = record.refusal?.(found);
    if (refused !== undefined) {
      await this.#withdraw();
      return { ...refused, address };
    }
    const comparison = record.compare(found);
    const origin = record.originOf(found);
    const adopted = origin === undefined ? undefined : this.#became(origin);
    const { specChanged, changes, differs, routine } = comparison;
    if (comparison.isUpToDate) {
      await run.ensureMarked([]);
      // The operator may have ended after the write of a changed spec, and before the status.
      const wrote = specChanged && (this.#isOwned || claim.ownership.status === 'Creating');
      return { ...this.#owned(found, comparison, adopted), wrote };
    }
    await run.announce(record.announcement(comparison));
    finalizer.beforeExternalWrite(run.latest);
    await record.update(comparison);
    const isCorrection = this.#isOwned && !specChanged && routine === undefined;
    if (isCorrection) metrics.drift.inc();
    const what = routine ?? (isCorrection ? 'corrected' : changes.length === 0 ? 'sent' : 'updated');
    const outcome = await this.#conclude(comparison, adopted ?? actionOf(what, this.#adapter.words, changes));
    return outcome.synced && isCorrection && differs.length > 0 ? { ...outcome, corrected: differs } : outcome;
  }

  /** The record that was announced is one of others. */
  async #withdraw(): Promise<void> {
    const { run, claim } = this.#sync;
    const { state, restoredFrom } = claim.ownership;
    if (this.#record.withdraw === undefined || !(this.#isLost || state === 'pending')) return;
    // The mark announced a creation that did not happen.
    if (restoredFrom === undefined) await run.ensureFinalizer({ [annotations.ownerMark]: null });
    this.#dependencies.finalizer.beforeExternalWrite(run.latest);
    await this.#record.withdraw();
  }

  #became(origin: Origin): SyncAction {
    return actionOf(origin, this.#adapter.words);
  }

  /** The outcome of a write, by a new observation: a 200 alone does not prove success. */
  async #conclude(comparison: Comparison | undefined, action: SyncAction): Promise<Outcome> {
    const { run } = this.#sync;
    const after = await this.#record.observe();
    if (after === undefined) {
      const { noun } = this.#adapter.words;
      const message = `The gateway accepted the ${noun} but does not report it. A replica of the gateway may be behind, or the ${noun} was deleted.`;
      throw new GatewayError('transient', this.#record.lookup, message);
    }
    await run.ensureMarked([]);
    const outcome = { ...this.#owned(after, comparison, action), wrote: true };
    const { metadata, status } = run.latest;
    if (outcome.synced && status?.specHash === undefined) {
      const age = this.#dependencies.now().getTime() - Date.parse(metadata.creationTimestamp);
      this.#dependencies.metrics.firstSync?.observe(Math.max(0, age) / 1000);
    }
    return outcome;
  }

  /** The outcome for a record of this resource, by its last observation. */
  #owned(record: unknown, comparison: Comparison | undefined, action: SyncAction | undefined): Outcome {
    const { address, syncRequest } = this.#sync;
    const { differs, found } = this.#record.report(record, comparison);
    const base = differs.length > 0 ? notConverged(differs) : inSync(this.#adapter.words, action);
    return { ...base, ownership: 'Owned', address, syncRequest, ...found };
  }
}

/**
 * How long a resource stays in sync while its gateway is unreachable, in milliseconds. The gateway keeps its records.
 * Without this tolerance, a restart of the gateway would change the status of hundreds of customers, with a warning and
 * two writes each. The instance reports the outage within this time.
 */
const outageToleranceMs = 60_000;

/** Resources in sync whose gateway is unreachable. */
class OutageTolerance {
  readonly #monotonic: () => number;
  readonly #since = new Map<string, { readonly uid: string; readonly since: number }>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Records a failed call. @returns whether the outage is too short to report */
  tolerates({ metadata }: { readonly metadata: ObjectMeta }): boolean {
    const key = keyText(metadata);
    const { uid } = metadata;
    const known = this.#since.get(key);
    const since = known?.uid === uid ? known.since : this.#monotonic();
    this.#since.set(key, { uid, since });
    return this.#monotonic() - since < outageToleranceMs;
  }

  forget(key: ObjectKey): void {
    this.#since.delete(keyText(key));
  }
}
