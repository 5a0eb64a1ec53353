/** What is done before a customer's resource may go. */
import { annotations, gatewayCustomerNames, type GatewayCustomer } from '../api/v1alpha1/v1alpha1.ts';
import type { CustomerRow, Step, Strategy } from '../gateway/gateway.ts';
import { budgetRowId, execute, isGatewayError, resourceOfRow } from '../gateway/gateway.ts';
import { ConnectionError } from '../connection/connection.ts';
import { namespaceIsBeingDeleted, readNamespace } from '../cluster/cluster.ts';
import { NoGuardrailError } from '../guardrail/guardrail.ts';
import type { EventDetails, KubeObject, ReconcileContext, Result } from '../runtime/runtime.ts';
import { isForbidden, isNotFound, resource, RetryAfterError } from '../runtime/runtime.ts';
import { connect, ownerOf, claimantsOf, successorOf, withFreshKey } from './claimants.ts';
import { adoptionPolicyOf, claimOf } from './ownership.ts';
import { eraseSessions, ErasureError } from './erasure.ts';
import { handOver } from './succession.ts';
import type { OrphanedWhy } from './metrics.ts';
import type { Dependencies } from './dependencies.ts';
import { isOn } from './dependencies.ts';
import { report } from './events.ts';
import type { SyncedReason } from './status.ts';
import { strategyFor, wouldBeLinked } from './sync.ts';

const definitions = resource<KubeObject>(
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
  },
  { namespaced: false },
);
const definitionName = `${gatewayCustomerNames.plural}.${gatewayCustomerNames.group}`;

/** How long a customer of a dying namespace waits for an instance or a key that is gone, in milliseconds. */
const strandedMs = 5 * 60_000;
/** When a deletion that waits for somebody to do something is tried again. */
const retryMs = 60_000;

const howToForce = `To let this resource go without that, set the annotation ${annotations.forceDelete} to "true".`;

/** Finalizes customers: takes away at the gateway what is ours, and nothing else. */
export class Finalization {
  readonly #parts: Dependencies;
  /** Since when a customer of a dying namespace has been stranded, by uid, on a clock that never goes back. */
  readonly #strandedSince = new Map<string, number>();

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** @throws RetryAfterError or GatewayError where the gateway is to be asked again later */
  async run(customer: GatewayCustomer, { signal, log }: ReconcileContext): Promise<Result> {
    const parts = this.#parts;
    if (!parts.finalizer.isSet(customer)) return {};
    if (claimOf(customer) === 'none') return await this.#letGo(customer);
    if (ownerOf(parts, customer) !== undefined) return await this.#letGo(customer);
    if (await this.#definitionIsBeingDeleted()) {
      return await this.#orphan(customer, 'crd_deleted', 'The CustomResourceDefinition is being deleted');
    }
    // One that has not taken up yet what it was itself handed has nothing to hand over.
    const settled = claimOf(customer) === 'recorded' && customer.status?.replacesBudget === undefined;
    const heir = settled ? successorOf(parts, customer) : undefined;
    if (heir !== undefined && (await handOver(parts, customer, heir))) return await this.#handedOver(customer, heir);
    if (customer.spec.deletionPolicy === 'Orphan') {
      return await this.#orphan(customer, 'policy', 'spec.deletionPolicy is Orphan');
    }
    parts.finalizer.beforeExternalWrite(customer);
    let removed: boolean;
    try {
      removed = await this.#remove(customer, signal, 'delete');
    } catch (error) {
      if (signal.aborted) throw error;
      if (isOn(customer, 'forceDelete')) return await this.#force(customer);
      return await this.#wait(customer, error);
    }
    const message = removed
      ? 'The customer was deleted at the gateway.'
      : 'The record at the gateway belongs to another resource, or to somebody else, and was left there.';
    log.info(message);
    const reason = removed ? 'Deleted' : 'Orphaned';
    return await this.#letGo(customer, { type: 'Normal', reason, message, action: 'Delete' });
  }

