/** The face of this folder: the controller of the lists of who may call, which the guardrails enforce. */
import type { V1ConfigMap } from '@kubernetes/client-node';
import { customers, instances } from '../api/kinds.ts';
import { configMaps, OwnedObjects } from '../cluster/cluster.ts';
import { gatewayIndexKeys, instanceIndexKeys } from '../connection/connection.ts';
import { type ControllerSpec, type FromServer, type ObjectKey, type Runtime, when } from '../runtime/runtime.ts';
import { changesList, listsOf } from './listedCustomers.ts';
import { askPods, type HasList } from './loadedLists.ts';
import { enforcementFields } from './statusFields.ts';
import { EnforcementReconciler } from './reconcile.ts';

export { enforcementFields } from './statusFields.ts';
export type { HasList } from './loadedLists.ts';

/** The dependencies of the controller. */
export interface EnforcementOptions {
  /** Whether every pod of a guardrail has a list. Default: the pods are asked. */
  readonly hasList?: HasList;
}

/** Keeps the list of who may call of each GatewayInstance with a guardrail. */
export function enforcementController(runtime: Runtime, { hasList }: EnforcementOptions = {}): ControllerSpec {
  const instanceCache = runtime.cache(instances);
  const sources = {
    instances: instanceCache,
    byGateway: instanceCache.indexBy(gatewayIndexKeys),
    byInstance: runtime.cache(customers).indexBy(instanceIndexKeys),
  };
  const reconciler = new EnforcementReconciler({
    ...sources,
    client: runtime.client,
    ownedObjects: new OwnedObjects(runtime),
    configMaps: runtime.cache(configMaps),
    instanceStatus: runtime.status(instances, { only: [...enforcementFields.instance] }),
    customerStatus: runtime.status(customers, { only: [...enforcementFields.customer] }),
    hasList: hasList ?? askPods(runtime),
    events: runtime.events,
    now: () => runtime.clock.now(),
    monotonic: () => runtime.clock.monotonic(),
  });
  return when(instances)
    .named('enforcement')
    .watches(customers, (customer) => listsOf(sources, customer), { changed: changesList })
    .watches(configMaps, ownersOf, { changed: (before, after) => before.data !== after.data })
    .reconcile(reconciler);
}

/** The instances to which a shard belongs. */
function ownersOf({ metadata }: FromServer<V1ConfigMap>): readonly ObjectKey[] {
  return (metadata.ownerReferences ?? [])
    .filter(({ kind, controller }) => kind === instances.kind && controller !== true)
    .map(({ name }) => ({ namespace: metadata.namespace ?? '', name }));
}
