import type { GatewayCustomer, GatewayCustomerStatus } from '../api/v1alpha1/v1alpha1.ts';
import type { Dependencies } from './dependencies.ts';
import { transitions } from './events.ts';
import { nextStatus, type SyncOutcome } from './status.ts';

/**
 * The resource was deleted before the finalizer was written. Nothing exists at the gateway, and nothing may be created
 * there.
 */
export class DeletedFirstError extends Error {
  override readonly name = 'DeletedFirstError';
}

/** The customer of one reconcile. Every step reads and writes it through this object. */
export class CurrentCustomer {
  readonly #dependencies: Pick<Dependencies, 'cache' | 'finalizer' | 'status' | 'events' | 'now'>;
  #known: GatewayCustomer;

  constructor(
    dependencies: Pick<Dependencies, 'cache' | 'finalizer' | 'status' | 'events' | 'now'>,
    customer: GatewayCustomer,
  ) {
    this.#dependencies = dependencies;
    this.#known = customer;
  }

  /**
   * The newest state of the resource: the cache contains the operator's own writes at once. The next reconcile handles
   * a resource with another uid or spec.
   */
  get latest(): GatewayCustomer {
    const { namespace, name, uid, generation } = this.#known.metadata;
    const cached = this.#dependencies.cache.get({ namespace, name });
    if (cached?.metadata.uid === uid && cached.metadata.generation === generation) this.#known = cached;
    return this.#known;
  }

  /** @throws DeletedFirstError if the deletion came first and the finalizer of another controller keeps the resource */
  async ensureFinalizer(annotations: Readonly<Record<string, string>> = {}): Promise<void> {
    const { finalizer } = this.#dependencies;
    this.#known = await finalizer.add(this.latest, annotations);
    if (!finalizer.isSet(this.#known)) throw new DeletedFirstError('The resource is being deleted.');
  }

  /** Changes fields of the status. */
  async updateStatus(change: Partial<GatewayCustomerStatus>): Promise<void> {
    const customer = this.latest;
    await this.#write(customer, { ...customer.status, ...change });
  }

  /** Writes the status that follows from an outcome, and records the events of the transition. */
  async report(outcome: SyncOutcome): Promise<void> {
    const before = this.latest;
    const after = nextStatus(before, outcome, this.#dependencies.now());
    await this.#write(before, after);
    for (const event of transitions(before, after, outcome.action)) this.#dependencies.events.record(before, event);
  }

  /**
   * @throws ApiError 409 if the reconcile of another resource has transferred its record to this one in the meantime: the
   * status was computed without it, and would lose it
   */
  async #write(before: GatewayCustomer, status: GatewayCustomerStatus): Promise<void> {
    const hasSameRecord = (current: GatewayCustomer): boolean =>
      current.status?.replacesBudget === before.status?.replacesBudget;
    this.#known = await this.#dependencies.status.write(before, status, hasSameRecord);
  }
}
