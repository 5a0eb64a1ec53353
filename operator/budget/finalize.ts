/** Finalizes the resource of a budget before its deletion. */
import { annotations, type GatewayBudget, gatewayBudgetNames } from '../api/v1alpha1/v1alpha1.ts';
import { ConnectionError, retryWithFreshKey } from '../connection/connection.ts';
import {
  deletionRetryMs,
  forceDeleteRemedy,
  isAnnotated,
  isDefinitionBeingDeleted,
  isObserveOnly,
  Release,
} from '../lifecycle/lifecycle.ts';
import type { ReconcileContext, Result } from '../runtime/runtime.ts';
import { budgetIdOf } from './budgetResource.ts';
import type { CurrentBudget } from './currentBudget.ts';
import type { Dependencies } from './dependencies.ts';
import { observeTier } from './observation.ts';
import { failed } from './outcomes.ts';
import { isOwn, ownsOrCreates } from './ownership.ts';
import { usersOf } from './users.ts';
import { inUseMessage } from './usersMessage.ts';

/** Finalizes budgets: deletes at the gateway exactly what belongs to the resource, when nothing uses it. */
export class Finalization {
  readonly #dependencies: Dependencies;
  readonly #release: Release<GatewayBudget>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#release = new Release(dependencies, {
      noun: 'budget',
      objectOf: (budget) => `budget ${budgetIdOf(budget)}`,
    });
  }

  /** @throws RetryAfterError or GatewayError if the gateway must be called again later */
  async finalize(current: CurrentBudget, { signal, log }: ReconcileContext): Promise<Result> {
    const dependencies = this.#dependencies;
    const budget = current.latest;
    if (!dependencies.finalizer.isSet(budget)) return {};
    if (isObserveOnly(budget)) return await this.#release.unmanaged(budget, budget.status?.ownership !== 'Owned');
    const claim = dependencies.claims.of(budget);
    const { state, isElsewhere } = claim.ownership;
    if (isElsewhere && state === 'none' && ownsOrCreates(budget)) {
      return await this.#release.orphan(budget, 'gateway_changed', 'The address of the GatewayInstance changed');
    }
    if (state === 'none' || claim.owner !== undefined) return await this.#release.remove(budget);
    if (await isDefinitionBeingDeleted(dependencies.client, gatewayBudgetNames)) {
      return await this.#release.orphan(budget, 'crd_deleted', 'The CustomResourceDefinition is being deleted');
    }
    const inUse = inUseMessage(budget, usersOf(dependencies, budget));
    // The limits of customers that still use the budget must not disappear, not even by force.
    if (inUse !== undefined && isAnnotated(budget, 'forceDelete')) return await this.#force(budget);
    if (inUse !== undefined) {
      await current.report(failed('InUse', `${inUse} ${forceDeleteRemedy} The budget then remains at the gateway.`));
      // Customers of other instances of this gateway are not watched.
      return { requeueAfter: deletionRetryMs };
    }
    if (budget.spec.deletionPolicy === 'Orphan') {
      return await this.#release.orphan(budget, 'policy', 'spec.deletionPolicy is Orphan');
    }
    dependencies.finalizer.beforeExternalWrite(budget);
    try {
      const deleted = await this.#deleteTier(budget, signal);
      const message = deleted
        ? `Budget ${budgetIdOf(budget)} was deleted at the gateway.`
        : `Budget ${budgetIdOf(budget)} at the gateway was not created by the operator. It was not deleted.`;
      log.info(message);
      const reason = deleted ? 'Deleted' : 'Orphaned';
      return await this.#release.remove(budget, { type: 'Normal', reason, message, action: 'Delete' });
    } catch (error) {
      if (signal.aborted) throw error;
      if (isAnnotated(budget, 'forceDelete')) return await this.#force(budget);
      return await this.#release.wait(budget, error, (reason, message) => current.report(failed(reason, message)));
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
      const isTaken = dependencies.claims.of(budget).claimants.length > 0 || customers.length + instances.length > 0;
      const keeps = budget.spec.deletionPolicy === 'Orphan' || isObserveOnly(budget);
      if (!keeps && !isTaken) await this.#cleanUp(budget, signal, log);
      dependencies.finalizer.markCleanedUp(budget);
    }
  }

  async #cleanUp(budget: GatewayBudget, signal: AbortSignal, log: ReconcileContext['log']): Promise<void> {
    try {
      await this.#deleteTier(budget, signal);
      log.info('The resource was deleted before its finalizer took effect. Its budget is deleted.');
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#release.lose(error, log);
    }
  }

  /**
   * @returns whether the gateway no longer has a budget of this resource
   * @throws ConnectionError, GatewayError
   */
  async #deleteTier(budget: GatewayBudget, signal: AbortSignal): Promise<boolean> {
    const { connections, clients, identity, claims } = this.#dependencies;
    const connection = await connections.forDeletion(budget.spec.instanceRef, budget.metadata.namespace);
    return await retryWithFreshKey(this.#dependencies, connection, async (fresh) => {
      const client = clients.for(fresh);
      const observed = await observeTier(client, budgetIdOf(budget), { signal, priority: 'urgent' });
      if (observed === undefined) return true;
      const { ownership } = claims.of(budget, identity.addressOfConnection(fresh));
      if (!isOwn(budget, observed, { ownership, policy: claims.adoptionPolicy(budget) })) return false;
      await client.budgetDelete(budgetIdOf(budget), { signal, priority: 'urgent' });
      return true;
    });
  }

  async #force(budget: GatewayBudget): Promise<Result> {
    const message = `The annotation ${annotations.forceDelete} is set. Budget ${budgetIdOf(budget)} may remain at the gateway.`;
    return await this.#release.force(budget, message);
  }
}
