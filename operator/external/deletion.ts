/** Deletes at the gateway exactly what belongs to a deleted resource, and releases the resource from its finalizer. */
import { annotations, type ObjectMeta } from '../api/v1alpha1/v1alpha1.ts';
import { readNamespace } from '../cluster/cluster.ts';
import { ConnectionError, instanceKeyOf, retryWithFreshKey } from '../connection/connection.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import { forceDeleteRemedy, isAnnotated, isDefinitionBeingDeleted, isObserveOnly } from '../lifecycle/lifecycle.ts';
import type { EventDetails, KubeClient, ReconcileContext, Result } from '../runtime/runtime.ts';
import { RetryAfterError } from '../runtime/runtime.ts';
import {
  accessOf,
  type Adapter,
  connect,
  type ExternalDependencies,
  type RecordDeletion,
  type Run,
} from './adapter.ts';
import { failed } from './outcomes.ts';
import type { External, OrphanReason } from './resource.ts';

/** How long a deletion waits for a successor that does not take over, for example because it is deleted too, in milliseconds. */
const handOverMs = 5_000;
/** The delay before the retry of a deletion that waits for a user's action, in milliseconds. */
const deletionRetryMs = 60_000;

const annotation = `set the annotation ${annotations.forceDelete} to "true"`;
const retryOrForceRemedy = `The operator retries; to delete this resource anyway, ${annotation}.`;

/** Finalizes the resources of one kind. */
export class Deletion<T extends External, Field extends string> {
  readonly #dependencies: ExternalDependencies<T, Field>;
  readonly #adapter: Adapter<T, Field>;
  readonly #stranded: StrandedDeletions;

  constructor(dependencies: ExternalDependencies<T, Field>, adapter: Adapter<T, Field>) {
    this.#dependencies = dependencies;
    this.#adapter = adapter;
    this.#stranded = new StrandedDeletions(dependencies.client, dependencies);
  }

  /** @throws RetryAfterError or GatewayError if the gateway must be called again later */
  async finalize(run: Run<T, Field>, context: ReconcileContext): Promise<Result> {
    const { client, finalizer } = this.#dependencies;
    const resource = run.latest;
    if (!finalizer.isSet(resource)) return {};
    const { state, isElsewhere } = run.claim.ownership;
    if (isObserveOnly(resource)) {
      if (state === 'none') return await this.#release(resource);
      return await this.#orphan(resource, 'policy', 'spec.managementPolicy is Observe');
    }
    if (isElsewhere && state === 'none' && resource.status?.specHash !== undefined) {
      return await this.#orphan(resource, 'gateway_changed', 'The address of the GatewayInstance changed');
    }
    const handOver = this.#adapter.handOver?.(run);
    if (typeof handOver === 'object') return await this.#release(resource, handOver);
    if (state === 'none' || run.claim.owner !== undefined) return await this.#release(resource);
    if (await isDefinitionBeingDeleted(client, this.#adapter.names)) {
      return await this.#orphan(resource, 'crd_deleted', 'The CustomResourceDefinition is being deleted');
    }
    const inUse = this.#adapter.inUse?.(resource);
    if (inUse !== undefined) return await this.#waitForUsers(run, inUse);
    // The successor triggers the next reconcile.
    if (handOver === 'pending') return { requeueAfter: handOverMs };
    if (resource.spec.deletionPolicy === 'Orphan') {
      return await this.#orphan(resource, 'policy', 'spec.deletionPolicy is Orphan');
    }
    return await this.#delete(run, resource, context);
  }

  /**
   * Cleans up after resources that were deleted despite their finalizer: deletes what is theirs, unless it may belong to others
   * or must be orphaned.
   * @throws GatewayError if the cleanup must be repeated
   */
  async cleanUpLost(lost: readonly T[], { signal, log }: ReconcileContext): Promise<void> {
    const { finalizer, claims, metrics } = this.#dependencies;
    const { noun, record } = this.#adapter.words;
    for (const resource of lost) {
      const keeps = resource.spec.deletionPolicy === 'Orphan' || isObserveOnly(resource);
      const isTaken = claims.of(resource).claimants.length > 0 || this.#adapter.inUse?.(resource) !== undefined;
      const deletion = isTaken ? 'none' : claims.adoptionPolicy(resource) === 'Refuse' ? 'ifLinked' : 'own';
      try {
        if (!keeps && (await this.#deleteRecord(resource, deletion, signal))) {
          log.info(`The resource was deleted before its finalizer took effect. Its ${record} is deleted.`);
        }
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        metrics.orphaned.inc({ reason: 'finalizer_lost' satisfies OrphanReason });
        log.warn(
          { err: error },
          `The resource was deleted before its finalizer took effect, and its instance cannot be used. Its ${noun} may remain at the gateway.`,
        );
      }
      finalizer.markCleanedUp(resource);
    }
  }

  /** What others still use must not disappear, not even by force: it then remains at the gateway. */
  async #waitForUsers(run: Run<T, Field>, inUse: string): Promise<Result> {
    if (isAnnotated(run.latest, 'forceDelete')) return await this.#force(run.latest);
    const { noun } = this.#adapter.words;
    const message = `${inUse} ${forceDeleteRemedy} The ${noun} then remains at the gateway.`;
    await run.report(failed('InUse', { message }));
    // Customers of other instances of this gateway are not watched.
    return { requeueAfter: deletionRetryMs };
  }

  async #delete(run: Run<T, Field>, resource: T, { signal, log }: ReconcileContext): Promise<Result> {
    this.#dependencies.finalizer.beforeExternalWrite(resource);
    let deleted: boolean;
    try {
      deleted = await this.#deleteRecord(resource, 'own', signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isAnnotated(resource, 'forceDelete')) return await this.#force(resource);
      return await this.#wait(run, error);
    }
    const { words } = this.#adapter;
    const message = deleted ? words.deleted(resource) : words.notDeleted(resource);
    log.info(message);
    const reason = deleted ? 'Deleted' : 'Orphaned';
    return await this.#release(resource, { type: 'Normal', reason, message, action: 'Delete' });
  }

