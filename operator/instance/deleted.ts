/** Cleans up after instances that no longer exist. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { instanceLabelOf, namespaceIsBeingDeleted } from '../cluster/cluster.ts';
import { releaseWorkload } from '../proxy/proxy.ts';
import type { ObjectKey, Result } from '../runtime/runtime.ts';
import { keyOf, keyText } from '../runtime/runtime.ts';
import { deleteRow } from './defaultBudget.ts';
import type { Dependencies } from './dependencies.ts';
import type { InMemoryStates } from './inMemoryState.ts';
import { patchedDeployments, releaseAllWorkloads } from './release.ts';

/**
 * Drops what the operator knows of an instance that does not exist, and releases its gateway's Deployments. Usually its finalization has done this. If the
 * finalizer was removed manually or lost a race, the garbage collector deletes the objects that these Deployments
 * mount.
 */
export async function handleNotFound(
  dependencies: Dependencies,
  key: ObjectKey,
  states: InMemoryStates,
): Promise<Result> {
  const { client, clients, connections, customers, budgetsByInstance, keysByInstance, events } = dependencies;
  states.delete(key);
  clients.forget(key);
  const isReferredTo = [customers, budgetsByInstance, keysByInstance].some(
    (index) => index.get(keyText(key)).length > 0,
  );
  connections.forget(key.namespace, key.name, isReferredTo && (await namespaceIsBeingDeleted(client, key.namespace)));
  for (const deployment of patchedDeployments(dependencies, key)) {
    const released = await releaseWorkload(client, instanceLabelOf(key.name), keyOf(deployment));
    if (released === undefined) continue;
    events.record(released, {
      type: 'Normal',
      reason: 'SidecarRemoved',
      message: `The operator removed its changes from this Deployment, because GatewayInstance ${key.name} no longer exists.`,
    });
  }
  return {};
}

/**
 * Deletes the external objects of instances that were lost to a finalizer race.
 * @returns whether nothing is left
 */
export async function cleanUpAfterLostFinalizer(
  dependencies: Dependencies,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<boolean> {
  const { finalizer, instances } = dependencies;
  for (const lost of finalizer.lostObjects(key)) {
    // Another instance with the name manages the gateway's Deployment now.
    if (instances.get(key) === undefined) await releaseAllWorkloads(dependencies, lost);
    if (!(await deleteLostRow(dependencies, lost, signal))) return false;
    finalizer.markCleanedUp(lost);
  }
  return true;
}

/** The status of a lost instance may not contain the row, because the write may have followed the deletion. */
async function deleteLostRow(dependencies: Dependencies, lost: GatewayInstance, signal: AbortSignal): Promise<boolean> {
  if (lost.spec.defaultCustomerBudget?.maxBudget === undefined) return true;
  return await deleteRow(dependencies, lost, { since: lost.metadata.creationTimestamp, signal });
}
