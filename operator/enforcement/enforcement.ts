/** The controller of what guardrails enforce: their customer access lists, and their policies. */
import { isDeepStrictEqual } from 'node:util';
import { customers, instances, policies } from '../api/kinds.ts';
import type { GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { configMaps, endpointSlices, OwnedObjects, proxyDeployments } from '../cluster/cluster.ts';
import { type GatewayIdentity, instanceIndexKeys, instanceKeyOf } from '../connection/connection.ts';
import { customerPolicyUses, mattersToUsers } from '../policy/policy.ts';
import {
  type ControllerSpec,
  type FromServer,
  keyText,
  type ObjectKey,
  type Runtime,
  when,
} from '../runtime/runtime.ts';
import { enforcementFields, saysEnforced } from './customerStatus.ts';
import { changesList } from './listedCustomers.ts';
import { type FindPods, isSliceOf, podsOf } from './pods.ts';
import { EnforcementReconciler } from './reconcile.ts';
import type { V1ConfigMap } from '@kubernetes/client-node';
import { guardrailFiles } from '../guardrail/guardrail.ts';

export { enforcementFields } from './customerStatus.ts';
export { enforcesAccess } from './accessRules.ts';
export type { FindPods, GuardrailPod, LoadedPart, Revisions } from './pods.ts';

/** The dependencies of the controller. */
export interface EnforcementOptions {
  readonly identity: GatewayIdentity;
  /** Finds the pods of a guardrail, to ask them. Default: in the cluster. */
  readonly findPods?: FindPods;
  /** The maximum size of a part of a list. Default: what fits into a ConfigMap. */
  readonly maxShardBytes?: number;
}

/** Keeps the list of who may call of each GatewayInstance with a guardrail, and reports when its pods have it and their policy. */
export function enforcementController(
  runtime: Runtime,
  { identity, findPods, maxShardBytes }: EnforcementOptions,
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
    findPods: findPods ?? podsOf({ client: runtime.client, slices: runtime.cache(endpointSlices) }),
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
    .watches(endpointSlices, (slice) =>
      keysOf(instanceCache.list(slice.metadata.namespace).filter((instance) => isSliceOf(slice, instance))),
    )
    .watches(
      proxyDeployments,
      ({ metadata: { namespace, name } }) =>
        keysOf(instanceCache.list(namespace).filter((instance) => isSidecarIn(instance, name))),
      { changed: (before, after) => !isDeepStrictEqual(before.status, after.status) },
    )
    .watches(configMaps, ownersOf, { changed: (before, after) => before.data !== after.data })
    .reconcile(reconciler);
}

/** Whether the status names another gateway, or says that another guardrail runs or that it has another policy. */
function changesGuardrail({ status: before }: GatewayInstance, { status: after }: GatewayInstance): boolean {
  const { mode, endpoint, policyRevision } = after?.guardrail ?? {};
  const known = before?.guardrail;
  if (before?.endpoint !== after?.endpoint) return true;
  return mode !== known?.mode || endpoint !== known?.endpoint || policyRevision !== known?.policyRevision;
}

function keysOf(found: readonly GatewayInstance[]): readonly ObjectKey[] {
  return found.map(({ metadata }) => metadata);
}

/** Whether the guardrail of an instance runs in the pods of a Deployment. */
function isSidecarIn({ spec, status }: GatewayInstance, deployment: string): boolean {
  return status?.guardrail?.mode === 'Sidecar' && spec.workloadRef?.name === deployment;
}

/**
 * The instances to which a shard or a policy file belongs. The status of customers is compared with the policy file: if
 * another client changes the file, they are examined again when the operator has restored it.
 */
export function ownersOf({ metadata, data }: FromServer<V1ConfigMap>): readonly ObjectKey[] {
  const isPolicyFile = data?.[guardrailFiles.policy] !== undefined;
  return (metadata.ownerReferences ?? [])
    .filter(({ kind, controller }) => kind === instances.kind && (controller !== true || isPolicyFile))
    .map(({ name }) => ({ namespace: metadata.namespace ?? '', name }));
}