  /** @returns whether the gateway no longer has a record of this resource @throws ConnectionError, GatewayError */
  async #deleteRecord(resource: T, deletion: RecordDeletion, signal: AbortSignal): Promise<boolean> {
    const connection = await connect(this.#dependencies, this.#adapter, resource, 'forDeletion');
    return await retryWithFreshKey(this.#dependencies, connection, async (fresh) =>
      this.#adapter.delete(accessOf(this.#dependencies, resource, fresh, signal), deletion),
    );
  }

  /** Removes the finalizer. */
  async #release(resource: T, event?: EventDetails): Promise<Result> {
    const { finalizer, events } = this.#dependencies;
    await finalizer.remove(resource);
    this.#stranded.forget(resource);
    if (event !== undefined) events.record(resource, event);
    return {};
  }

  /** Removes the finalizer, and leaves the record at the gateway. @param cause the first half of the event's message */
  async #orphan(resource: T, reason: OrphanReason, cause: string): Promise<Result> {
    const { metrics, client, events } = this.#dependencies;
    metrics.orphaned.inc({ reason });
    const event: EventDetails = {
      type: reason === 'policy' ? 'Normal' : 'Warning',
      reason: 'Orphaned',
      message: `${cause}: ${this.#adapter.words.recordOf(resource)} remains at the gateway.`,
      action: 'Delete',
    };
    // No event can be created in a namespace that is being deleted, so the event is about the namespace.
    const isNamespaceDeleted = reason === 'namespace_deleted';
    const namespace = isNamespaceDeleted ? await readNamespace(client, resource.metadata.namespace) : undefined;
    if (namespace?.metadata.deletionTimestamp === undefined) return await this.#release(resource, event);
    events.record(namespace, event);
    return await this.#release(resource);
  }

  /** Removes the finalizer because of the annotation force-delete. */
  async #force(resource: T): Promise<Result> {
    this.#dependencies.metrics.orphaned.inc({ reason: 'forced' satisfies OrphanReason });
    const message = this.#adapter.words.forced(resource);
    return await this.#release(resource, { type: 'Warning', reason: 'ForceDeleted', message, action: 'Delete' });
  }

  /**
   * Reports why a deletion waits.
   * @returns when it is retried
   * @throws the error, or a RetryAfterError, if the work queue schedules the retry
   */
  async #wait(run: Run<T, Field>, error: unknown): Promise<Result> {
    if (error instanceof ConnectionError) return await this.#waitForConnection(run, error);
    const reason = this.#adapter.deletionReason?.(error);
    if (reason !== undefined) {
      await run.report(failed(reason, { message: `${(error as Error).message} ${retryOrForceRemedy}` }));
      throw error;
    }
    if (!isGatewayError(error)) throw error;
    if (error.rateLimited) {
      await run.report(failed('RateLimited', { message: `${error.message} ${forceDeleteRemedy}` }));
    }
    if (error.kind === 'retryAfter') {
      throw new RetryAfterError(error.message, error.retryAfterMs ?? 0, { cause: error });
    }
    await run.report(failed('DeletionFailed', { message: `${error.message} ${retryOrForceRemedy}` }));
    if (error.kind === 'transient' || error.kind === 'unconfirmed') throw error;
    return { requeueAfter: deletionRetryMs };
  }

  /** The instance or its key is missing. In a namespace that is being deleted, it cannot come back. */
  async #waitForConnection(run: Run<T, Field>, error: ConnectionError): Promise<Result> {
    const resource = run.latest;
    const left = await this.#stranded.left(resource, instanceKeyOf(resource).namespace);
    if (left === undefined) {
      await run.report(failed('DeletionFailed', { message: `${error.message} ${forceDeleteRemedy}` }));
      return { requeueAfter: deletionRetryMs };
    }
    if (left.ms <= 0) {
      const cause = `Namespace ${left.namespace} is being deleted, and the instance or its key is missing`;
      return await this.#orphan(resource, 'namespace_deleted', cause);
    }
    const then = `Namespace ${left.namespace} is being deleted, so the ${this.#adapter.words.noun} is orphaned at the gateway after five minutes; to delete this resource at once, ${annotation}.`;
    await run.report(failed('DeletionFailed', { message: `${error.message} ${then}` }));
    return { requeueAfter: left.ms };
  }
}

