/** The operator's part of the gateway's own Deployment: the sidecar, and the annotations that roll out a new configuration. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import { ignoreNotFound, INSTANCE_LABEL, instanceLabelOf, proxyDeployments } from '../cluster/cluster.ts';
import type { ProxyDeployment } from '../guardrail/guardrail.ts';
import { emptyPatch, proxyPatch, templateAnnotation, trusts } from '../guardrail/guardrail.ts';
import type { KubeClient, ObjectKey } from '../runtime/runtime.ts';
import type { DesiredProxy } from './state.ts';

/**
 * Applies the operator's part of the Deployment. A change starts a rollout.
 * @param configHash undefined if the configuration could not be written: the Deployment keeps the hash that it has
 */
export async function patchWorkload(
  client: KubeClient,
  instance: GatewayInstance,
  deployment: ProxyDeployment,
  { sidecar, apiKeyHash, trust }: DesiredProxy,
  configHash: string | undefined,
): Promise<ProxyDeployment> {
  const isConfigManaged = instance.spec.proxyConfig !== undefined;
  const patch = {
    sidecar,
    configHash: isConfigManaged ? (configHash ?? templateAnnotation(deployment, annotations.configHash)) : undefined,
    apiKeyHash,
    // Before it has the certificates, a restart would change nothing.
    trustHash: trust !== undefined && trusts(deployment, trust) ? trust.digest : undefined,
  };
  const isEmpty = Object.values(patch).every((part) => part === undefined);
  if (isEmpty && !isPatched(instanceLabelOf(instance.metadata.name), deployment)) return deployment;
  return await client.apply(proxyDeployments, proxyPatch(instance, deployment, patch));
}

/**
 * Removes the operator's part from a gateway's Deployment.
 * @param label of the instance that it belongs to, which may be deleted
 * @returns the Deployment; undefined if it had no such part
 */
export async function releaseWorkload(
  client: KubeClient,
  label: string,
  key: ObjectKey,
): Promise<ProxyDeployment | undefined> {
  const deployment = await client.get(proxyDeployments, key).catch(ignoreNotFound);
  if (deployment === undefined || !isPatched(label, deployment)) return undefined;
  return await client.apply(proxyDeployments, emptyPatch(deployment));
}

/** Whether a Deployment contains the operator's part, which includes the label. */
function isPatched(label: string, deployment: ProxyDeployment): boolean {
  return deployment.metadata.labels?.[INSTANCE_LABEL] === label;
}
