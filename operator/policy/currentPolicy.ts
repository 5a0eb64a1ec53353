import type { GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import { CurrentResource } from '../lifecycle/lifecycle.ts';
import type { Dependencies } from './dependencies.ts';
import type { PolicyOutcome } from './outcomes.ts';
import { nextStatus, transitions } from './status.ts';
import { usersOf } from './users.ts';

/** The policy of one reconcile. */
export class CurrentPolicy extends CurrentResource<GuardrailPolicy> {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies, policy: GuardrailPolicy) {
    super(dependencies, policy);
    this.#dependencies = dependencies;
  }

  /** Writes the status that follows from an outcome, and records the events of the transition. */
  async report(outcome: PolicyOutcome): Promise<void> {
    const { events, now } = this.#dependencies;
    const before = this.latest;
    const after = nextStatus(before, outcome, usersOf(this.#dependencies, before), now());
    await this.writeStatus(before, after);
    for (const event of transitions(before, after)) events.record(before, event);
  }
}
