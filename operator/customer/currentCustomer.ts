import type { GatewayCustomer, GatewayCustomerStatus } from '../api/v1alpha1/v1alpha1.ts';
import { CurrentResource } from '../lifecycle/lifecycle.ts';
import type { Dependencies } from './dependencies.ts';
import { transitions } from './events.ts';
import { nextStatus, type SyncOutcome } from './status.ts';

type CustomerWriters = Pick<Dependencies, 'cache' | 'finalizer' | 'status' | 'events' | 'now'>;

/** The customer of one reconcile. */
export class CurrentCustomer extends CurrentResource<GatewayCustomer> {
  readonly #dependencies: CustomerWriters;

  constructor(dependencies: CustomerWriters, customer: GatewayCustomer) {
    super(dependencies, customer);
    this.#dependencies = dependencies;
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
    await this.writeStatus(before, status, hasSameRecord);
  }
}
