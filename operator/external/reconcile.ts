/** Reconciles every kind of resource that stands for a record at a gateway. What it tolerates for a while, it keeps in memory. */
import { instanceDefaults, type ObjectMeta } from '../api/v1alpha1/v1alpha1.ts';
import { parseDuration } from '../cluster/cluster.ts';
import { pausedMessage } from '../conditions/conditions.ts';
import { ConnectionError, type GatewayConnection, retryWithFreshKey } from '../connection/connection.ts';
import { type GatewayError, isGatewayError } from '../gateway/gateway.ts';
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
import { type Adapter, type ExternalDependencies, PendingError, Run } from './adapter.ts';
import { reapplyGraceMs } from './claims.ts';
import { Deletion } from './deletion.ts';
import { type External, failed, isInSync, type Outcome } from './resource.ts';
import { syncRecord } from './sync.ts';

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
    await this.#deletion.cleanUpLost(lost, context);
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
      const connection = await this.#adapter.connect(resource, 'forCustomer');
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
      const outcome = await retryWithFreshKey(this.#dependencies, connection, async (fresh) => {
        const record = this.#adapter.record(run, fresh, signal);
        const reached = await syncRecord(this.#dependencies, run, record);
        return this.#adapter.reported?.(run, reached, fresh.syncInterval) ?? reached;
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
    const inSync = isInSync(run.latest);
    switch (error.kind) {
      case 'retryAfter':
        if (error.rateLimited && !inSync) await run.report(failed('RateLimited', error));
        throw new RetryAfterError(error.message, error.retryAfterMs ?? 0, { cause: error });
      case 'transient':
        if (!inSync || !this.#outages.tolerates(run.latest)) await run.report(failed('GatewayUnreachable', error));
        throw error;
      case 'unauthorized':
        await run.report(failed('GatewayUnauthorized', error));
        return keyRetryMs;
      case 'unconfirmed':
        await run.report(failed('GatewayRejected', error));
        throw error;
      case 'terminal':
      case 'notFound':
      case 'alreadyExists':
        await run.report(failed('GatewayRejected', error));
        return syncInterval;
    }
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

/** Waiting claimants of a record without an owner: the previous owner may be applied again. */
class ReapplyGrace {
  readonly #monotonic: () => number;
  /** When the record lost its owner, by the resource's key. */
  readonly #free = new Map<string, number>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** The remaining time in which the record is reserved for its previous owner, in milliseconds. */
  left({ metadata, status }: External): number {
    if (status?.ownership !== 'Waiting') return 0;
    const now = this.#monotonic();
    const since = this.#free.get(keyText(metadata)) ?? now;
    this.#free.set(keyText(metadata), since);
    return Math.max(0, since + reapplyGraceMs - now);
  }

  /** Ends the delay after the gateway reported a conflict: the record has no previous owner in this cluster. */
  skip({ metadata }: External): void {
    this.#free.set(keyText(metadata), Number.NEGATIVE_INFINITY);
  }

  forget(key: ObjectKey): void {
    this.#free.delete(keyText(key));
  }
}
