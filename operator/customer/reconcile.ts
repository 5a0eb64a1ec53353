import { type GatewayCustomer, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import { pausedMessage } from '../conditions.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import { ConnectionError, type GatewayConnection, parseDuration } from '../instance/instance.ts';
import { claimants, withFreshKey } from './access.ts';
import type { ObjectKey, ReconcileContext, Reconciler, Result } from '../runtime/runtime.ts';
import { isNotFound, keyText, RetryAfterError } from '../runtime/runtime.ts';
import { claimOf, olderOwner } from './claim.ts';
import { Finalization } from './finalize.ts';
import type { Parts } from './parts.ts';
import { isOn } from './parts.ts';
import { report } from './report.ts';
import type { SyncOutcome } from './status.ts';
import { DeletedFirstError, isRoutine, sync } from './sync.ts';

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
export class CustomerReconciler implements Reconciler {
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

  foresees(error: unknown): boolean {
    return isGatewayError(error);
  }

  async tellFault(key: ObjectKey, message: string): Promise<void> {
    const customer = this.#parts.cache.get(key);
    if (customer !== undefined)
      await report(this.#parts, customer, { synced: false, reason: 'InternalError', message });
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
      return await this.#bring(customer, signal);
    } catch (error) {
      // Deleted while it was being reconciled: the news of that brings it back here.
      if (isNotFound(error) || error instanceof DeletedFirstError) return {};
      throw error;
    }
  }

  async #bring(customer: GatewayCustomer, signal: AbortSignal): Promise<Result> {
    const parts = this.#parts;
    let connection: GatewayConnection;
    try {
      connection = await parts.connections.forCustomer(customer.spec.instanceRef, customer.metadata.namespace);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const wait = error.reason === 'InstanceNotReady' ? keyRetryMs : defaultSyncMs;
      return await this.#end(customer, unconnected(customer, error), wait);
    }
    const owner = olderOwner(customer, claimants(parts, customer));
    if (owner !== undefined) return await this.#end(customer, conflict(owner), connection.syncInterval);
    try {
      const synced = await withFreshKey(parts, connection, (current) => sync(parts, customer, current, signal));
      return await this.#end(synced.customer, synced.outcome, connection.syncInterval);
    } catch (error) {
      // What was cut short by our own end says nothing about the gateway.
      if (signal.aborted || !isGatewayError(error)) throw error;
      switch (error.kind) {
        case 'retryAfter':
          // What was agreed still holds: a customer in sync stays so.
          if (error.rateLimited && !isRoutine(latest(parts, customer))) {
            await report(parts, latest(parts, customer), failed('RateLimited', error));
          }
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
        case 'unconfirmed':
        case 'alreadyExists':
          return await this.#end(customer, failed('GatewayRejected', error), connection.syncInterval);
      }
    }
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

/** What the condition says where the instance cannot be used: with a record at the gateway, a deletion waits for it, too. */
function unconnected(customer: GatewayCustomer, { reason, message }: ConnectionError): SyncOutcome {
  const waits = 'Until then, the record at the gateway stays as it is, and a deletion of this resource waits.';
  return { synced: false, reason, message: claimOf(customer) === 'none' ? message : `${message} ${waits}` };
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
