import type { KubeClient, KubeObject } from '../runtime/runtime.ts';
import { isForbidden, isNotFound } from '../runtime/runtime.ts';
import { namespaces } from './kinds.ts';

/** A namespace; undefined if it does not exist or the operator is not permitted to read it. */
export async function readNamespace(client: Pick<KubeClient, 'get'>, name: string): Promise<KubeObject | undefined> {
  return await client.get(namespaces, { namespace: '', name }).catch((error: unknown) => {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  });
}

/** Whether a namespace is being deleted. Nothing can be created in it then. */
export async function namespaceIsBeingDeleted(client: Pick<KubeClient, 'get'>, name: string): Promise<boolean> {
  return (await readNamespace(client, name))?.metadata.deletionTimestamp !== undefined;
}
