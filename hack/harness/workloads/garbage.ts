import { type KubeConfig, KubernetesObjectApi, type KubernetesObject } from '@kubernetes/client-node';

/** The kinds that the operator writes for an instance. */
const KINDS = [
  ['apps/v1', 'Deployment'],
  ['v1', 'Service'],
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['v1', 'ServiceAccount'],
  ['policy/v1', 'PodDisruptionBudget'],
  ['autoscaling/v2', 'HorizontalPodAutoscaler'],
  ['networking.k8s.io/v1', 'NetworkPolicy'],
] as const;

/** The kinds that can own objects of these kinds. */
const OWNER = ['gateway.guardrail.dev/v1alpha1', 'GatewayInstance'] as const;

/** Deletes the selected objects whose owning instances no longer exist, like a cluster's garbage collector. */
export async function collectGarbage(config: KubeConfig, labelSelector: string): Promise<void> {
  const api = KubernetesObjectApi.makeApiClient(config);
  const lists = await Promise.all(KINDS.map(([apiVersion, kind]) => list(api, apiVersion, kind, labelSelector)));
  const owned = lists.flat().filter(({ metadata }) => (metadata?.ownerReferences ?? []).length > 0);
  if (owned.length === 0) return;
  // Read after the objects: an owner that is missing now existed when they were written.
  const owners = new Set((await list(api, ...OWNER)).map(({ metadata }) => metadata?.uid));
  for (const object of owned) {
    const references = object.metadata?.ownerReferences ?? [];
    const ours = references.every(({ apiVersion, kind }) => apiVersion === OWNER[0] && kind === OWNER[1]);
    if (ours && !references.some(({ uid }) => owners.has(uid))) await api.delete(object).catch(ignoreNotFound);
  }
}

async function list(
  api: KubernetesObjectApi,
  apiVersion: string,
  kind: string,
  labelSelector?: string,
): Promise<KubernetesObject[]> {
  const { items } = await api.list(
    apiVersion,
    kind,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    labelSelector,
  );
  // Items of a list do not have their kind.
  return items.map((item) => ({ ...item, apiVersion, kind }));
}

function ignoreNotFound(error: unknown): void {
  if ((error as { code?: number }).code !== 404) throw error;
}
