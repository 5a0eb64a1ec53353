/** The public face of the instances' controller, and of how to reach a gateway. */
import { customers, instances } from '../api/kinds.ts';
import type { GatewayCustomer, GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { FINALIZER, gatewayInstanceNames } from '../api/v1alpha1/v1alpha1.ts';
import type { GatewayClients } from '../gateway/gateway.ts';
import type { Controller, ObjectKey, Permission, Runtime } from '../runtime/runtime.ts';
import { keyOf, keyText, when } from '../runtime/runtime.ts';
import { Children, noneIfNotFound, ownedKinds } from './children.ts';
import type { Connections } from './connection.ts';
import { guardrailImage, readOwnPod } from './guardrailImage.ts';
import { apiKeyOf } from './keys.ts';
import { INSTANCE_LABEL, proxyDeployments, secrets } from './kinds.ts';
import { instanceLabelOf, namesOf } from './names.ts';
import { InstanceReconciler } from './reconcile.ts';

export {
  allows,
  ConnectionError,
  createConnections,
  parseDuration,
  type Connections,
  type ConnectionSources,
  type CustomerConnectionReason,
  type GatewayConnection,
} from './connection.ts';
export { defaultBudgetId } from './defaultBudget.ts';

/** What the instances' controller needs of the rest of the operator. */
export interface InstanceDependencies {
  readonly connections: Connections;
  readonly clients: GatewayClients;
  /** The image that guardrails run where their instance names none. Default: the operator's own. */
  readonly guardrailImage?: string | undefined;
  /** The operator's own pod, where it runs in one. */
  readonly ownPod?: ObjectKey | undefined;
  /** Where a Service is reached from here. Default: at its own name, as inside a cluster. */
  readonly resolve?: (url: string) => string;
}

const KINDS_WRITTEN: readonly (readonly [group: string, resource: string])[] = [
  ['', 'services'],
  ['', 'configmaps'],
  ['', 'serviceaccounts'],
  ['apps', 'deployments'],
  ['policy', 'poddisruptionbudgets'],
  ['autoscaling', 'horizontalpodautoscalers'],
  ['networking.k8s.io', 'networkpolicies'],
];

const permissions: readonly Permission[] = [
  ...KINDS_WRITTEN.map(([group, resource]): Permission => ({
    group,
    resource,
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    scope: 'watched',
  })),
  // Read by name alone: no list and no watch.
  { group: '', resource: 'secrets', verbs: ['get', 'create', 'patch', 'delete'], scope: 'watched' },
  readOwnPod,
  // Where owner references are enforced, whoever sets one that blocks deletion needs this right on the owner.
  {
    group: gatewayInstanceNames.group,
    resource: `${gatewayInstanceNames.plural}/finalizers`,
    verbs: ['update'],
    scope: 'watched',
  },
  {
    group: 'monitoring.coreos.com',
    resource: 'servicemonitors',
    verbs: ['get', 'create', 'patch', 'delete'],
    scope: 'watched',
  },
];

/** Reconciles GatewayInstances: the connection, the gateway's configuration, the guardrail. */
export function instanceController(runtime: Runtime, dependencies: InstanceDependencies): Controller {
  const cache = runtime.cache(instances);
  const byInstance = runtime.cache(customers).indexBy((customer) => [keyText(instanceKeyOf(customer))]);
  const reconciler = new InstanceReconciler({
    client: runtime.client,
    children: new Children(runtime),
    connections: dependencies.connections,
    clients: dependencies.clients,
    defaultImage: guardrailImage(runtime.client, dependencies.guardrailImage, dependencies.ownPod),
    resolve: dependencies.resolve ?? ((url) => url),
    instances: cache,
    proxies: runtime.cache(proxyDeployments),
    customers: byInstance,
    status: runtime.status(instances),
    finalizer: runtime.finalizer(instances, FINALIZER),
    events: runtime.events,
    now: () => runtime.clock.now(),
    monotonic: () => runtime.clock.monotonic(),
  });
  let controller = when(instances)
    .watches(customers, (customer) => [instanceKeyOf(customer)], { changed: countsDiffer })
    .watches(proxyDeployments, (deployment) =>
      instancesLabelled(cache.list(deployment.metadata.namespace), deployment),
    );
  for (const kind of ownedKinds) controller = controller.owns(kind);
  return controller.needs(...permissions).reconcile(reconciler);
}

/** Where the sessions of an instance's customers can be erased, and with which key. */
export interface ErasureEndpoint {
  readonly url: string;
  readonly apiKey: string;
}

/**
 * The guardrail that holds the sessions of an instance's customers: its Service, behind which one pod runs where the
 * store is in memory, and any pod will do where it is shared. A sidecar listens on its pod's loopback alone, so that
 * nobody else can ask it: its sessions end with their time to live.
 * @returns nothing where no guardrail can be asked
 * @throws ApiError where the key cannot be read now
 */
export async function erasureEndpoints(
  runtime: Pick<Runtime, 'client'>,
  instance: GatewayInstance,
  resolve: (url: string) => string = (url) => url,
): Promise<readonly ErasureEndpoint[]> {
  const { guardrail } = instance.status ?? {};
  if (guardrail?.mode !== 'Deployment') return [];
  const key = { namespace: instance.metadata.namespace, name: namesOf(instance).apiKeySecret };
  const secret = await runtime.client.get(secrets, key).catch(noneIfNotFound);
  if (secret === undefined) return [];
  const data = Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')]),
  );
  return [{ url: resolve(guardrail.endpoint), apiKey: apiKeyOf({ data, annotations: {} }) }];
}

/** The instance that a customer refers to. */
function instanceKeyOf(customer: GatewayCustomer): ObjectKey {
  const { name, namespace } = customer.spec.instanceRef;
  return { name, namespace: namespace ?? customer.metadata.namespace };
}

/** Customers change all the time; only what is counted of them matters here. */
function countsDiffer(before: GatewayCustomer, after: GatewayCustomer): boolean {
  return before.status?.synced !== after.status?.synced || before.metadata.uid !== after.metadata.uid;
}

function instancesLabelled(
  candidates: readonly GatewayInstance[],
  deployment: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } },
): ObjectKey[] {
  const label = deployment.metadata.labels?.[INSTANCE_LABEL];
  return candidates.filter(({ metadata }) => instanceLabelOf(metadata.name) === label).map(keyOf);
}
