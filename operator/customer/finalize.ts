/** Finalizes the resource of a customer before its deletion. */
import { annotations, gatewayCustomerNames, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import { ConnectionError } from '../connection/connection.ts';
import {
  isAnnotated,
  isDefinitionBeingDeleted,
  isObserveOnly,
  Release,
  retryOrForceRemedy,
} from '../lifecycle/lifecycle.ts';
import type { ReconcileContext, Result } from '../runtime/runtime.ts';
import type { CurrentCustomer } from './currentCustomer.ts';
import { deleteRecord } from './deleteRecord.ts';
import type { Dependencies } from './dependencies.ts';
import { ErasureError } from './erasure.ts';
import type { SyncedReason } from './status.ts';
import { successorOf, transferRecord } from './succession.ts';

const forced = `The annotation ${annotations.forceDelete} is set and the deletion failed. The customer may remain at the gateway, and its sessions at the guardrail.`;

/** Finalizes customers: deletes at the gateway exactly what belongs to the resource. */
export class Finalization {
  readonly #dependencies: Dependencies;
  readonly #release: Release<GatewayCustomer>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#release = new Release(dependencies, {
      noun: 'customer',
      objectOf: ({ metadata: { namespace, name } }) => `the record of ${namespace}/${name}`,
    });
  }

  /** @throws RetryAfterError or GatewayError if the gateway must be called again later */
  async finalize(current: CurrentCustomer, context: ReconcileContext): Promise<Result> {
    const dependencies = this.#dependencies;
    const customer = current.latest;
    if (!dependencies.finalizer.isSet(customer)) return {};
    const claim = dependencies.claims.of(customer);
    const { state, isElsewhere } = claim.ownership;
    if (isObserveOnly(customer)) return await this.#release.unmanaged(customer, state === 'none');
    if (isElsewhere && state === 'none' && customer.status?.specHash !== undefined) {
      return await this.#release.orphan(customer, 'gateway_changed', 'The address of the GatewayInstance changed');
    }
    if (state === 'none' || claim.owner !== undefined) return await this.#release.remove(customer);
    if (await isDefinitionBeingDeleted(dependencies.client, gatewayCustomerNames)) {
      return await this.#release.orphan(customer, 'crd_deleted', 'The CustomResourceDefinition is being deleted');
    }
    // A resource that has not synced a record that it takes over cannot pass it on.
    const complete = state === 'owned' && customer.status?.replacesBudget === undefined;
    const successor = complete ? successorOf(claim) : undefined;
    if (successor !== undefined && (await transferRecord(dependencies, customer, successor))) {
      return await this.#transferred(customer, successor);
    }
    if (customer.spec.deletionPolicy === 'Orphan') {
      return await this.#release.orphan(customer, 'policy', 'spec.deletionPolicy is Orphan');
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
      const keeps = customer.spec.deletionPolicy === 'Orphan' || isObserveOnly(customer);
      if (!keeps) await this.#cleanUp(customer, signal, log);
      this.#dependencies.finalizer.markCleanedUp(customer);
    }
  }

  async #cleanUp(customer: GatewayCustomer, signal: AbortSignal, log: ReconcileContext['log']): Promise<void> {
    // Another resource that names the same customer owns the record now.
    const { claims } = this.#dependencies;
    const taken = claims.of(customer).claimants.length > 0;
    const record = taken ? 'none' : claims.adoptionPolicy(customer) === 'Refuse' ? 'ifLinked' : 'own';
    try {
      await deleteRecord(this.#dependencies, customer, record, signal);
      log.info({ record }, 'The resource was deleted before its finalizer took effect. Its record is deleted.');
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#release.lose(error, log);
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
      if (isAnnotated(customer, 'forceDelete')) return await this.#release.force(customer, forced);
      return await this.#handleFailure(current, error);
    }
    const message = deleted
      ? 'The customer was deleted at the gateway.'
      : 'The record at the gateway belongs to another resource or was not created by the operator. It was not deleted.';
    log.info(message);
    const reason = deleted ? 'Deleted' : 'Orphaned';
    return await this.#release.remove(customer, { type: 'Normal', reason, message, action: 'Delete' });
  }

  async #transferred(customer: GatewayCustomer, successor: GatewayCustomer): Promise<Result> {
    const { namespace, name } = successor.metadata;
    return await this.#release.remove(customer, {
      type: 'Normal',
      reason: 'TakenOver',
      message: `GatewayCustomer ${namespace}/${name} takes over the record with its spend.`,
      action: 'Delete',
    });
  }

  /** Reports why the deletion waits, and schedules the retry. */
  async #handleFailure(current: CurrentCustomer, error: unknown): Promise<Result> {
    const report = (reason: SyncedReason, message: string): Promise<void> =>
      current.report({ synced: false, reason, message });
    if (error instanceof ErasureError) {
      await report('ErasurePending', `${error.message} ${retryOrForceRemedy}`);
      throw error;
    }
    return await this.#release.wait(current.latest, error, report);
  }
}
