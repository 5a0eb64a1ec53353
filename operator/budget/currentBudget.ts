import type { GatewayBudget, GatewayBudgetStatus } from '../api/v1alpha1/v1alpha1.ts';
import { CurrentResource, type OrphanReason } from '../lifecycle/lifecycle.ts';
import type { Dependencies } from './dependencies.ts';
import { leftGateway, transitions } from './events.ts';
import { ownsOrCreates } from './ownership.ts';
import { type BudgetOutcome, nextStatus } from './status.ts';
import { usersOf } from './users.ts';

/** The budget of one reconcile. */
export class CurrentBudget extends CurrentResource<GatewayBudget> {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies, budget: GatewayBudget) {
    super(dependencies, budget);
    this.#dependencies = dependencies;
  }

  /** Changes fields of the status. */
  async updateStatus(change: Partial<GatewayBudgetStatus>): Promise<void> {
    const budget = this.latest;
    await this.writeStatus(budget, { ...budget.status, ...change });
  }

  /** Writes the status that follows from an outcome, and records the events of the transition. */
  async report(outcome: BudgetOutcome): Promise<void> {
    const { events, now, identity, metrics } = this.#dependencies;
    const before = this.latest;
    const { address, ownership } = outcome;
    const gateway = address === undefined ? undefined : identity.digest(address);
    const customers = usersOf(this.#dependencies, before).customers.length;
    const after = nextStatus(before, outcome, customers, now(), gateway);
    await this.writeStatus(before, after);
    const isElsewhere = identity.isElsewhere(before.status?.gateway, address);
    if (isElsewhere && ownership !== undefined && ownsOrCreates(before)) {
      metrics.orphaned.inc({ reason: 'gateway_changed' satisfies OrphanReason });
      events.record(before, leftGateway(before));
    }
    for (const event of transitions(before, after, outcome.action)) events.record(before, event);
  }
}
