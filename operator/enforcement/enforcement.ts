/** The face of this folder: the controller of what guardrails enforce: their lists of who may call, and their policies. */
import { customers, instances, policies } from '../api/kinds.ts';
import type { GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { configMaps, OwnedObjects } from '../cluster/cluster.ts';
import { type GatewayIdentity, instanceIndexKeys, instanceKeyOf } from '../connection/connection.ts';
import { customerPolicyUses, mattersToUsers } from '../policy/policy.ts';
import { type ControllerSpec, keyText, type ObjectKey, type Runtime, when } from '../runtime/runtime.ts';
import { ownersOf } from './configMapOwners.ts';
import { saysEnforced } from './customerStatus.ts';
import { changesList } from './listedCustomers.ts';
import { type AskPods, podsOf } from './loadedRevisions.ts';
import { enforcementFields } from './statusFields.ts';
import { EnforcementReconciler } from './reconcile.ts';

export { enforcementFields } from './statusFields.ts';
export type { AcceptedRevisions, AskPods, LoadedPart } from './loadedRevisions.ts';

/** The dependencies of the controller. */
export interface EnforcementOptions {
  readonly identity: GatewayIdentity;
  /** Tells what every pod of a guardrail has loaded. Default: the pods are asked. */
  readonly askPods?: AskPods;
  /** The maximum size of a part of a list. Default: what fits into a ConfigMap. */
  readonly maxShardBytes?: number;
}

/** Keeps the list of who may call of each GatewayInstance with a guardrail, and tells when its pods have it and their policy. */
export function enforcementController(
  runtime: Runtime,
  { identity, askPods, maxShardBytes }: EnforcementOptions,
): ControllerSpec {
  const instanceCache = runtime.cache(instances);
  const customerCache = runtime.cache(customers);
  const byPolicy = customerCache.indexBy(customerPolicyUses);
  const sources = {
    identity,
    instances: instanceCache,
    byInstance: customerCache.indexBy(instanceIndexKeys),
  };
  const reconciler = new EnforcementReconciler({
    ...sources,
    client: runtime.client,
    policies: runtime.cache(policies),
    ownedObjects: new OwnedObjects(runtime),
    configMaps: runtime.cache(configMaps),
    instanceStatus: runtime.status(instances, { only: [...enforcementFields.instance] }),
    customerStatus: runtime.status(customers, { only: [...enforcementFields.customer] }),
    askPods: askPods ?? podsOf(runtime),
    maxShardBytes,
    events: runtime.events,
    now: () => runtime.clock.now(),
    monotonic: () => runtime.clock.monotonic(),
  });
  // A reconcile examines all customers of its instance, and each customer that becomes in sync would cause one. Without a
  // guardrail, and with nothing that the customer's status says about one, there is nothing to examine.
  const affectedLists = (customer: GatewayCustomer): readonly ObjectKey[] => {
    const key = instanceKeyOf(customer);
    const isListed = saysEnforced(customer) || instanceCache.get(key)?.spec.guardrail !== undefined;
    return isListed ? [key] : [];
  };
  return when(instances)
    .named('enforcement')
    .watches(instances, ({ metadata }) => [metadata], { changed: changesGuardrail })
    .watches(customers, affectedLists, { changed: changesList })
    .watches(policies, ({ metadata }) => byPolicy.get(keyText(metadata)).map((customer) => instanceKeyOf(customer)), {
      changed: mattersToUsers,
    })
    .watches(configMaps, ownersOf, { changed: (before, after) => before.data !== after.data })
    .reconcile(reconciler);
}

/** Whether the status says that another guardrail runs, or that it has another policy. */
function changesGuardrail({ status: before }: GatewayInstance, { status: after }: GatewayInstance): boolean {
  const { mode, endpoint, policyRevision } = after?.guardrail ?? {};
  const known = before?.guardrail;
  return mode !== known?.mode || endpoint !== known?.endpoint || policyRevision !== known?.policyRevision;
}