  async #handedOver(customer: GatewayCustomer, heir: GatewayCustomer): Promise<Result> {
    const { namespace, name } = heir.metadata;
    return await this.#letGo(customer, {
      type: 'Normal',
      reason: 'HandedOver',
      message: `GatewayCustomer ${namespace}/${name} takes the record over, with what was spent.`,
      action: 'Delete',
    });
  }

  /**
   * Takes away at the gateway what was begun for a customer whose resource went in spite of its finalizer: its own budget
   * row in any case, the record unless it may be somebody else's or shall stay.
   * @throws GatewayError where it is to be tried again
   */
  async makeUpFor(customer: GatewayCustomer, { signal, log }: ReconcileContext): Promise<void> {
    if (customer.spec.deletionPolicy === 'Orphan') return;
    // Another resource that names the same record has it by now.
    const taken = claimantsOf(this.#parts, customer).length > 0;
    const record = taken ? 'leave' : adoptionPolicyOf(customer) === 'Refuse' ? 'deleteIfLinked' : 'delete';
    try {
      await this.#remove(customer, signal, record);
      log.info({ record }, 'The resource went before its finalizer could hold it: what was made for it is taken away.');
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#parts.metrics.orphaned.inc({ why: 'vanished' satisfies OrphanedWhy });
      log.warn({ err: error }, 'The resource went before its finalizer could hold it, and so did its instance.');
    }
  }

  /** @returns whether the gateway has no record any more that was this resource's */
  async #remove(
    customer: GatewayCustomer,
    signal: AbortSignal,
    record: 'delete' | 'deleteIfLinked' | 'leave',
  ): Promise<boolean> {
    const parts = this.#parts;
    const { customerId } = customer.spec;
    const connection = await connect(parts, customer, 'forDeletion');
    const removed = await withFreshKey(parts, connection, async (current) => {
      const client = parts.clients.for(current);
      const row = await client.customerInfo(customerId, { signal, priority: 'urgent' });
      const strategy = await strategyFor(parts, customer, current);
      const ours = record !== 'leave' && (row === undefined || isOurs(customer, row, { strategy, record }));
      if (ours && row !== undefined) {
        await client.customerDelete(customerId, { signal, priority: 'urgent' }).catch((error: unknown) => {
          if (!isGatewayError(error, 'notFound')) throw error;
        });
      }
      const replaced = customer.status?.replacesBudget;
      const replacedRows: Step[] = replaced === undefined || !ours ? [] : [{ do: 'budgetDelete', id: replaced }];
      await execute(client, [...strategy.cleanupSteps(), ...replacedRows], { signal });
      return ours;
    });
    if (removed) await this.#erase(customer, connection.instance, signal);
    return removed;
  }

  async #erase(
    customer: GatewayCustomer,
    key: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<void> {
    const instance = this.#parts.instances.get(key);
    if (instance === undefined) return;
    const endpoints = await this.#parts.guardrails(instance).catch(async (error: unknown) => {
      // The guardrail goes with its namespace, and the operator's rights there went first.
      if (isForbidden(error) && (await namespaceIsBeingDeleted(this.#parts.client, key.namespace))) return [];
      const known = error instanceof NoGuardrailError;
      const message = known ? error.message : 'It cannot be told where the guardrail of the instance runs.';
      throw new ErasureError(message, { cause: error });
    });
    if (endpoints.length === 0) return;
    await eraseSessions(endpoints, customer.spec.customerId, signal);
    this.#parts.events.record(customer, {
      type: 'Normal',
      reason: 'SessionsErased',
      message: 'The sessions of this customer were erased at the guardrail.',
      action: 'Delete',
    });
  }

  /** Says what the deletion waits for, and when it is tried again. */
  async #wait(customer: GatewayCustomer, error: unknown): Promise<Result> {
    if (error instanceof ErasureError) {
      await this.#say(customer, 'ErasurePending', `${error.message} It is tried again. ${howToForce}`);
      throw error;
    }
    if (error instanceof ConnectionError) return await this.#strand(customer, error);
    if (!isGatewayError(error)) throw error;
    if (error.rateLimited) await this.#say(customer, 'RateLimited', `${error.message} ${howToForce}`);
    if (error.kind === 'retryAfter')
      throw new RetryAfterError(error.message, error.retryAfterMs ?? 0, { cause: error });
    await this.#say(customer, 'DeletionFailed', `${error.message} It is tried again. ${howToForce}`);
    if (error.kind === 'transient') throw error;
    return { requeueAfter: retryMs };
  }

  /** The instance or its key is not there: in a namespace that is being deleted, nobody will bring it back. */
  async #strand(customer: GatewayCustomer, error: ConnectionError): Promise<Result> {
    const namespace = await readNamespace(this.#parts.client, customer.metadata.namespace);
    if (namespace?.metadata.deletionTimestamp === undefined) {
      await this.#say(customer, 'DeletionFailed', `${error.message} ${howToForce}`);
      return { requeueAfter: retryMs };
    }
    const { uid } = customer.metadata;
    const now = this.#parts.monotonic();
    const since =
      this.#strandedSince.get(uid) ?? now - this.#strandedMs(customer, namespace.metadata.deletionTimestamp);
    this.#strandedSince.set(uid, since);
    const left = strandedMs - (now - since);
    if (left <= 0)
      return await this.#orphan(
        customer,
        'namespace_deleted',
        'Its namespace is being deleted, and the instance or its key is gone',
      );
    await this.#say(
      customer,
      'DeletionFailed',
      `${error.message} The namespace is being deleted: after five minutes the customer is left behind at the gateway. ${howToForce}`,
    );
    return { requeueAfter: left };
  }

  /**
   * How long a customer has been stranded before this process knew. In its own namespace nothing can come back from the
   * moment of the namespace's deletion, so that an operator that is restarted goes on counting.
   */
  #strandedMs({ metadata, spec }: GatewayCustomer, since: string): number {
    if ((spec.instanceRef.namespace ?? metadata.namespace) !== metadata.namespace) return 0;
    return Math.max(0, this.#parts.now().getTime() - Date.parse(since));
  }

  async #force(customer: GatewayCustomer): Promise<Result> {
    this.#parts.metrics.orphaned.inc({ why: 'forced' satisfies OrphanedWhy });
    return await this.#letGo(customer, {
      type: 'Warning',
      reason: 'ForceDeleted',
      message: `The annotation ${annotations.forceDelete} is set, and the customer could not be deleted: it may still be at the gateway, or its sessions at the guardrail.`,
      action: 'Delete',
    });
  }

  async #orphan(customer: GatewayCustomer, why: OrphanedWhy, because: string): Promise<Result> {
    this.#parts.metrics.orphaned.inc({ why });
    const event: EventDetails = {
      type: why === 'policy' ? 'Normal' : 'Warning',
      reason: 'Orphaned',
      message: `${because}: the customer of ${customer.metadata.namespace}/${customer.metadata.name} was left behind at the gateway.`,
      action: 'Delete',
    };
    // Nothing can be made in a namespace that is being deleted, an event neither: it is told of the namespace itself.
    const dying = why === 'namespace_deleted';
    const namespace = dying ? await readNamespace(this.#parts.client, customer.metadata.namespace) : undefined;
    if (namespace !== undefined) this.#parts.events.record(namespace, event);
    return await this.#letGo(customer, namespace === undefined ? event : undefined);
  }

  async #letGo(customer: GatewayCustomer, event?: EventDetails): Promise<Result> {
    await this.#parts.finalizer.remove(customer);
    this.#strandedSince.delete(customer.metadata.uid);
    if (event !== undefined) this.#parts.events.record(customer, event);
    return {};
  }

  async #say(customer: GatewayCustomer, reason: SyncedReason, message: string): Promise<void> {
    await report(this.#parts, customer, { synced: false, reason, message });
  }

  async #definitionIsBeingDeleted(): Promise<boolean> {
    const definition = await this.#parts.client
      .get(definitions, { namespace: '', name: definitionName })
      .catch((error: unknown) => {
        if (isNotFound(error) || isForbidden(error)) return undefined;
        throw error;
      });
    return definition?.metadata.deletionTimestamp !== undefined;
  }
}

/**
 * Whether a record may be deleted with a resource: not one that is linked to the budget row of another; not one of which
 * only the link tells who made it, where that is missing.
 */
function isOurs(
  customer: GatewayCustomer,
  row: CustomerRow,
  { strategy, record }: { readonly strategy: Strategy; readonly record: 'delete' | 'deleteIfLinked' },
): boolean {
  const { uid } = customer.metadata;
  const linked = row.budget_id ?? undefined;
  if (linked === budgetRowId(uid)) return true;
  if (resourceOfRow(linked) !== undefined) return linked === customer.status?.replacesBudget;
  const refuses = claimOf(customer) === 'pending' && adoptionPolicyOf(customer) === 'Refuse';
  return record === 'delete' && !(refuses && wouldBeLinked({ strategy }, customer));
}
