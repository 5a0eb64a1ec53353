/** The operator in the cluster. */
import { cluster, imageOverride, kustomization } from './environment.ts';
import { available, get, soon, type Resource } from './stand.ts';

export const OPERATOR_NAMESPACE = 'gateway-guardrail-system';
/** Of its Deployment, its lease and more. */
export const OPERATOR = 'gateway-guardrail-operator';
export const CRDS = ['gatewaycustomers.gateway.guardrail.dev', 'gatewayinstances.gateway.guardrail.dev'];

/** Installs it as the README says, and waits until both pods are ready. */
export async function install(folder = cluster().installation): Promise<void> {
  await cluster().kubectl(['apply', '-k', folder]);
  await operatorAvailable();
}

/** Lets the operator reach sidecars while something is done, by the component, and not any more after that. */
export async function whileReachingSidecars<T>(work: () => Promise<T>): Promise<T> {
  try {
    await install(kustomization({ components: ['sidecar'], images: [imageOverride(cluster().image)] }));
    return await work();
  } finally {
    const right = `${OPERATOR}-sidecar`;
    await cluster().kubectl(['delete', '--ignore-not-found', `clusterrole/${right}`, `clusterrolebinding/${right}`]);
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
