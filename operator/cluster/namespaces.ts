import type { KubeClient, KubeObject } from '../runtime/runtime.ts';
import { isForbidden, isNotFound, resource } from '../runtime/runtime.ts';

const namespaces = resource<KubeObject>(
  { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces' },
  { namespaced: false },
);

/** A namespace; undefined where there is none, or the operator may not read it. */
export async function readNamespace(client: Pick<KubeClient, 'get'>, name: string): Promise<KubeObject | undefined> {
  return await client.get(namespaces, { namespace: '', name }).catch((error: unknown) => {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  });
}

/** Whether a namespace is being deleted: nobody will bring back what is gone from it. */
export async function namespaceIsBeingDeleted(client: Pick<KubeClient, 'get'>, name: string): Promise<boolean> {
  return (await readNamespace(client, name))?.metadata.deletionTimestamp !== undefined;
}
