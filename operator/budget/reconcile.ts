import { type GatewayBudget, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import { parseDuration } from '../cluster/cluster.ts';
import { ConnectionError, type GatewayConnection, retryWithFreshKey } from '../connection/connection.ts';
import { isGatewayError, isOperatorRow } from '../gateway/gateway.ts';
import {
  DeletedFirstError,
  isAnnotated,
  isObserveOnly,
  keyRetryMs,
  OutageTolerance,
  reportGatewayFailure,
  Throttle,
} from '../lifecycle/lifecycle.ts';
import type { ObjectKey, ReconcileContext, Reconciler, Result } from '../runtime/runtime.ts';
import { isNotFound } from '../runtime/runtime.ts';
import { budgetIdOf, isInSync } from './budgetResource.ts';
import { CurrentBudget } from './currentBudget.ts';
import type { Dependencies } from './dependencies.ts';
import { Finalization } from './finalize.ts';
import * as outcomes from './outcomes.ts';
import type { BudgetOutcome } from './status.ts';
import { sync } from './sync.ts';

/** The interval if the instance is unknown. */
const defaultSyncMs = parseDuration(instanceDefaults.syncInterval);

/** Reconciles one budget. */
export class BudgetReconciler implements Reconciler {
  readonly #dependencies: Dependencies;
  readonly #finalization: Finalization;
  readonly #outages: OutageTolerance;
  readonly #throttle: Throttle;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#finalization = new Finalization(dependencies);
    this.#outages = new OutageTolerance(dependencies.monotonic);
    this.#throttle = new Throttle(dependencies.monotonic);
  }

  /** @throws RetryAfterError or GatewayError if the gateway must be called again later */
  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result> {
    const { cache, finalizer } = this.#dependencies;
    const lost = finalizer.lostObjects(key);
    const budget = cache.get(key);
    const result = budget === undefined ? this.#forget(key) : await this.#ensure(budget, context);
    await this.#finalization.cleanUpAfterLostFinalizer(lost, context);
    return result;
  }

  async #ensure(budget: GatewayBudget, context: ReconcileContext): Promise<Result> {
    const current = new CurrentBudget(this.#dependencies, budget);
    try {
      await this.#dependencies.identity.load();
      if (isAnnotated(budget, 'paused')) return await this.#pause(current);
      if (budget.metadata.deletionTimestamp !== undefined) return await this.#finalize(current, context);
      const waitMs = this.#throttle.waitMs(budget);
      if (waitMs > 0) return { requeueAfter: waitMs };
      if (isOperatorRow(budgetIdOf(budget))) return await this.#end(current, outcomes.reserved(budget));
      const { instanceRef } = budget.spec;
      const connection = await this.#dependencies.connections.forCustomer(instanceRef, budget.metadata.namespace);
      const owner = isObserveOnly(budget) ? undefined : this.#dependencies.claims.of(budget).owner;
      if (owner !== undefined) {
        const address = this.#dependencies.identity.addressOfConnection(connection);
        const outcome = { ...outcomes.ownedByAnother(budget, owner), address };
        return await this.#end(current, outcome, connection.syncInterval);
      }
      return await this.#sync(current, connection, context.signal);
    } catch (error) {
      if (error instanceof ConnectionError) return await this.#waitForInstance(current, error);
      // The resource has been deleted. The watch triggers the next reconcile.
      if (isNotFound(error) || error instanceof DeletedFirstError) return {};
      throw error;
    }
  }

  #forget(key: ObjectKey): Result {
    this.#outages.forget(key);
    this.#throttle.forget(key);
    return {};
  }

  async #pause(current: CurrentBudget): Promise<Result> {
    // A paused resource is not cleaned up after a lost finalizer either.
    this.#dependencies.finalizer.markCleanedUp(current.latest);
    return await this.#end(current, outcomes.paused(current.latest));
  }

  async #finalize(current: CurrentBudget, context: ReconcileContext): Promise<Result> {
    this.#forget(current.latest.metadata);
    return await this.#finalization.finalize(current, context);
  }

  async #waitForInstance(current: CurrentBudget, error: ConnectionError): Promise<Result> {
    const requeueAfter = error.reason === 'InstanceNotReady' ? keyRetryMs : defaultSyncMs;
    return await this.#end(current, outcomes.notConnected(current.latest, error), requeueAfter);
  }

  async #sync(current: CurrentBudget, connection: GatewayConnection, signal: AbortSignal): Promise<Result> {
    try {
      const outcome = await retryWithFreshKey(this.#dependencies, connection, (fresh) =>
        sync(this.#dependencies, current, fresh, signal),
      );
      return await this.#end(current, outcome, connection.syncInterval);
    } catch (error) {
      // An error after the abort does not result from the gateway.
      if (signal.aborted || !isGatewayError(error)) throw error;
      const requeueAfter = await reportGatewayFailure(error, {
        inSync: isInSync(current.latest),
        toleratesOutage: () => this.#outages.tolerates(current.latest),
        report: (reason) => current.report(outcomes.failed(reason, error.message)),
        syncInterval: connection.syncInterval,
      });
      this.#outages.forget(current.latest.metadata);
      return { requeueAfter };
    }
  }

  async #end(current: CurrentBudget, outcome: BudgetOutcome, requeueAfter?: number): Promise<Result> {
    this.#outages.forget(current.latest.metadata);
    await current.report(outcome);
    this.#throttle.reconciled(current.latest);
    return requeueAfter === undefined ? {} : { requeueAfter };
  }

  isExpected(error: unknown): boolean {
    return isGatewayError(error);
  }

  async reportUnexpectedError(key: ObjectKey, message: string): Promise<void> {
    const budget = this.#dependencies.cache.get(key);
    if (budget === undefined) return;
    await new CurrentBudget(this.#dependencies, budget).report(outcomes.failed('InternalError', message));
  }
}
