import type { GatewayInstance, TextSource } from '../api/v1alpha1/v1alpha1.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { ignoreNotFound } from './ownedObjects.ts';
import { configMaps } from './kinds.ts';

/** The text of a source; undefined if its ConfigMap, or the key in it, does not exist. */
export async function readText(
  client: Pick<KubeClient, 'get'>,
  instance: GatewayInstance,
  source: TextSource,
): Promise<string | undefined> {
  if (source.configMapRef === undefined) return source.inline ?? '';
  const { name, key } = source.configMapRef;
  const map = await client.get(configMaps, { namespace: instance.metadata.namespace, name }).catch(ignoreNotFound);
  return map?.data?.[key];
}
