import { annotations, type GuardrailPolicy, guardrailPolicyNames } from '../api/v1alpha1/v1alpha1.ts';
import { DeletedFirstError, isAnnotated, isDefinitionBeingDeleted } from '../lifecycle/lifecycle.ts';
import { isNotFound, type ObjectKey, type Reconciler, type Result } from '../runtime/runtime.ts';
import { checkPolicy } from './check.ts';
import { CurrentPolicy } from './currentPolicy.ts';
import type { Dependencies } from './dependencies.ts';
import * as outcomes from './outcomes.ts';
import { usersOf } from './users.ts';

/** When an invalid policy is checked again, in milliseconds: the machine may have been too slow for it. */
const RECHECK_MS = 10 * 60_000;

/** Reconciles one policy: it reports, and delays the deletion. The reconcile of each user writes the policy. */
export class PolicyReconciler implements Reconciler {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(key: ObjectKey): Promise<Result> {
    const policy = this.#dependencies.cache.get(key);
    if (policy === undefined) return {};
    const current = new CurrentPolicy(this.#dependencies, policy);
    try {
      if (isAnnotated(policy, 'paused')) return await this.#end(current, outcomes.paused(policy));
      if (policy.metadata.deletionTimestamp !== undefined) return await this.#finalize(current);
      await current.ensureFinalizer();
      const check = await checkPolicy(policy);
      const outcome = outcomes.checked(check, usersOf(this.#dependencies, policy));
      return await this.#end(current, outcome, check.valid ? undefined : RECHECK_MS);
    } catch (error) {
      // The resource has been deleted. The watch triggers the next reconcile.
      if (isNotFound(error) || error instanceof DeletedFirstError) return {};
      throw error;
    }
  }

  async reportUnexpectedError(key: ObjectKey, message: string): Promise<void> {
    const policy = this.#dependencies.cache.get(key);
    if (policy !== undefined) await new CurrentPolicy(this.#dependencies, policy).report(outcomes.failed(message));
  }

  /** A policy in use is not deleted: a guardrail that starts later could otherwise have none. */
  async #finalize(current: CurrentPolicy): Promise<Result> {
    const { finalizer, client } = this.#dependencies;
    const policy = current.latest;
    if (!finalizer.isSet(policy)) return {};
    const users = usersOf(this.#dependencies, policy);
    const isForced = isAnnotated(policy, 'forceDelete');
    const waits = users.length > 0 && !isForced && !(await isDefinitionBeingDeleted(client, guardrailPolicyNames));
    if (waits) return await this.#end(current, outcomes.inUse(users));
    if (users.length > 0 && isForced) this.#recordForceDeletion(policy);
    await finalizer.remove(policy);
    return {};
  }

  #recordForceDeletion(policy: GuardrailPolicy): void {
    const message = `The annotation ${annotations.forceDelete} is set. Resources that refer to the policy keep the one that they have.`;
    this.#dependencies.events.record(policy, { type: 'Warning', reason: 'ForceDeleted', message, action: 'Delete' });
  }

  async #end(current: CurrentPolicy, outcome: outcomes.PolicyOutcome, requeueAfter?: number): Promise<Result> {
    await current.report(outcome);
    return requeueAfter === undefined ? {} : { requeueAfter };
  }
}
