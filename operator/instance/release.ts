/** Removes the operator's part from the gateways' Deployments. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { INSTANCE_LABEL, instanceLabelOf, isRejection } from '../cluster/cluster.ts';
import type { GuardrailResult, ProxyDeployment } from '../guardrail/guardrail.ts';
import { orphanMountedObjects, releaseWorkload } from '../proxy/proxy.ts';
import type { ObjectKey } from '../runtime/runtime.ts';
import { isConflict, isNotFound, keyOf } from '../runtime/runtime.ts';
import type { Dependencies } from './dependencies.ts';

/** Releases Deployments that the spec no longer names. */
export async function releaseFormerWorkloads(
  dependencies: Dependencies,
  instance: GatewayInstance,
  { frozen, active }: GuardrailResult,
): Promise<void> {
  const { workloadRef } = instance.spec;
  // The sidecar stays until another guardrail runs.
  if (frozen || (workloadRef === undefined && active?.mode === 'Sidecar')) return;
  for (const { metadata } of patchedDeployments(dependencies, keyOf(instance))) {
    if (metadata.name !== workloadRef?.name) await release(dependencies, instance, metadata.name);
  }
}

/** Releases all Deployments of an instance, and orphans the objects that their pods need to start. */
export async function releaseAllWorkloads(dependencies: Dependencies, instance: GatewayInstance): Promise<void> {
  const { client, events } = dependencies;
  const orphaned = await orphanMountedObjects(client, instance).catch((error: unknown) => {
    // A namespace that is being deleted rejects these writes and does not need the objects.
    if (!isRejection(error) && !isNotFound(error) && !isConflict(error)) throw error;
    return [];
  });
  const { workloadRef } = instance.spec;
  if (orphaned.length > 0) {
    events.record(instance, {
      type: 'Normal',
      reason: 'Orphaned',
      message: `${listOf(orphaned)} remain, because Deployment ${workloadRef?.name ?? ''} mounts them. Delete them when the Deployment no longer mounts them.`,
    });
  }
  const patched = patchedDeployments(dependencies, keyOf(instance)).map(({ metadata }) => metadata.name);
  for (const name of new Set([...patched, ...(workloadRef === undefined ? [] : [workloadRef.name])])) {
    await release(dependencies, instance, name);
  }
}

/** `a`, `a and b`, `a, b and c`. */
function listOf(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** The Deployments that contain the operator's part for an instance with this name. */
export function patchedDeployments(
  { proxies }: Dependencies,
  { namespace, name }: ObjectKey,
): readonly ProxyDeployment[] {
  const label = instanceLabelOf(name);
  return proxies.list(namespace).filter(({ metadata }) => metadata.labels?.[INSTANCE_LABEL] === label);
}

async function release({ client, events }: Dependencies, instance: GatewayInstance, name: string): Promise<void> {
  const key = { namespace: instance.metadata.namespace, name };
  const released = await releaseWorkload(client, instanceLabelOf(instance.metadata.name), key);
  if (released === undefined) return;
  events.record(instance, {
    type: 'Normal',
    reason: 'SidecarRemoved',
    message: `The operator removed its changes from Deployment ${name}.`,
  });
}
