/** Orphans the objects that the gateway's Deployment mounts when their instance is deleted. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import {
  configMaps,
  ignoreNotFound,
  isOwnedBy,
  namesOf,
  proxyDeployments,
  readText,
  secrets,
} from '../cluster/cluster.ts';
import type { ProxyDeployment } from '../guardrail/guardrail.ts';
import { mountsConfigMap, mountsSecret } from '../guardrail/guardrail.ts';
import type { KubeClient, ResourceKind } from '../runtime/runtime.ts';
import { configKeyOf } from './configKey.ts';
import { configMapObject } from './configMap.ts';

/**
 * Removes the owner references from the objects that the gateway's Deployment mounts, because its next pod could not
 * start without them. The configuration becomes the admin's base, without the operator's settings.
 * @returns the orphaned objects, as `ConfigMap name` and `Secret name`
 */
export async function orphanMountedObjects(client: KubeClient, instance: GatewayInstance): Promise<string[]> {
  const { workloadRef } = instance.spec;
  const { namespace } = instance.metadata;
  if (workloadRef === undefined) return [];
  const deployment = await client.get(proxyDeployments, { namespace, name: workloadRef.name }).catch(ignoreNotFound);
  if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return [];
  const orphaned: string[] = [];
  for (const [kind, name] of mountedObjects(instance, deployment)) {
    if (await orphan(client, instance, kind, name)) orphaned.push(`${kind.kind} ${name}`);
  }
  return [...orphaned, ...(await orphanConfiguration(client, instance, deployment))];
}

/** The mounted objects that stay as they are: the API key, and with TLS the certificates. */
function mountedObjects(instance: GatewayInstance, deployment: ProxyDeployment): [kind: ResourceKind, name: string][] {
  const { apiKeySecret, clientSecret, ca } = namesOf(instance);
  const all: [isMounted: boolean, kind: ResourceKind, name: string][] = [
    [mountsSecret(deployment, apiKeySecret), secrets, apiKeySecret],
    [mountsSecret(deployment, clientSecret), secrets, clientSecret],
    [mountsConfigMap(deployment, ca), configMaps, ca],
  ];
  return all.flatMap(([isMounted, kind, name]): [ResourceKind, string][] => (isMounted ? [[kind, name]] : []));
}

/** @returns whether the object exists and was the instance's */
async function orphan(
  client: KubeClient,
  instance: GatewayInstance,
  kind: ResourceKind,
  name: string,
): Promise<boolean> {
  const key = { namespace: instance.metadata.namespace, name };
  const object = await client.get(kind, key).catch(ignoreNotFound);
  if (object === undefined || !isOwnedBy(object, instance)) return false;
  const { uid, resourceVersion } = object.metadata;
  await client.patch(kind, key, { metadata: { uid, resourceVersion, ownerReferences: null } });
  return true;
}

async function orphanConfiguration(
  client: KubeClient,
  instance: GatewayInstance,
  deployment: ProxyDeployment,
): Promise<string[]> {
  const { proxyConfig } = instance.spec;
  if (proxyConfig === undefined || !mountsConfigMap(deployment, proxyConfig.configMapName)) return [];
  const { configMapName: name, base } = proxyConfig;
  const { namespace } = instance.metadata;
  const configMap = await client.get(configMaps, { namespace, name }).catch(ignoreNotFound);
  if (configMap === undefined || !isOwnedBy(configMap, instance)) return [];
  const text = base === undefined ? '' : await readText(client, instance, base);
  const data = text === undefined ? (configMap.data ?? {}) : { [configKeyOf(proxyConfig)]: text };
  const { kind, object } = configMapObject(instance, name, { data, annotations: {} });
  const { ownerReferences: _none, ...metadata } = object.metadata;
  // Because of the uid, the API server does not create a new ConfigMap if this one was deleted in the meantime.
  const identity = { ...metadata, uid: configMap.metadata.uid };
  await client.apply(kind, { ...object, metadata: identity });
  return [`ConfigMap ${name}`];
}
