import type { GatewayInstance, SecretKeyRef } from '../api/v1alpha1/v1alpha1.ts';
import { ignoreNotFound, secrets, secretValue } from '../cluster/cluster.ts';
import type { KubeClient } from '../runtime/runtime.ts';

/** Reads a value of a Secret in the namespace of the instance. */
export async function readSecret(
  client: Pick<KubeClient, 'get'>,
  { metadata: { namespace } }: GatewayInstance,
  { name, key }: SecretKeyRef,
): Promise<{ readonly exists: boolean; readonly value: string | undefined }> {
  const secret = await client.get(secrets, { namespace, name }).catch(ignoreNotFound);
  return { exists: secret !== undefined, value: secret === undefined ? undefined : secretValue(secret, key) };
}