/** How long a resource waits for a missing instance or key while a namespace is being deleted, in milliseconds. */
const strandedMs = 5 * 60_000;

/** The deletions that wait for a missing instance or key. */
class StrandedDeletions {
  readonly #client: Pick<KubeClient, 'get'>;
  readonly #clock: { readonly now: () => Date; readonly monotonic: () => number };
  /** Since when an instance or key is missing, by the uid of the resource, on the monotonic clock. */
  readonly #since = new Map<string, number>();

  constructor(client: Pick<KubeClient, 'get'>, clock: { readonly now: () => Date; readonly monotonic: () => number }) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * How long the deletion of a resource still waits.
   * @param instanceNamespace the namespace of the missing instance or key
   * @returns the time in milliseconds, and the namespace that is being deleted; undefined if neither that of the instance nor
   *   that of the resource is
   */
  async left(
    { metadata }: { metadata: ObjectMeta },
    instanceNamespace: string,
  ): Promise<{ readonly ms: number; readonly namespace: string } | undefined> {
    const { uid, namespace } = metadata;
    const instanceDeletedAt = await this.#deletedAt(instanceNamespace);
    const now = this.#clock.monotonic();
    if (instanceDeletedAt !== undefined) {
      // They cannot come back there, so the time before a restart of the operator counts too.
      const since = this.#sinceOf(uid, now - Math.max(0, this.#clock.now().getTime() - Date.parse(instanceDeletedAt)));
      return { ms: strandedMs - (now - since), namespace: instanceNamespace };
    }
    if (namespace === instanceNamespace || (await this.#deletedAt(namespace)) === undefined) return undefined;
    return { ms: strandedMs - (now - this.#sinceOf(uid, now)), namespace };
  }

  async #deletedAt(namespace: string): Promise<string | undefined> {
    return (await readNamespace(this.#client, namespace))?.metadata.deletionTimestamp;
  }

  #sinceOf(uid: string, first: number): number {
    const since = this.#since.get(uid) ?? first;
    this.#since.set(uid, since);
    return since;
  }

  forget({ metadata }: { readonly metadata: { readonly uid: string } }): void {
    this.#since.delete(metadata.uid);
  }
}
