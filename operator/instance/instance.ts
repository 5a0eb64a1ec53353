/** The face of this folder: the controller of GatewayInstances. */
import { budgets, customers, instances, keys, policies } from '../api/kinds.ts';
import type { GatewayCustomer, GatewayInstance, GatewayKey } from '../api/v1alpha1/v1alpha1.ts';
import { FINALIZER } from '../api/v1alpha1/v1alpha1.ts';
import { mattersToUsers } from '../budget/budget.ts';
import { enforcementFields } from '../enforcement/enforcement.ts';
import type { GatewayClients } from '../gateway/gateway.ts';
import { mattersToUsers as policyMattersToUsers, policyUses } from '../policy/policy.ts';
import type { ControllerSpec, Metadata, ObjectKey, Permission, Runtime } from '../runtime/runtime.ts';
import { keyOf, keyText, when } from '../runtime/runtime.ts';
import {
  certificates,
  OwnedObjects,
  INSTANCE_LABEL,
  instanceLabelOf,
  ownedKinds,
  proxyDeployments,
  serviceMonitors,
} from '../cluster/cluster.ts';
import { type Connections, instanceIndexKeys, instanceKeyOf } from '../connection/connection.ts';
import { guardrailImage, sidecarPermissions, ownPodPermission } from '../guardrail/guardrail.ts';
import { InstanceReconciler } from './reconcile.ts';
import { type AskLastCall, lastCallOf } from './sharedSessions.ts';

/** The dependencies of the controller. */
export interface InstanceDependencies {
  readonly connections: Connections;
  readonly clients: GatewayClients;
  /** The default image of guardrails. If it is not set, this is the operator's own image. */
  readonly guardrailImage?: string | undefined;
  /** The operator's own pod, if it runs in a pod. */
  readonly ownPod?: ObjectKey | undefined;
  /** Maps the URL of a Service to the URL that the operator calls. Default: the same URL, as inside a cluster. */
  readonly resolve?: (url: string) => string;
  /** Default: asks the guardrail itself. */
  readonly askLastCall?: AskLastCall;
}

const permissions: readonly Permission[] = [
  ...ownedKinds.map(({ group, plural }): Permission => ({
    group,
    resource: plural,
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    scope: 'watched',
  })),
  // Read by the names that resources state: neither listed nor watched. The garbage collector deletes those of the operator.
  { group: '', resource: 'secrets', verbs: ['get', 'create', 'patch'], scope: 'watched' },
  ownPodPermission,
  ...sidecarPermissions,
  ...[serviceMonitors, certificates].map(({ group, plural }): Permission => ({
    group,
    resource: plural,
    verbs: ['get', 'create', 'patch', 'delete'],
    scope: 'watched',
  })),
];

/** Reconciles GatewayInstances. */
export function instanceController(runtime: Runtime, dependencies: InstanceDependencies): ControllerSpec {
  const cache = runtime.cache(instances);
  const byInstance = runtime.cache(customers).indexBy(instanceIndexKeys);
  const budgetCache = runtime.cache(budgets);
  const byPolicy = cache.indexBy(policyUses);
  const reconciler = new InstanceReconciler({
    client: runtime.client,
    ownedObjects: new OwnedObjects(runtime),
    connections: dependencies.connections,
    clients: dependencies.clients,
    defaultImage: guardrailImage(runtime.client, dependencies.guardrailImage, dependencies.ownPod),
    operatorNamespace: dependencies.ownPod?.namespace,
    resolve: dependencies.resolve ?? ((url) => url),
    instances: cache,
    proxies: runtime.cache(proxyDeployments),
    customers: byInstance,
    budgets: budgetCache,
    policies: runtime.cache(policies),
    budgetsByInstance: budgetCache.indexBy(instanceIndexKeys),
    keysByInstance: runtime.cache(keys).indexBy(instanceIndexKeys),
    status: runtime.status(instances, { except: enforcementFields.instance }),
    finalizer: runtime.finalizer(instances, FINALIZER),
    events: runtime.events,
    askLastCall: dependencies.askLastCall ?? lastCallOf(runtime, dependencies.resolve),
    now: () => runtime.clock.now(),
    monotonic: () => runtime.clock.monotonic(),
  });
  let controller = when(instances)
    .watches(customers, (customer) => [instanceKeyOf(customer)], { changed: countsDiffer })
    .watches(budgets, (budget) => [instanceKeyOf(budget)], { changed: mattersToUsers })
    .watches(keys, (key) => [instanceKeyOf(key)], { changed: holdsChanged })
    .watches(policies, (policy) => byPolicy.keys(keyText(policy.metadata)), { changed: policyMattersToUsers })
    .watches(proxyDeployments, (deployment) =>
      instancesLabelled(cache.list(deployment.metadata.namespace), deployment),
    );
  for (const kind of ownedKinds) controller = controller.owns(kind);
  return controller.needs(...permissions).reconcile(reconciler);
}

/** Customers change often. Only a change of their counts affects the instance. */
function countsDiffer(before: GatewayCustomer, after: GatewayCustomer): boolean {
  return before.status?.synced !== after.status?.synced || before.metadata.uid !== after.metadata.uid;
}

/** A key holds the deletion of its instance from the first write at the gateway on. */
function holdsChanged(before: GatewayKey, after: GatewayKey): boolean {
  return (before.metadata.finalizers?.length ?? 0) !== (after.metadata.finalizers?.length ?? 0);
}

/**
 * The instance in a Deployment's label. If it no longer exists, the reconcile removes the operator's part of the
 * Deployment.
 */
function instancesLabelled(
  candidates: readonly GatewayInstance[],
  { metadata }: { readonly metadata: Metadata },
): readonly ObjectKey[] {
  const label = metadata.labels?.[INSTANCE_LABEL];
  if (label === undefined) return [];
  const labelled = candidates.filter((instance) => instanceLabelOf(instance.metadata.name) === label);
  return labelled.length > 0 ? labelled.map(keyOf) : [{ namespace: metadata.namespace ?? '', name: label }];
}
