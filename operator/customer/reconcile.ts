import { annotations, type GatewayCustomer, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import { pausedMessage } from '../conditions.ts';
import { fieldsOf, isGatewayError, limitsOf } from '../gateway/gateway.ts';
import { ConnectionError, type GatewayConnection, parseDuration } from '../instance/instance.ts';
import { claimants, withFreshKey } from './access.ts';
import type { ObjectKey, ReconcileContext, Result } from '../runtime/runtime.ts';
import { isNotFound, keyText, RetryAfterError } from '../runtime/runtime.ts';
import { markText, olderOwner } from './claim.ts';
import { desiredFields } from './desired.ts';
import { Finalization } from './finalize.ts';
import type { Parts } from './parts.ts';
import { isOn } from './parts.ts';
import { report } from './report.ts';
import type { SyncOutcome } from './status.ts';
import { isRoutine, sync } from './sync.ts';

/** When to look again where nothing tells that a Secret has come or changed: keys are read again every minute. */
const keyRetryMs = 60_000;
/** Where the instance, and with it its interval, is not known. */
const defaultSyncMs = parseDuration(instanceDefaults.syncInterval);
/**
 * For so long a customer in sync is still called so while its gateway cannot be reached, in milliseconds: what was
 * agreed still holds, and a gateway that is restarted would otherwise flip hundreds of customers, with a warning and two
 * writes each. That the gateway is away, its instance says by then.
 */
const unreachableGraceMs = 60_000;

/** Reconciles one customer: guard clauses from top to bottom, each of which ends the reconcile or lets it go on. */
export class CustomerReconciler {
  readonly #parts: Parts;
  readonly #finalization: Finalization;
  /** Since when the gateway of a customer in sync has not been reached, by its key, on a clock that never goes back. */
  readonly #unreachable = new Map<string, { readonly uid: string; readonly since: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#finalization = new Finalization(parts);
  }

  /** @throws RetryAfterError or GatewayError where the gateway is to be asked again later */
  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result> {
    const { cache, finalizer } = this.#parts;
    const lost = finalizer.overtaken(key);
    const customer = cache.get(key);
    if (customer?.metadata.deletionTimestamp !== undefined || customer === undefined) {
      this.#unreachable.delete(keyText(key));
    }
    const result = customer === undefined ? {} : await this.#reconcile(customer, context);
    for (const one of lost) {
      await this.#finalization.makeUpFor(one, context);
      finalizer.forget(one);
    }
    return result;
  }

  async #reconcile(customer: GatewayCustomer, { signal, log }: ReconcileContext): Promise<Result> {
    const { finalizer } = this.#parts;
    try {
      if (isOn(customer, 'paused')) {
        // Nothing is undone either for one that is taken away in spite of its finalizer while it is paused.
        finalizer.forget(customer);
        return await this.#end(customer, paused(customer));
      }
      if (customer.metadata.deletionTimestamp !== undefined) {
        return await this.#finalization.run(customer, { signal, log });
      }
      const fresh = !finalizer.on(customer);
      const held = fresh ? await this.#takeHold(customer) : customer;
      // Its deletion came first, and something else holds it: nothing was begun, and nothing may be.
      if (!finalizer.on(held)) return {};
      return await this.#bring(held, fresh, signal);
    } catch (error) {
      // Deleted while it was being reconciled: the news of that brings it back here.
      if (isNotFound(error)) return {};
      throw error;
    }
  }

  async #bring(customer: GatewayCustomer, fresh: boolean, signal: AbortSignal): Promise<Result> {
    const parts = this.#parts;
    let connection: GatewayConnection;
    try {
      connection = await parts.connections.forCustomer(customer.spec.instanceRef, customer.metadata.namespace);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const wait = error.reason === 'InstanceNotReady' ? keyRetryMs : defaultSyncMs;
      return await this.#end(customer, { synced: false, reason: error.reason, message: error.message }, wait);
    }
    const owner = olderOwner(customer, claimants(parts, customer));
    if (owner !== undefined) return await this.#end(customer, conflict(owner), connection.syncInterval);
    try {
      const synced = await withFreshKey(parts, connection, (current) => sync(parts, customer, current, fresh, signal));
      return await this.#end(synced.customer, synced.outcome, connection.syncInterval);
    } catch (error) {
      // What was cut short by our own end says nothing about the gateway.
      if (signal.aborted || !isGatewayError(error)) throw error;
      switch (error.kind) {
        case 'retryAfter':
          throw new RetryAfterError(error.message, error.retryAfterMs ?? 0, { cause: error });
        case 'transient':
          if (!this.#stillHolds(latest(parts, customer))) {
            await report(parts, latest(parts, customer), failed('GatewayUnreachable', error));
          }
          throw error;
        case 'unauthorized':
          return await this.#end(customer, failed('GatewayUnauthorized', error), keyRetryMs);
        case 'terminal':
        case 'notFound':
        case 'alreadyExists':
          return await this.#end(customer, failed('GatewayRejected', error), connection.syncInterval);
      }
    }
  }

  /** The finalizer, and with it the mark that something may be at the gateway from now on: one write. */
  async #takeHold(customer: GatewayCustomer): Promise<GatewayCustomer> {
    const { finalizer } = this.#parts;
    // Where records of others are refused, the mark is written only once it is known that there is none.
    if (customer.spec.adoptionPolicy === 'Refuse') return await finalizer.add(customer);
    const fields = this.#fieldsToAnnounce(customer);
    return await finalizer.add(customer, {
      [annotations.createPending]: markText({ uid: customer.metadata.uid, fields }),
    });
  }

  #fieldsToAnnounce(customer: GatewayCustomer): ReturnType<typeof fieldsOf> {
    const { name, namespace } = customer.spec.instanceRef;
    const key = { name, namespace: namespace ?? customer.metadata.namespace };
    const desired = desiredFields(customer.spec);
    const limited = desired.budgetId === undefined && fieldsOf(limitsOf(desired)).length > 0;
    const hasDefault = this.#parts.instances.get(key)?.spec.defaultCustomerBudget !== undefined;
    const fields = new Set(fieldsOf(desired));
    return limited && hasDefault ? [...fields.add('maxBudget').add('budgetDuration')] : [...fields];
  }

  /** Whether a customer whose gateway cannot be reached may still be called in sync. */
  #stillHolds(customer: GatewayCustomer): boolean {
    if (!isRoutine(customer)) return false;
    const { metadata } = customer;
    const key = keyText(metadata);
    const { uid } = metadata;
    const known = this.#unreachable.get(key);
    const since = known?.uid === uid ? known.since : this.#parts.monotonic();
    this.#unreachable.set(key, { uid, since });
    return this.#parts.monotonic() - since < unreachableGraceMs;
  }

  async #end(customer: GatewayCustomer, outcome: SyncOutcome, requeueAfter?: number): Promise<Result> {
    this.#unreachable.delete(keyText(customer.metadata));
    await report(this.#parts, latest(this.#parts, customer), outcome);
    return requeueAfter === undefined ? {} : { requeueAfter };
  }
}

/** What the cache holds by now of that very resource: writes on the way have changed it. */
function latest({ cache }: Parts, customer: GatewayCustomer): GatewayCustomer {
  const { namespace, name, uid, generation } = customer.metadata;
  const now = cache.get({ namespace, name });
  // Of a changed spec nothing is known yet: what is reported here is about the one that was reconciled.
  return now?.metadata.uid === uid && now.metadata.generation === generation ? now : customer;
}

function paused(customer: GatewayCustomer): SyncOutcome {
  return { synced: false, reason: 'Paused', message: pausedMessage(customer) };
}

function conflict({ metadata }: GatewayCustomer): SyncOutcome {
  return {
    synced: false,
    reason: 'Conflict',
    message: `GatewayCustomer ${metadata.namespace}/${metadata.name} is older and manages this customer: delete one of the two.`,
  };
}

function failed(reason: SyncOutcome['reason'], error: Error): SyncOutcome {
  return { synced: false, reason, message: error.message };
}
