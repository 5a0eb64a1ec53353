import { type KubeConfig, type KubernetesObject, KubernetesObjectApi, PatchStrategy } from '@kubernetes/client-node';

const FIELD_MANAGER = 'npm-start';

/**
 * Applies each object in turn with server-side apply. It does not run kubectl, because kubectl needs a second for discovery.
 */
export async function apply(kubeConfig: KubeConfig, objects: readonly KubernetesObject[]): Promise<void> {
  const api = KubernetesObjectApi.makeApiClient(kubeConfig);
  for (const object of objects) {
    await api.patch(object, undefined, undefined, FIELD_MANAGER, true, PatchStrategy.ServerSideApply);
  }
}
