/** Finalizes the resource of a budget before its deletion. */
import { annotations, type GatewayBudget, gatewayBudgetNames } from '../api/v1alpha1/v1alpha1.ts';
import { readNamespace } from '../cluster/cluster.ts';
import { ConnectionError, instanceKeyOf, retryWithFreshKey } from '../connection/connection.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import { isAnnotated, isDefinitionBeingDeleted, StrandedDeletions } from '../lifecycle/lifecycle.ts';
import type { EventDetails, ReconcileContext, Result } from '../runtime/runtime.ts';
import { RetryAfterError } from '../runtime/runtime.ts';
import { budgetIdOf } from './budgetResource.ts';
import { claimantsOf, ownerOf } from './claimants.ts';
import type { CurrentBudget } from './currentBudget.ts';
import type { Dependencies } from './dependencies.ts';
import type { OrphanReason } from './metrics.ts';
import { observeTier } from './observation.ts';
import { failed } from './outcomes.ts';
import { isOwn, ownsOrCreates } from './ownership.ts';
import { usersOf } from './users.ts';
import { inUseMessage } from './usersMessage.ts';

/** The delay before the retry of a deletion that waits for a user's action. */
const retryMs = 60_000;

const annotation = `set the annotation ${annotations.forceDelete} to "true"`;
/** The remedies in the conditions of a deletion that waits. */
const forceDelete = `To delete this resource anyway, ${annotation}.`;
const retryOrForce = `The operator retries; to delete this resource anyway, ${annotation}.`;

