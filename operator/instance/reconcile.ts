/** Reconciles one GatewayInstance. This file contains the order of the steps; each step has its own file. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { pausedMessage } from '../conditions/conditions.ts';
import { probeGateway } from '../connection/connection.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import { reconcileGuardrail } from '../guardrail/guardrail.ts';
import { isAnnotated, Throttle } from '../lifecycle/lifecycle.ts';
import { calledUrl, observeProxy, reconcileProxy } from '../proxy/proxy.ts';
import type { ObjectKey, ReconcileContext, Reconciler, Result } from '../runtime/runtime.ts';
import { isNotFound, keyOf } from '../runtime/runtime.ts';
import { cleanUpAfterLostFinalizer, handleNotFound } from './deleted.ts';
import { reconcileDefaultBudget } from './defaultBudget.ts';
import type { Dependencies } from './dependencies.ts';
import { finalize } from './finalize.ts';
import { type InMemoryState, InMemoryStates } from './inMemoryState.ts';
import { releaseFormerWorkloads } from './release.ts';
import { type Outcome, reportOutcome, reportReady } from './report.ts';
import { type AskContext, lastCallWithoutEndUser } from './sharedSessions.ts';
import { deleteUnusedObjects } from './unused.ts';

/** The interval of an instance in steady state: neither Secrets nor gateways are watched. */
const RESYNC_MS = 60_000;
/** The interval during a change that no watch reports. */
const POLL_MS = 5_000;

/** See {@link Reconciler}. */
export class InstanceReconciler implements Reconciler {
  readonly #dependencies: Dependencies;
  readonly #states = new InMemoryStates();
  readonly #throttle: Throttle;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#throttle = new Throttle(dependencies.monotonic);
  }

  async reconcile(key: ObjectKey, { signal }: ReconcileContext): Promise<Result> {
    const dependencies = this.#dependencies;
    const instance = dependencies.instances.get(key);
    if (instance === undefined) this.#throttle.forget(key);
    const result =
      instance === undefined
        ? await handleNotFound(dependencies, key, this.#states)
        : await this.#ensure(instance, signal);
    const isCleanedUp = await cleanUpAfterLostFinalizer(dependencies, key, signal);
    return isCleanedUp ? result : { requeueAfter: POLL_MS };
  }

  isExpected(error: unknown): boolean {
    return isGatewayError(error);
  }

  async reportUnexpectedError(key: ObjectKey, message: string): Promise<void> {
    const instance = this.#dependencies.instances.get(key);
    if (instance === undefined) return;
    await reportReady(this.#dependencies, instance, { status: 'False', reason: 'InternalError', message });
  }

  async #ensure(instance: GatewayInstance, signal: AbortSignal): Promise<Result> {
    const dependencies = this.#dependencies;
    const { instances, finalizer } = dependencies;
    if (isAnnotated(instance, 'paused')) return await this.#pause(instance);
    if (instance.metadata.deletionTimestamp !== undefined) return await finalize(dependencies, instance, signal);
    const waitMs = this.#throttle.waitMs(instance);
    if (waitMs > 0) return { requeueAfter: waitMs };
    try {
      const owned = await finalizer.add(instance);
      // The instance is being deleted, and its finalizer can no longer be added. Nothing may be created for it.
      if (!finalizer.isSet(owned)) return {};
      const outcome = await this.#apply(owned, signal);
      this.#throttle.reconciled(owned);
      return { requeueAfter: isChanging(outcome) ? POLL_MS : RESYNC_MS };
    } catch (error) {
      // Deleted during the reconcile: the watch event of the deletion starts the next one.
      if (isNotFound(error) && instances.get(keyOf(instance))?.metadata.uid !== instance.metadata.uid) return {};
      throw error;
    }
  }

  /**
   * A pause applies to the deletion too. If a paused instance is deleted without its finalizer, it is not cleaned up.
   */
  async #pause(instance: GatewayInstance): Promise<Result> {
    this.#dependencies.finalizer.markCleanedUp(instance);
    const message = pausedMessage(instance);
    await reportReady(this.#dependencies, instance, { status: 'False', reason: 'Paused', message });
    return {};
  }

  /** The default budget comes before the proxy, whose configuration names its row. */
  async #apply(instance: GatewayInstance, signal: AbortSignal): Promise<Outcome> {
    const dependencies = this.#dependencies;
    const { client, connections, clients } = dependencies;
    const state = this.#states.of(instance);
    const [probe, observed] = await Promise.all([
      probeGateway(connections, clients, instance, signal),
      observeProxy(client, instance),
    ]);
    const budget = await reconcileDefaultBudget(dependencies, instance, {
      connection: probe.connection,
      configuredRowId: observed.configured.budgetId,
    });
    const current = budget.instance;
    const gateway = {
      deployment: observed.deployment,
      endpoint: probe.endpoint ?? current.status?.endpoint,
      calledUrl: calledUrl(observed),
    };
    const guardrail = await reconcileGuardrail(dependencies, current, gateway, state.sidecarRemovals);
    dependencies.finalizer.beforeExternalWrite(current);
    const proxy = await reconcileProxy(dependencies, current, observed, { budget: budget.settings, ...guardrail });
    await releaseFormerWorkloads(dependencies, current, guardrail);
    await deleteUnusedObjects(dependencies, current, { guardrail, proxy, observed, state });
    const lastCall = await lastCallWithoutEndUser(current, this.#asking(state), signal);
    const outcome = { probe, budget, guardrail, proxy, observed, lastCall };
    await reportOutcome(dependencies, current, outcome);
    return outcome;
  }

  #asking(state: InMemoryState): AskContext {
    const { askLastCall: ask, now, monotonic } = this.#dependencies;
    return { ask, now: now(), monotonic: monotonic(), state };
  }
}

/**
 * Whether a change is in progress that no watch reports. A gateway whose response shows that it is no gateway, or another one,
 * waits for a person.
 */
function isChanging({ probe, guardrail, observed }: Outcome): boolean {
  const { status, reason } = probe.condition;
  const isAwaited = status !== 'True' && reason !== 'GatewayError';
  return guardrail.plan?.keys.inProgress === true || isAwaited || observed.deployment === 'missing';
}
