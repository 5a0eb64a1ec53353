/** The end of a finalization: the resource is released, and what it had at the gateway is deleted, orphaned, or waits. */
import type { Counter } from 'prom-client';
import { annotations, type ObjectMeta } from '../api/v1alpha1/v1alpha1.ts';
import { readNamespace } from '../cluster/cluster.ts';
import { ConnectionError, instanceKeyOf } from '../connection/connection.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import type {
  EventDetails,
  EventRecorder,
  Finalizer,
  KubeClient,
  KubeObject,
  ReconcileContext,
  Result,
} from '../runtime/runtime.ts';
import { RetryAfterError } from '../runtime/runtime.ts';
import { StrandedDeletions } from './deletion.ts';

/** Why an object remained at the gateway. */
export type OrphanReason =
  'policy' | 'crd_deleted' | 'namespace_deleted' | 'forced' | 'finalizer_lost' | 'gateway_changed';

/** The delay before the retry of a deletion that waits for a user's action, in milliseconds. */
export const deletionRetryMs = 60_000;

const annotation = `set the annotation ${annotations.forceDelete} to "true"`;
/** The remedies in the conditions of a deletion that waits. */
export const forceDeleteRemedy = `To delete this resource anyway, ${annotation}.`;
export const retryOrForceRemedy = `The operator retries; to delete this resource anyway, ${annotation}.`;

/** A resource with an object at the gateway. */
interface Releasable extends KubeObject {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly instanceRef: { readonly name: string; readonly namespace?: string } };
}

export interface ReleaseDependencies<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'get'>;
  readonly finalizer: Pick<Finalizer<T>, 'remove'>;
  readonly events: EventRecorder;
  readonly metrics: { readonly orphaned: Counter<'reason'> };
  readonly now: () => Date;
  readonly monotonic: () => number;
}

/** The words of a kind in events and conditions. */
export interface ReleaseWords<T> {
  /** What the resource stands for, such as "customer". */
  readonly noun: string;
  /** Its object at the gateway, such as "budget gold". */
  readonly objectOf: (resource: T) => string;
}

/** Writes the condition of a deletion that waits. */
export type ReportWaiting = (reason: 'RateLimited' | 'DeletionFailed', message: string) => Promise<void>;

/** Releases resources from their finalizer, and says in an event what became of their objects at the gateway. */
export class Release<T extends Releasable> {
  readonly #dependencies: ReleaseDependencies<T>;
  readonly #words: ReleaseWords<T>;
  readonly #stranded: StrandedDeletions;

  constructor(dependencies: ReleaseDependencies<T>, words: ReleaseWords<T>) {
    this.#dependencies = dependencies;
    this.#words = words;
    this.#stranded = new StrandedDeletions(dependencies.client, dependencies);
  }

  /** Removes the finalizer. */
  async remove(resource: T, event?: EventDetails): Promise<Result> {
    const { finalizer, events } = this.#dependencies;
    await finalizer.remove(resource);
    this.#stranded.forget(resource);
    if (event !== undefined) events.record(resource, event);
    return {};
  }

  /** Removes the finalizer, and leaves the object at the gateway. @param cause the first half of the event's message */
  async orphan(resource: T, reason: OrphanReason, cause: string): Promise<Result> {
    const { metrics, client, events } = this.#dependencies;
    metrics.orphaned.inc({ reason });
    const event: EventDetails = {
      type: reason === 'policy' ? 'Normal' : 'Warning',
      reason: 'Orphaned',
      message: `${cause}: ${this.#words.objectOf(resource)} remains at the gateway.`,
      action: 'Delete',
    };
    // No event can be created in a namespace that is being deleted, so the event is about the namespace.
    const isNamespaceDeleted = reason === 'namespace_deleted';
    const namespace = isNamespaceDeleted ? await readNamespace(client, resource.metadata.namespace) : undefined;
    if (namespace?.metadata.deletionTimestamp === undefined) return await this.remove(resource, event);
    events.record(namespace, event);
    return await this.remove(resource);
  }

  /** Removes the finalizer of a resource that only observes. @param ownsNothing whether it had nothing at the gateway before */
  async unmanaged(resource: T, ownsNothing: boolean): Promise<Result> {
    if (ownsNothing) return await this.remove(resource);
    return await this.orphan(resource, 'policy', 'spec.managementPolicy is Observe');
  }

  /** Removes the finalizer because of the annotation force-delete. @param message of the event */
  async force(resource: T, message: string): Promise<Result> {
    this.#dependencies.metrics.orphaned.inc({ reason: 'forced' satisfies OrphanReason });
    return await this.remove(resource, { type: 'Warning', reason: 'ForceDeleted', message, action: 'Delete' });
  }

  /** Reports that the object of a resource that was deleted despite its finalizer cannot be cleaned up. */
  lose(error: ConnectionError, log: ReconcileContext['log']): void {
    this.#dependencies.metrics.orphaned.inc({ reason: 'finalizer_lost' satisfies OrphanReason });
    log.warn(
      { err: error },
      `The resource was deleted before its finalizer took effect, and its instance cannot be used. Its ${this.#words.noun} may remain at the gateway.`,
    );
  }

  /**
   * Reports why a deletion waits.
   * @returns when it is retried
   * @throws the error, or a RetryAfterError, if the work queue schedules the retry
   */
  async wait(resource: T, error: unknown, report: ReportWaiting): Promise<Result> {
    if (error instanceof ConnectionError) return await this.#waitForConnection(resource, error, report);
    if (!isGatewayError(error)) throw error;
    if (error.rateLimited) await report('RateLimited', `${error.message} ${forceDeleteRemedy}`);
    if (error.kind === 'retryAfter') {
      throw new RetryAfterError(error.message, error.retryAfterMs ?? 0, { cause: error });
    }
    await report('DeletionFailed', `${error.message} ${retryOrForceRemedy}`);
    if (error.kind === 'transient' || error.kind === 'unconfirmed') throw error;
    return { requeueAfter: deletionRetryMs };
  }

  /** The instance or its key is missing. In a namespace that is being deleted, it cannot come back. */
  async #waitForConnection(resource: T, error: ConnectionError, report: ReportWaiting): Promise<Result> {
    const left = await this.#stranded.left(resource, instanceKeyOf(resource).namespace);
    if (left === undefined) {
      await report('DeletionFailed', `${error.message} ${forceDeleteRemedy}`);
      return { requeueAfter: deletionRetryMs };
    }
    if (left.ms <= 0) {
      const cause = `Namespace ${left.namespace} is being deleted, and the instance or its key is missing`;
      return await this.orphan(resource, 'namespace_deleted', cause);
    }
    const then = `Namespace ${left.namespace} is being deleted, so the ${this.#words.noun} is orphaned at the gateway after five minutes; to delete this resource at once, ${annotation}.`;
    await report('DeletionFailed', `${error.message} ${then}`);
    return { requeueAfter: left.ms };
  }
}
