import { type GatewayCustomer, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import { pausedMessage } from '../conditions/conditions.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import { ConnectionError, type GatewayConnection } from '../connection/connection.ts';
import { parseDuration } from '../cluster/cluster.ts';
import { connect, ownerOf, successorOf, waitingClaimants, withFreshKey } from './claimants.ts';
import type { ObjectKey, ReconcileContext, Reconciler, Result } from '../runtime/runtime.ts';
import { isNotFound, keyText, RetryAfterError } from '../runtime/runtime.ts';
import { claimOf } from './ownership.ts';
import { ErasureError } from './erasure.ts';
import { Finalization } from './finalize.ts';
import { isTakingOver } from './succession.ts';
import { graceMs } from './precedence.ts';
import type { Dependencies } from './dependencies.ts';
import { isOn } from './dependencies.ts';
import { report } from './events.ts';
import { conditionOf, type SyncOutcome } from './status.ts';
import { DeletedFirstError, isRoutine, sync, type Synced } from './sync.ts';

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
  readonly #parts: Dependencies;
  readonly #finalization: Finalization;
  /** Since when the gateway of a customer in sync has not been reached, by its key, on a clock that never goes back. */
  readonly #unreachable = new Map<string, { readonly uid: string; readonly since: number }>();

  /** Since when nothing stops a customer any more that was stopped, by its key, on a clock that never goes back. */
  readonly #free = new Map<string, number>();

  constructor(parts: Dependencies) {
    this.#parts = parts;
    this.#finalization = new Finalization(parts);
  }

  /** @throws RetryAfterError or GatewayError where the gateway is to be asked again later */
  async reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result> {
    const { cache, finalizer } = this.#parts;
    const lost = finalizer.lostObjects(key);
    const customer = cache.get(key);
    if (customer?.metadata.deletionTimestamp !== undefined || customer === undefined) {
      this.#unreachable.delete(keyText(key));
      this.#free.delete(keyText(key));
    }
    const result = customer === undefined ? {} : await this.#reconcile(customer, context);
    for (const one of lost) {
      await this.#finalization.makeUpFor(one, context);
      finalizer.markCleanedUp(one);
    }
    return result;
  }

  isExpected(error: unknown): boolean {
    return isGatewayError(error) || error instanceof ErasureError;
  }

  async reportUnexpectedError(key: ObjectKey, message: string): Promise<void> {
    const customer = this.#parts.cache.get(key);
    if (customer !== undefined)
      await report(this.#parts, customer, { synced: false, reason: 'InternalError', message });
  }

  async #reconcile(customer: GatewayCustomer, { signal, log }: ReconcileContext): Promise<Result> {
    const { finalizer } = this.#parts;
    try {
      if (isOn(customer, 'paused')) {
        // Nothing is undone either for one that is taken away in spite of its finalizer while it is paused.
        finalizer.markCleanedUp(customer);
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
      connection = await connect(parts, customer);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const wait = error.reason === 'InstanceNotReady' ? keyRetryMs : defaultSyncMs;
      return await this.#end(customer, unconnected(customer, error), wait);
    }
    const owner = ownerOf(parts, customer);
    if (owner !== undefined) return await this.#stop(customer, owner, connection.syncInterval);
    const left = this.#graceLeft(customer);
    if (left > 0) return await this.#end(customer, released, left);
    try {
      const synced = await withFreshKey(parts, connection, (current) => sync(parts, customer, current, signal));
      this.#noteOutcome(customer, synced.outcome);
      return await this.#end(synced.customer, withWarning(parts, synced), connection.syncInterval);
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

  /** Another resource owns the record. */
  async #stop(customer: GatewayCustomer, owner: GatewayCustomer, requeueAfter: number): Promise<Result> {
    this.#free.delete(keyText(customer.metadata));
    // What hands its record over is waited for.
    const handing = owner.metadata.deletionTimestamp !== undefined && isTakingOver(customer);
    if (handing) return { requeueAfter };
    return await this.#end(customer, conflict(this.#parts, customer, owner), requeueAfter);
  }

  /**
   * For how long a resource that was stopped leaves the record to the one that is gone, which may be applied again. After
   * a restart of the operator, the time begins anew.
   */
  #graceLeft(customer: GatewayCustomer): number {
    if (conditionOf(customer, 'Synced')?.reason !== 'Conflict') return 0;
    const now = this.#parts.monotonic();
    const since = this.#free.get(keyText(customer.metadata)) ?? now;
    this.#free.set(keyText(customer.metadata), since);
    return Math.max(0, since + graceMs - now);
  }

  /** A conflict that the gateway told of is with no resource that is gone: it needs no grace. */
  #noteOutcome({ metadata }: GatewayCustomer, { reason }: SyncOutcome): void {
    if (reason === 'Conflict') this.#free.set(keyText(metadata), Number.NEGATIVE_INFINITY);
    else this.#free.delete(keyText(metadata));
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
function latest({ cache }: Dependencies, customer: GatewayCustomer): GatewayCustomer {
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

/** What a resource of another namespace is called is not told. */
function conflict(parts: Dependencies, customer: GatewayCustomer, owner: GatewayCustomer): SyncOutcome {
  const { namespace, name } = owner.metadata;
  if (namespace !== customer.metadata.namespace) {
    const message =
      'A GatewayCustomer of another namespace manages this customer: create this one with another customerId. If the other one is deleted, its record and what was spent go with it, and this resource creates the customer anew.';
    return { synced: false, reason: 'Conflict', message };
  }
  const takes = successorOf(parts, owner)?.metadata.uid === customer.metadata.uid;
  const then = takes
    ? 'this resource takes the record over, with what was spent'
    : 'its record and what was spent go with it, or to another resource';
  const message = `GatewayCustomer ${namespace}/${name} manages this customer: delete one of the two. If ${name} is deleted, ${then}.`;
  return { synced: false, reason: 'Conflict', message };
}

const released: SyncOutcome = {
  synced: false,
  reason: 'Conflict',
  message: `The GatewayCustomer that managed this customer is gone. Unless it is applied again within ${graceMs / 1_000} s, this resource manages the customer from then on.`,
};

/** Says beforehand what the deletion of a resource means for those that wait for its record. */
function withWarning(parts: Dependencies, { customer, outcome }: Synced): Synced['outcome'] {
  const { namespace } = customer.metadata;
  const others = waitingClaimants(parts, customer);
  if (!outcome.synced || others.length === 0) return outcome;
  const heir = successorOf(parts, customer)?.metadata;
  const named = heir ?? others.find(({ metadata }) => metadata.namespace === namespace)?.metadata;
  const who =
    named === undefined ? 'A GatewayCustomer of another namespace' : `GatewayCustomer ${named.namespace}/${named.name}`;
  const then =
    heir === undefined
      ? 'If this resource is deleted, the record and what was spent go with it'
      : `If this resource is deleted, ${heir.name} takes the record over, with what was spent`;
  return { ...outcome, message: `${outcome.message} ${who} names the same customer and waits. ${then}.` };
}

function failed(reason: SyncOutcome['reason'], error: Error): SyncOutcome {
  return { synced: false, reason, message: error.message };
}