/** Finalizes budgets: deletes at the gateway exactly what belongs to the resource, when nothing uses it. */
export class Finalization {
  readonly #dependencies: Dependencies;
  readonly #stranded: StrandedDeletions;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#stranded = new StrandedDeletions(dependencies.client, dependencies);
  }

  /** @throws RetryAfterError or GatewayError if the gateway must be called again later */
  async finalize(current: CurrentBudget, { signal, log }: ReconcileContext): Promise<Result> {
    const dependencies = this.#dependencies;
    const budget = current.latest;
    if (!dependencies.finalizer.isSet(budget)) return {};
    if (!ownsOrCreates(budget) || ownerOf(dependencies, budget) !== undefined) {
      return await this.#removeFinalizer(budget);
    }
    if (await isDefinitionBeingDeleted(dependencies.client, gatewayBudgetNames)) {
      return await this.#orphan(budget, 'crd_deleted', 'The CustomResourceDefinition is being deleted');
    }
    const inUse = inUseMessage(budget, usersOf(dependencies, budget));
    // The limits of customers that still use the budget must not disappear, not even by force.
    if (inUse !== undefined && isAnnotated(budget, 'forceDelete')) return await this.#force(budget);
    if (inUse !== undefined) {
      await current.report(failed('InUse', `${inUse} ${forceDelete} The budget then remains at the gateway.`));
      // Customers of other instances of this gateway are not watched.
      return { requeueAfter: retryMs };
    }
    if (budget.spec.deletionPolicy === 'Orphan') {
      return await this.#orphan(budget, 'policy', 'spec.deletionPolicy is Orphan');
    }
    dependencies.finalizer.beforeExternalWrite(budget);
    try {
      const deleted = await this.#deleteTier(budget, signal);
      const message = deleted
        ? `Budget ${budgetIdOf(budget)} was deleted at the gateway.`
        : `Budget ${budgetIdOf(budget)} at the gateway was not created by the operator. It was not deleted.`;
      log.info(message);
      const reason = deleted ? 'Deleted' : 'Orphaned';
      return await this.#removeFinalizer(budget, { type: 'Normal', reason, message, action: 'Delete' });
    } catch (error) {
      if (signal.aborted) throw error;
      if (isAnnotated(budget, 'forceDelete')) return await this.#force(budget);
      return await this.#handleFailure(current, error);
    }
  }

  /**
   * Cleans up after resources that were deleted despite their finalizer.
   * @throws GatewayError if the cleanup must be repeated
   */
  async cleanUpAfterLostFinalizer(lost: readonly GatewayBudget[], { signal, log }: ReconcileContext): Promise<void> {
    const dependencies = this.#dependencies;
    for (const budget of lost) {
      const { customers, instances } = usersOf(dependencies, budget);
      const isTaken = claimantsOf(dependencies, budget).length > 0 || customers.length + instances.length > 0;
      if (budget.spec.deletionPolicy !== 'Orphan' && !isTaken) await this.#cleanUp(budget, signal, log);
      dependencies.finalizer.markCleanedUp(budget);
    }
  }

  async #cleanUp(budget: GatewayBudget, signal: AbortSignal, log: ReconcileContext['log']): Promise<void> {
    try {
      await this.#deleteTier(budget, signal);
      log.info('The resource was deleted before its finalizer took effect. Its budget is deleted.');
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#dependencies.metrics.orphaned.inc({ reason: 'finalizer_lost' satisfies OrphanReason });
      log.warn(
        { err: error },
        'The resource was deleted before its finalizer took effect, and its instance cannot be used. Its budget may remain at the gateway.',
      );
    }
  }

  /**
   * @returns whether the gateway no longer has a budget of this resource
   * @throws ConnectionError, GatewayError
   */
  async #deleteTier(budget: GatewayBudget, signal: AbortSignal): Promise<boolean> {
    const { connections, clients } = this.#dependencies;
    const connection = await connections.forDeletion(budget.spec.instanceRef, budget.metadata.namespace);
    return await retryWithFreshKey(this.#dependencies, connection, async (fresh) => {
      const client = clients.for(fresh);
      const observed = await observeTier(client, budgetIdOf(budget), { signal, priority: 'urgent' });
      if (observed === undefined) return true;
      if (!isOwn(budget, observed)) return false;
      await client.budgetDelete(budgetIdOf(budget), { signal, priority: 'urgent' });
      return true;
    });
  }

  /** Reports why the deletion waits, and schedules the retry. */
  async #handleFailure(current: CurrentBudget, error: unknown): Promise<Result> {
    if (error instanceof ConnectionError) return await this.#waitForConnection(current, error);
    if (!isGatewayError(error)) throw error;
    if (error.rateLimited) await current.report(failed('RateLimited', `${error.message} ${forceDelete}`));
    if (error.kind === 'retryAfter') {
      throw new RetryAfterError(error.message, error.retryAfterMs ?? 0, { cause: error });
    }
    await current.report(failed('DeletionFailed', `${error.message} ${retryOrForce}`));
    if (error.kind === 'transient') throw error;
    return { requeueAfter: retryMs };
  }

  /** The instance or its key is missing. In a namespace that is being deleted, it cannot come back. */
  async #waitForConnection(current: CurrentBudget, error: ConnectionError): Promise<Result> {
    const budget = current.latest;
    const left = await this.#stranded.leftMs(budget, instanceKeyOf(budget).namespace);
    if (left === undefined) {
      await current.report(failed('DeletionFailed', `${error.message} ${forceDelete}`));
      return { requeueAfter: retryMs };
    }
    if (left <= 0) {
      const cause = 'Its namespace is being deleted, and the instance or its key is missing';
      return await this.#orphan(budget, 'namespace_deleted', cause);
    }
    const then = `The namespace is being deleted, so the budget is orphaned at the gateway after five minutes; to delete this resource at once, ${annotation}.`;
    await current.report(failed('DeletionFailed', `${error.message} ${then}`));
    return { requeueAfter: left };
  }

  async #force(budget: GatewayBudget): Promise<Result> {
    this.#dependencies.metrics.orphaned.inc({ reason: 'forced' satisfies OrphanReason });
    return await this.#removeFinalizer(budget, {
      type: 'Warning',
      reason: 'ForceDeleted',
      message: `The annotation ${annotations.forceDelete} is set. Budget ${budgetIdOf(budget)} may remain at the gateway.`,
      action: 'Delete',
    });
  }

  async #orphan(budget: GatewayBudget, reason: OrphanReason, cause: string): Promise<Result> {
    const { metrics, client, events } = this.#dependencies;
    metrics.orphaned.inc({ reason });
    const event: EventDetails = {
      type: reason === 'policy' ? 'Normal' : 'Warning',
      reason: 'Orphaned',
      message: `${cause}: budget ${budgetIdOf(budget)} remains at the gateway.`,
      action: 'Delete',
    };
    // No event can be created in a namespace that is being deleted, so the event is about the namespace.
    const { namespace: name } = budget.metadata;
    const namespace = reason === 'namespace_deleted' ? await readNamespace(client, name) : undefined;
    if (namespace === undefined) return await this.#removeFinalizer(budget, event);
    events.record(namespace, event);
    return await this.#removeFinalizer(budget);
  }

  async #removeFinalizer(budget: GatewayBudget, event?: EventDetails): Promise<Result> {
    await this.#dependencies.finalizer.remove(budget);
    this.#stranded.forget(budget);
    if (event !== undefined) this.#dependencies.events.record(budget, event);
    return {};
  }
}
