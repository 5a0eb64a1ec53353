import { customers, instances, policies } from '../api/kinds.ts';
import { FINALIZER, type GuardrailPolicy } from '../api/v1alpha1/v1alpha1.ts';
import type { Cache, EventRecorder, Finalizer, KubeClient, Runtime, StatusWriter } from '../runtime/runtime.ts';
import { customerPolicyUses } from './customerReference.ts';
import { policyUses, type UserSources } from './users.ts';

/** The dependencies of a policy's reconcile. */
export interface Dependencies extends UserSources {
  readonly client: Pick<KubeClient, 'get'>;
  readonly events: EventRecorder;
  readonly status: StatusWriter<GuardrailPolicy>;
  readonly finalizer: Finalizer<GuardrailPolicy>;
  readonly cache: Cache<GuardrailPolicy>;
  /** The time of day, for timestamps. */
  readonly now: () => Date;
}

/** Creates the dependencies of the reconcile. Call it before the controllers start. */
export function createDependencies(runtime: Runtime): Dependencies {
  const instanceCache = runtime.cache(instances);
  return {
    client: runtime.client,
    events: runtime.events,
    status: runtime.status(policies),
    finalizer: runtime.finalizer(policies, FINALIZER),
    cache: runtime.cache(policies),
    instances: instanceCache,
    byPolicy: instanceCache.indexBy(policyUses),
    customersByPolicy: runtime.cache(customers).indexBy(customerPolicyUses),
    now: () => runtime.clock.now(),
  };
}
