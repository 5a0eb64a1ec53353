/** The operator in the cluster. */
import { cluster, imageOverride, kustomization } from './environment.ts';
import { bindingIn, namespaceObject, NAMESPACES, SAMPLES_NAMESPACE } from './namespaces.ts';
import { apply, available, get, soon, type Resource } from './testbed.ts';

export const OPERATOR_NAMESPACE = 'gateway-guardrail-system';
/** Of its Deployment, its lease and more. */
export const OPERATOR = 'gateway-guardrail-operator';
export const CRDS = ['gatewaycustomers.gateway.guardrail.dev', 'gatewayinstances.gateway.guardrail.dev'];

/** How far the operator works. */
export interface Reach {
  /** The namespaces that it watches besides its own. Default: its own alone, as `kubectl apply -k .` has it. */
  readonly namespaces?: readonly string[];
  readonly components?: readonly string[];
}

/** Of all cases but those of installations. */
const EVERYWHERE: Reach = { namespaces: [...NAMESPACES, SAMPLES_NAMESPACE] };

/** Makes the namespaces of all cases, and lets the operator work there. */
export async function prepareNamespaces(): Promise<void> {
  await apply(NAMESPACES.map(namespaceObject));
  await apply([...NAMESPACES, SAMPLES_NAMESPACE].map(bindingIn));
}

/** Installs it as the README says, and waits until both pods are ready. */
export async function install(reach: Reach = EVERYWHERE): Promise<void> {
  await cluster().kubectl(['apply', '-k', folderOf(reach)]);
  await operatorAvailable();
}

/** `kubectl delete -k` of an installation. */
export async function remove(reach: Reach = EVERYWHERE): Promise<void> {
  await cluster().kubectl(['delete', '-k', folderOf(reach), '--timeout=90s']);
}

/** As {@link remove}, its pods first: a namespace with pods in it is looked at again only after their grace period. */
export async function removeQuickly(reach: Reach): Promise<void> {
  const foreground = ['--cascade=foreground', '--timeout=60s'];
  await cluster().kubectl(['delete', `deployment/${OPERATOR}`, '-n', OPERATOR_NAMESPACE, ...foreground]);
  await cluster().kubectl(['delete', '-k', folderOf(reach), '--ignore-not-found', '--timeout=90s']);
}

/** The folder of a kustomization like that of the sample. */
function folderOf({ namespaces = [], components = [] }: Reach): string {
  if (namespaces.length === 0 && components.length === 0) return cluster().installation;
  const value = [OPERATOR_NAMESPACE, ...namespaces].join();
  const containers = [{ name: 'operator', env: [{ name: 'OPERATOR_WATCH_NAMESPACES', value, valueFrom: null }] }];
  const patch = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: OPERATOR, namespace: OPERATOR_NAMESPACE },
    spec: { template: { spec: { containers } } },
  };
  return kustomization({
    components,
    images: [imageOverride(cluster().image)],
    ...(namespaces.length === 0 ? {} : { patches: [{ patch: JSON.stringify(patch) }] }),
  });
}

/** Lets the operator reach sidecars while something is done, by the component, and not any more after that. */
export async function whileReachingSidecars<T>(work: () => Promise<T>): Promise<T> {
  try {
    await install({ ...EVERYWHERE, components: ['sidecar'] });
    return await work();
  } finally {
    await install();
  }
}

/** Waits until all its pods are ready, of the newest template. */
export function operatorAvailable(): Promise<void> {
  return available(`deployment/${OPERATOR}`, OPERATOR_NAMESPACE);
}

/** @throws Error where somebody uses the operator already: the cases would be in his way */
export async function refuseIfThere(): Promise<void> {
  const there = [
    await get('namespace', OPERATOR_NAMESPACE),
    ...(await Promise.all(CRDS.map((name) => get('crd', name)))),
  ].find((object) => object !== undefined);
  if (there === undefined) return;
  throw new Error(
    `This cluster has ${there.kind} ${there.metadata.name} already: take one without the operator, or uninstall it as the README says.`,
  );
}

/** Takes all of it away that a run may have left. */
export async function uninstall(): Promise<void> {
  await cluster().kubectl(['delete', '-k', cluster().installation, '--ignore-not-found', '--wait=false']);
  await cluster().kubectl(['delete', 'crd', ...CRDS, '--ignore-not-found', '--wait=false']);
  await cluster().kubectl(['delete', 'namespace', ...NAMESPACES, '--ignore-not-found', '--wait=false']);
  const { metadata } = bindingIn(SAMPLES_NAMESPACE);
  await cluster().kubectl(['delete', 'rolebinding', metadata.name, '-n', metadata.namespace, '--ignore-not-found']);
}

/** Its pods that are not on their way out. */
export async function operatorPods(): Promise<Resource[]> {
  const selector = 'app.kubernetes.io/component=operator';
  const text = await cluster().kubectl(['get', 'pods', '-n', OPERATOR_NAMESPACE, '-l', selector, '-o', 'json']);
  return (JSON.parse(text) as { items: Resource[] }).items.filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
}

/** The name of the pod that leads. */
export async function leader(): Promise<string> {
  return soon(async () => {
    const lease = await get('lease', OPERATOR, OPERATOR_NAMESPACE);
    const holder = lease?.spec?.holderIdentity;
    const pod = (await operatorPods()).find(
      ({ metadata }) => typeof holder === 'string' && holder.includes(metadata.name),
    );
    if (pod === undefined) throw new Error('No pod holds the lease.');
    return pod.metadata.name;
  });
}
