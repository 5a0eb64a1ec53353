/** The installation of the operator in the cluster. */
import { OPERATOR_NAME } from '../../operator/operatorName.ts';
import { cluster, imageOverride, kustomization } from './environment.ts';
import { bindingIn, namespaceObject, NAMESPACES, SAMPLES_NAMESPACE } from './namespaces.ts';
import { withSidecarLock } from './sideBySide.ts';
import { apply, available, get, list, soon, type Resource } from './testbed.ts';

export const OPERATOR_NAMESPACE = 'gateway-guardrail-system';
export const CRDS = [
  'gatewaycustomers.gateway.guardrail.dev',
  'gatewayinstances.gateway.guardrail.dev',
  'gatewaybudgets.gateway.guardrail.dev',
  'gatewaykeys.gateway.guardrail.dev',
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

/** Creates the namespaces of all cases, and installs the operator with access to them. Every case needs both. */
export async function prepareInstallation(report: (detail: string) => void): Promise<void> {
  report('Installing the operator …');
  await refuseIfThere();
  await apply(NAMESPACES.map(namespaceObject));
  await apply([...NAMESPACES, SAMPLES_NAMESPACE].map(bindingIn));
  await install();
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
 * @returns the folder of a kustomization like the sample's. Its pods are asked more often whether they are ready, and end
 * sooner: the deletion of a namespace with pods is tried again after half their grace period.
 */
function folderOf({ namespaces = [], components = [] }: Reach): string {
  if (namespaces.length === 0 && components.length === 0) return cluster().installation;
  const value = [OPERATOR_NAMESPACE, ...namespaces].join();
  const env = [{ name: 'OPERATOR_WATCH_NAMESPACES', value, valueFrom: null }];
  const container = {
    name: 'operator',
    readinessProbe: { periodSeconds: 1 },
    ...(namespaces.length === 0 ? {} : { env }),
  };
  const patch = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: OPERATOR_NAME, namespace: OPERATOR_NAMESPACE },
    spec: { template: { spec: { terminationGracePeriodSeconds: 10, containers: [container] } } },
  };
  return kustomization({
    components,
    images: [imageOverride(cluster().image)],
    patches: [{ patch: JSON.stringify(patch) }],
  });
}

/**
 * Lets one case at a time decide whether the operator has access to sidecars, which is that of the component `sidecar`. It has
 * none, except during the work that is given to `granted`.
 */
export function withSidecarAccess(
  work: (granted: (inner: () => Promise<void>) => Promise<void>) => Promise<void>,
): Promise<void> {
  return withSidecarLock(() =>
    work(async (inner) => {
      try {
        await install({ ...EVERYWHERE, components: ['sidecar'] });
        await inner();
      } finally {
        await install();
      }
    }),
  );
}

/** Waits until all operator pods of the newest template are available. */
export function operatorAvailable(): Promise<void> {
  return available(`deployment/${OPERATOR_NAME}`, OPERATOR_NAMESPACE);
}

/** @throws Error if the cluster already has an operator, which the cases would disturb */
async function refuseIfThere(): Promise<void> {
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
  const pods = await list('pod', OPERATOR_NAMESPACE, 'app.kubernetes.io/component=operator');
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
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
