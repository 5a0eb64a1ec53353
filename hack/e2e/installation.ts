/** The installation of the operator in the cluster. */
import { OPERATOR_NAME } from '../../operator/operatorName.ts';
import { cluster, imageOverride, kustomization } from './environment.ts';
import { bindingIn, namespaceObject, NAMESPACES, SAMPLES_NAMESPACE } from './namespaces.ts';
import { apply, available, get, soon, type Resource } from './testbed.ts';

export const OPERATOR_NAMESPACE = 'gateway-guardrail-system';
export const CRDS = [
  'gatewaycustomers.gateway.guardrail.dev',
  'gatewayinstances.gateway.guardrail.dev',
  'gatewaybudgets.gateway.guardrail.dev',
  'guardrailpolicies.gateway.guardrail.dev',
];

/** The scope of an installation. */
export interface Reach {
  /** The watched namespaces besides the operator's own. Default: none, as with `kubectl apply -k .`. */
  readonly namespaces?: readonly string[];
  readonly components?: readonly string[];
}

/** The scope for all cases except those of installations. */
const EVERYWHERE: Reach = { namespaces: [...NAMESPACES, SAMPLES_NAMESPACE] };

/** Creates the namespaces of all cases, and grants the operator access to them. */
export async function prepareNamespaces(): Promise<void> {
  await apply(NAMESPACES.map(namespaceObject));
  await apply([...NAMESPACES, SAMPLES_NAMESPACE].map(bindingIn));
}

/** Installs the operator as docs/installation.md describes, and waits until both pods are ready. */
export async function install(reach: Reach = EVERYWHERE): Promise<void> {
  await cluster().kubectl(['apply', '-k', folderOf(reach)]);
  await operatorAvailable();
}

/** Removes an installation with `kubectl delete -k`. */
export async function remove(reach: Reach = EVERYWHERE): Promise<void> {
  await cluster().kubectl(['delete', '-k', folderOf(reach), '--timeout=90s']);
}

/**
 * Like {@link remove}, but deletes the pods first: a namespace that still has pods is checked again only after their grace
 * period.
 */
export async function removeQuickly(reach: Reach): Promise<void> {
  const foreground = ['--cascade=foreground', '--timeout=60s'];
  await cluster().kubectl(['delete', `deployment/${OPERATOR_NAME}`, '-n', OPERATOR_NAMESPACE, ...foreground]);
  await cluster().kubectl(['delete', '-k', folderOf(reach), '--ignore-not-found', '--timeout=90s']);
}

/** @returns the folder of a kustomization like the sample's. */
function folderOf({ namespaces = [], components = [] }: Reach): string {
  if (namespaces.length === 0 && components.length === 0) return cluster().installation;
  const value = [OPERATOR_NAMESPACE, ...namespaces].join();
  const containers = [{ name: 'operator', env: [{ name: 'OPERATOR_WATCH_NAMESPACES', value, valueFrom: null }] }];
  const patch = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: OPERATOR_NAME, namespace: OPERATOR_NAMESPACE },
    spec: { template: { spec: { containers } } },
  };
  return kustomization({
    components,
    images: [imageOverride(cluster().image)],
    ...(namespaces.length === 0 ? {} : { patches: [{ patch: JSON.stringify(patch) }] }),
  });
}

/** Grants the operator access to sidecars during some work, with the component `sidecar`. */
export async function whileReachingSidecars<T>(work: () => Promise<T>): Promise<T> {
  try {
    await install({ ...EVERYWHERE, components: ['sidecar'] });
    return await work();
  } finally {
    await install();
  }
}

/** Waits until all operator pods of the newest template are available. */
export function operatorAvailable(): Promise<void> {
  return available(`deployment/${OPERATOR_NAME}`, OPERATOR_NAMESPACE);
}

/** @throws Error if the cluster already has an operator, which the cases would disturb */
export async function refuseIfThere(): Promise<void> {
  const there = [
    await get('namespace', OPERATOR_NAMESPACE),
    ...(await Promise.all(CRDS.map((name) => get('crd', name)))),
  ].find((object) => object !== undefined);
  if (there === undefined) return;
  throw new Error(
    `This cluster already has ${there.kind} ${there.metadata.name}. Use a cluster without the operator, or uninstall it as docs/installation.md describes.`,
  );
}

/** Removes everything that a run may have left. */
export async function uninstall(): Promise<void> {
  await cluster().kubectl(['delete', '-k', cluster().installation, '--ignore-not-found', '--wait=false']);
  await cluster().kubectl(['delete', 'crd', ...CRDS, '--ignore-not-found', '--wait=false']);
  await cluster().kubectl(['delete', 'namespace', ...NAMESPACES, '--ignore-not-found', '--wait=false']);
  const { metadata } = bindingIn(SAMPLES_NAMESPACE);
  await cluster().kubectl(['delete', 'rolebinding', metadata.name, '-n', metadata.namespace, '--ignore-not-found']);
}

/** @returns the operator's pods, without terminating ones. */
export async function operatorPods(): Promise<Resource[]> {
  const selector = 'app.kubernetes.io/component=operator';
  const text = await cluster().kubectl(['get', 'pods', '-n', OPERATOR_NAMESPACE, '-l', selector, '-o', 'json']);
  return (JSON.parse(text) as { items: Resource[] }).items.filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
}

/** @returns the name of the leader pod. */
export async function leader(): Promise<string> {
  return soon(async () => {
    const lease = await get('lease', OPERATOR_NAME, OPERATOR_NAMESPACE);
    const holder = lease?.spec?.holderIdentity;
    const pod = (await operatorPods()).find(
      ({ metadata }) => typeof holder === 'string' && holder.includes(metadata.name),
    );
    if (pod === undefined) throw new Error('No pod holds the lease.');
    return pod.metadata.name;
  });
}
