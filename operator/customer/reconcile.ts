import { type GatewayCustomer, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import { BudgetNotUsableError, type UsableBudget } from '../budget/budget.ts';
import { parseDuration } from '../cluster/cluster.ts';
import { ConnectionError, type GatewayConnection, retryWithFreshKey } from '../connection/connection.ts';
import { type GatewayError, isGatewayError } from '../gateway/gateway.ts';
import {
  DeletedFirstError,
  isAnnotated,
  isObserveOnly,
  keyRetryMs,
  OutageTolerance,
  reportGatewayFailure,
} from '../lifecycle/lifecycle.ts';
import type { ObjectKey, ReconcileContext, Reconciler, Result } from '../runtime/runtime.ts';
import { isNotFound } from '../runtime/runtime.ts';
import { connect } from './connect.ts';
import { CurrentCustomer } from './currentCustomer.ts';
import { isInSync } from './customerResource.ts';
import type { Dependencies } from './dependencies.ts';
import { ErasureError } from './erasure.ts';
import { Finalization } from './finalize.ts';
import { ListPendingError } from './listedRecord.ts';
import { observeOnly } from './observe.ts';
import { Overwrites } from './overwrites.ts';
import * as outcomes from './reconcileOutcomes.ts';
import type { SyncOutcome } from './status.ts';
import { sync } from './sync.ts';
import { tierOf } from './tier.ts';
import { ReapplyGrace } from './tolerances.ts';

/** The interval if the instance is unknown. */
const defaultSyncMs = parseDuration(instanceDefaults.syncInterval);

/** Reconciles one customer. */
export class CustomerReconciler implements Reconciler {
  readonly #dependencies: Dependencies;
  readonly #finalization: Finalization;
  readonly #grace: ReapplyGrace;
  readonly #outages: OutageTolerance;
  readonly #overwrites: Overwrites;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#finalization = new Finalization(dependencies);
    this.#grace = new ReapplyGrace(dependencies.monotonic);
    this.#outages = new OutageTolerance(dependencies.monotonic);
    this.#overwrites = new Overwrites(dependencies.monotonic);
  }

  /** @throws RetryAfterError or GatewayError if the gateway must be called again later */
  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result> {
    const { cache, finalizer } = this.#dependencies;
    const lost = finalizer.lostObjects(key);
    const customer = cache.get(key);
    const result = customer === undefined ? this.#handleNotFound(key) : await this.#ensure(customer, context);
    // Runs last, so that a new resource with this name first takes over the record of the lost resource.
    await this.#finalization.cleanUpAfterLostFinalizer(lost, context);
    return result;
  }

  async #ensure(customer: GatewayCustomer, context: ReconcileContext): Promise<Result> {
    const current = new CurrentCustomer(this.#dependencies, customer);
    try {
      await this.#dependencies.identity.load();
      if (isAnnotated(customer, 'paused')) return await this.#pause(current);
      if (customer.metadata.deletionTimestamp !== undefined) return await this.#finalize(current, context);
      const connection = await connect(this.#dependencies, customer);
      const address = this.#dependencies.identity.addressOfConnection(connection);
      if (isObserveOnly(customer)) return await this.#observe(current, connection, context.signal);
      const { owner } = this.#dependencies.claims.of(customer);
      if (owner !== undefined) return await this.#waitForOwner(current, owner, { address, ...connection });
      const grace = this.#grace.left(customer);
      if (grace > 0) return await this.#end(current, { ...outcomes.ownerGone, address }, grace);
      return await this.#sync(current, connection, context.signal);
    } catch (error) {
      if (error instanceof ConnectionError) return await this.#waitForInstance(current, error);
      // The resource has been deleted. The watch triggers the next reconcile.
      if (isNotFound(error) || error instanceof DeletedFirstError) return {};
      throw error;
    }
  }

  #handleNotFound(key: ObjectKey): Result {
    this.#outages.forget(key);
    this.#grace.forget(key);
    this.#overwrites.forget(key);
    return {};
  }

  async #pause(current: CurrentCustomer): Promise<Result> {
    // A paused resource is not cleaned up after a lost finalizer either.
    this.#dependencies.finalizer.markCleanedUp(current.latest);
    return await this.#end(current, outcomes.paused(current.latest));
  }

  async #finalize(current: CurrentCustomer, context: ReconcileContext): Promise<Result> {
    this.#handleNotFound(current.latest.metadata);
    return await this.#finalization.finalize(current, context);
  }

  async #waitForInstance(current: CurrentCustomer, error: ConnectionError): Promise<Result> {
    const requeueAfter = error.reason === 'InstanceNotReady' ? keyRetryMs : defaultSyncMs;
    return await this.#end(current, outcomes.notConnected(current.latest, error), requeueAfter);
  }

  async #waitForOwner(
    current: CurrentCustomer,
    owner: GatewayCustomer,
    { address, syncInterval: requeueAfter }: { readonly address: string; readonly syncInterval: number },
  ): Promise<Result> {
    this.#grace.forget(current.latest.metadata);
    const transferred = current.latest.status?.ownership === 'TakingOver';
    if (transferred && owner.metadata.deletionTimestamp !== undefined) return { requeueAfter };
    const outcome = outcomes.ownedByAnother(current.latest, this.#dependencies.claims.of(owner));
    return await this.#end(current, { ...outcome, address }, requeueAfter);
  }

  async #sync(current: CurrentCustomer, connection: GatewayConnection, signal: AbortSignal): Promise<Result> {
    return await this.#call(current, connection, signal, async (fresh, tier) => {
      const outcome = await sync(this.#dependencies, current, fresh, { tier, signal });
      if (outcome.reason === 'Conflict') this.#grace.skip(current.latest);
      else this.#grace.forget(current.latest.metadata);
      const reported = this.#overwrites.report(current.latest, outcome, fresh.syncInterval);
      return outcomes.withClaimants(this.#dependencies.claims.of(current.latest), reported);
    });
  }

  async #observe(current: CurrentCustomer, connection: GatewayConnection, signal: AbortSignal): Promise<Result> {
    this.#grace.forget(current.latest.metadata);
    return await this.#call(current, connection, signal, (fresh, tier) =>
      observeOnly(this.#dependencies, current.latest, fresh, { tier, signal }),
    );
  }

  /** Calls the gateway for a customer, and reports the outcome or the failure. */
  async #call(
    current: CurrentCustomer,
    connection: GatewayConnection,
    signal: AbortSignal,
    call: (fresh: GatewayConnection, tier: UsableBudget | undefined) => Promise<SyncOutcome>,
  ): Promise<Result> {
    try {
      const tier = tierOf(this.#dependencies, current.latest);
      const outcome = await retryWithFreshKey(this.#dependencies, connection, (fresh) => call(fresh, tier));
      return await this.#end(current, outcome, connection.syncInterval);
    } catch (error) {
      if (error instanceof ListPendingError) return { requeueAfter: error.retryAfterMs };
      if (error instanceof BudgetNotUsableError) {
        return await this.#end(current, outcomes.failed(error.reason, error), connection.syncInterval);
      }
      // An error after the abort does not result from the gateway.
      if (signal.aborted || !isGatewayError(error)) throw error;
      return await this.#handleGatewayError(current, error, connection.syncInterval);
    }
  }

  /** @throws the error, or a RetryAfterError if the work queue schedules the retry */
  async #handleGatewayError(current: CurrentCustomer, error: GatewayError, syncInterval: number): Promise<Result> {
    const requeueAfter = await reportGatewayFailure(error, {
      inSync: isInSync(current.latest),
      toleratesOutage: () => this.#outages.tolerates(current.latest),
      report: (reason) => current.report(outcomes.failed(reason, error)),
      syncInterval,
    });
    this.#outages.forget(current.latest.metadata);
    return { requeueAfter };
  }

  async #end(current: CurrentCustomer, outcome: SyncOutcome, requeueAfter?: number): Promise<Result> {
    this.#outages.forget(current.latest.metadata);
    await current.report(outcome);
    return requeueAfter === undefined ? {} : { requeueAfter };
  }

  isExpected(error: unknown): boolean {
    return isGatewayError(error) || error instanceof ErasureError;
  }

  async reportUnexpectedError(key: ObjectKey, message: string): Promise<void> {
    const customer = this.#dependencies.cache.get(key);
    if (customer === undefined) return;
    const current = new CurrentCustomer(this.#dependencies, customer);
    await current.report({ synced: false, reason: 'InternalError', message });
  }
}
