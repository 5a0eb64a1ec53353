import type { GatewayCustomer, GatewayCustomerStatus } from '../api/v1alpha1/v1alpha1.ts';
import { CurrentResource, type OrphanReason } from '../lifecycle/lifecycle.ts';
import type { Dependencies } from './dependencies.ts';
import { leftGateway, transitions } from './events.ts';
import { leavesRecord, nextStatus, type StatusGateway, type SyncOutcome } from './status.ts';

type CustomerWriters = Pick<Dependencies, 'cache' | 'finalizer' | 'status' | 'events' | 'now' | 'identity' | 'metrics'>;

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

  /** See {@link nextStatus}. */
  nextStatus(outcome: SyncOutcome): GatewayCustomerStatus {
    return nextStatus(this.latest, outcome, this.#dependencies.now(), this.#gatewayOf(outcome));
  }

  /** Writes the status that follows from an outcome, and records the events of the transition. */
  async report(outcome: SyncOutcome): Promise<void> {
    const { events, metrics } = this.#dependencies;
    const before = this.latest;
    const leaves = leavesRecord(before, outcome, this.#gatewayOf(outcome));
    const after = this.nextStatus(outcome);
    await this.#write(before, after);
    if (leaves) {
      metrics.orphaned.inc({ reason: 'gateway_changed' satisfies OrphanReason });
      events.record(before, leftGateway(before));
    }
    for (const event of transitions(before, after, outcome.action)) events.record(before, event);
  }

  #gatewayOf({ address }: SyncOutcome): StatusGateway {
    const { identity } = this.#dependencies;
    return {
      digest: address === undefined ? undefined : identity.digest(address),
      isElsewhere: identity.isElsewhere(this.latest.status?.gateway, address),
    };
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
