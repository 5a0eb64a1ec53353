/** Finalizes the resource of a customer before its deletion. */
import { annotations, gatewayCustomerNames, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { readNamespace } from '../cluster/cluster.ts';
import { ConnectionError, instanceKeyOf } from '../connection/connection.ts';
import { isGatewayError } from '../gateway/gateway.ts';
import { isAnnotated, isDefinitionBeingDeleted, StrandedDeletions } from '../lifecycle/lifecycle.ts';
import type { EventDetails, ReconcileContext, Result } from '../runtime/runtime.ts';
import { RetryAfterError } from '../runtime/runtime.ts';
import { claimantsOf, ownerOf, successorOf } from './claimants.ts';
import type { CurrentCustomer } from './currentCustomer.ts';
import { deleteRecord } from './deleteRecord.ts';
import type { Dependencies } from './dependencies.ts';
import { ErasureError } from './erasure.ts';
import type { OrphanReason } from './metrics.ts';
import { adoptionPolicyOf, ownershipOf } from './ownership.ts';
import type { SyncedReason } from './status.ts';
import { transferRecord } from './succession.ts';

/** The delay before the retry of a deletion that waits for a user's action. */
const retryMs = 60_000;

const annotation = `set the annotation ${annotations.forceDelete} to "true"`;
/** The remedies in the conditions of a deletion that waits. */
const forceDelete = `To delete this resource anyway, ${annotation}.`;
const retryOrForce = `The operator retries; to delete this resource anyway, ${annotation}.`;

/** Finalizes customers: deletes at the gateway exactly what belongs to the resource. */
export class Finalization {
  readonly #dependencies: Dependencies;
  readonly #stranded: StrandedDeletions;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#stranded = new StrandedDeletions(dependencies.client, dependencies);
  }

  /** @throws RetryAfterError or GatewayError if the gateway must be called again later */
  async finalize(current: CurrentCustomer, context: ReconcileContext): Promise<Result> {
    const dependencies = this.#dependencies;
    const customer = current.latest;
    if (!dependencies.finalizer.isSet(customer)) return {};
    const { state } = ownershipOf(customer);
    if (state === 'none' || ownerOf(dependencies, customer) !== undefined) return await this.#removeFinalizer(customer);
    if (await isDefinitionBeingDeleted(dependencies.client, gatewayCustomerNames)) {
      return await this.#orphan(customer, 'crd_deleted', 'The CustomResourceDefinition is being deleted');
    }
    // A resource that has not synced a record that it takes over cannot pass it on.
    const complete = state === 'owned' && customer.status?.replacesBudget === undefined;
    const successor = complete ? successorOf(dependencies, customer) : undefined;
    if (successor !== undefined && (await transferRecord(dependencies, customer, successor))) {
      return await this.#transferred(customer, successor);
    }
    if (customer.spec.deletionPolicy === 'Orphan') {
      return await this.#orphan(customer, 'policy', 'spec.deletionPolicy is Orphan');
    }
    return await this.#delete(current, customer, context);
  }

  /**
   * Cleans up after resources that were deleted despite their finalizer. Deletes the budget row of each, and the record
   * unless it may belong to others or must be orphaned.
   * @throws GatewayError if the cleanup must be repeated
   */
  async cleanUpAfterLostFinalizer(lost: readonly GatewayCustomer[], { signal, log }: ReconcileContext): Promise<void> {
    for (const customer of lost) {
      if (customer.spec.deletionPolicy !== 'Orphan') await this.#cleanUp(customer, signal, log);
      this.#dependencies.finalizer.markCleanedUp(customer);
    }
  }

  async #cleanUp(customer: GatewayCustomer, signal: AbortSignal, log: ReconcileContext['log']): Promise<void> {
    // Another resource that names the same customer owns the record now.
    const taken = claimantsOf(this.#dependencies, customer).length > 0;
    const record = taken ? 'none' : adoptionPolicyOf(customer) === 'Refuse' ? 'ifLinked' : 'own';
    try {
      await deleteRecord(this.#dependencies, customer, record, signal);
      log.info({ record }, 'The resource was deleted before its finalizer took effect. Its record is deleted.');
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#dependencies.metrics.orphaned.inc({ reason: 'finalizer_lost' satisfies OrphanReason });
      log.warn(
        { err: error },
        'The resource was deleted before its finalizer took effect, and its instance cannot be used. Its record may remain at the gateway.',
      );
    }
  }

  async #delete(
    current: CurrentCustomer,
    customer: GatewayCustomer,
    { signal, log }: ReconcileContext,
  ): Promise<Result> {
    this.#dependencies.finalizer.beforeExternalWrite(customer);
    let deleted: boolean;
    try {
      deleted = await deleteRecord(this.#dependencies, customer, 'own', signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isAnnotated(customer, 'forceDelete')) return await this.#force(customer);
      return await this.#handleFailure(current, error);
    }
    const message = deleted
      ? 'The customer was deleted at the gateway.'
      : 'The record at the gateway belongs to another resource or was not created by the operator. It was not deleted.';
    log.info(message);
    const reason = deleted ? 'Deleted' : 'Orphaned';
    return await this.#removeFinalizer(customer, { type: 'Normal', reason, message, action: 'Delete' });
  }

  async #transferred(customer: GatewayCustomer, successor: GatewayCustomer): Promise<Result> {
    const { namespace, name } = successor.metadata;
    return await this.#removeFinalizer(customer, {
      type: 'Normal',
      reason: 'TakenOver',
      message: `GatewayCustomer ${namespace}/${name} takes over the record with its spend.`,
      action: 'Delete',
    });
  }

  /** Reports why the deletion waits, and schedules the retry. */
  async #handleFailure(current: CurrentCustomer, error: unknown): Promise<Result> {
    if (error instanceof ErasureError) {
      await setCondition(current, 'ErasurePending', `${error.message} ${retryOrForce}`);
      throw error;
    }
    if (error instanceof ConnectionError) return await this.#waitForConnection(current, error);
    if (!isGatewayError(error)) throw error;
    if (error.rateLimited) await setCondition(current, 'RateLimited', `${error.message} ${forceDelete}`);
    if (error.kind === 'retryAfter') {
      throw new RetryAfterError(error.message, error.retryAfterMs ?? 0, { cause: error });
    }
    await setCondition(current, 'DeletionFailed', `${error.message} ${retryOrForce}`);
    if (error.kind === 'transient') throw error;
    return { requeueAfter: retryMs };
  }

  /** The instance or its key is missing. In a namespace that is being deleted, it cannot come back. */
  async #waitForConnection(current: CurrentCustomer, error: ConnectionError): Promise<Result> {
    const customer = current.latest;
    const left = await this.#stranded.leftMs(customer, instanceKeyOf(customer).namespace);
    if (left === undefined) {
      await setCondition(current, 'DeletionFailed', `${error.message} ${forceDelete}`);
      return { requeueAfter: retryMs };
    }
    if (left <= 0) {
      const cause = 'Its namespace is being deleted, and the instance or its key is missing';
      return await this.#orphan(customer, 'namespace_deleted', cause);
    }
    const then = `The namespace is being deleted, so the customer is orphaned at the gateway after five minutes; to delete this resource at once, ${annotation}.`;
    await setCondition(current, 'DeletionFailed', `${error.message} ${then}`);
    return { requeueAfter: left };
  }

  async #force(customer: GatewayCustomer): Promise<Result> {
    this.#dependencies.metrics.orphaned.inc({ reason: 'forced' satisfies OrphanReason });
    return await this.#removeFinalizer(customer, {
      type: 'Warning',
      reason: 'ForceDeleted',
      message: `The annotation ${annotations.forceDelete} is set and the deletion failed. The customer may remain at the gateway, and its sessions at the guardrail.`,
      action: 'Delete',
    });
  }

  async #orphan(customer: GatewayCustomer, reason: OrphanReason, cause: string): Promise<Result> {
    this.#dependencies.metrics.orphaned.inc({ reason });
    const { namespace: name } = customer.metadata;
    const event: EventDetails = {
      type: reason === 'policy' ? 'Normal' : 'Warning',
      reason: 'Orphaned',
      message: `${cause}: the record of ${name}/${customer.metadata.name} remains at the gateway.`,
      action: 'Delete',
    };
    // No event can be created in a namespace that is being deleted, so the event is about the namespace.
    const namespace = reason === 'namespace_deleted' ? await readNamespace(this.#dependencies.client, name) : undefined;
    if (namespace === undefined) return await this.#removeFinalizer(customer, event);
    this.#dependencies.events.record(namespace, event);
    return await this.#removeFinalizer(customer);
  }

  async #removeFinalizer(customer: GatewayCustomer, event?: EventDetails): Promise<Result> {
    await this.#dependencies.finalizer.remove(customer);
    this.#stranded.forget(customer);
    if (event !== undefined) this.#dependencies.events.record(customer, event);
    return {};
  }
}

async function setCondition(current: CurrentCustomer, reason: SyncedReason, message: string): Promise<void> {
  await current.report({ synced: false, reason, message });
}
