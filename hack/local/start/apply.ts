import { type KubeConfig, type KubernetesObject, KubernetesObjectApi, PatchStrategy } from '@kubernetes/client-node';

const FIELD_MANAGER = 'npm-start';

/** Server-side apply of each object in turn. In this process: kubectl would first take a second to look around. */
export async function apply(kubeConfig: KubeConfig, objects: readonly KubernetesObject[]): Promise<void> {
  const api = KubernetesObjectApi.makeApiClient(kubeConfig);
  for (const object of objects) {
    await api.patch(object, undefined, undefined, FIELD_MANAGER, true, PatchStrategy.ServerSideApply);
  }
}
