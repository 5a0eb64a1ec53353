/** Deletes objects of an instance that its spec no longer requests. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { namesOf, secrets, serviceMonitors } from '../cluster/cluster.ts';
import type { GuardrailResult } from '../guardrail/guardrail.ts';
import { customerListObjects, mountsSecret } from '../guardrail/guardrail.ts';
import type { ObservedProxy, ProxyResult } from '../proxy/proxy.ts';
import type { Dependencies } from './dependencies.ts';
import type { InMemoryState } from './inMemoryState.ts';

/** What decides which objects are unused. */
export interface Usage {
  readonly guardrail: GuardrailResult;
  readonly proxy: ProxyResult;
  readonly observed: ObservedProxy;
  readonly state: InMemoryState;
}

/** Deletes the objects that are not among the applied ones, as soon as no gateway pod uses them. */
export async function deleteUnusedObjects(
  dependencies: Dependencies,
  instance: GatewayInstance,
  { guardrail, proxy, observed, state }: Usage,
): Promise<void> {
  const { ownedObjects } = dependencies;
  if (guardrail.frozen || guardrail.isSwitching || proxy.isRolledOut === false) return;
  const list = instance.spec.guardrail === undefined ? [] : customerListObjects(instance);
  await ownedObjects.prune(instance, [...guardrail.objects, ...proxy.objects, ...list]);
  if (guardrail.plan?.wanted.mode !== 'Deployment') {
    await ownedObjects.remove(instance, serviceMonitors, namesOf(instance).guardrail);
  }
  if (instance.spec.guardrail !== undefined) state.keysDeleted = false;
  else if (!state.keysDeleted) state.keysDeleted = await deleteKeys(dependencies, instance, observed);
}

/** @returns whether all key Secrets are deleted */
async function deleteKeys(
  { ownedObjects }: Dependencies,
  instance: GatewayInstance,
  { deployment }: ObservedProxy,
): Promise<boolean> {
  const { apiKeySecret, keySecret } = namesOf(instance);
  await ownedObjects.remove(instance, secrets, keySecret);
  // A pod that mounts a missing Secret does not start.
  if (deployment !== undefined && deployment !== 'missing' && mountsSecret(deployment, apiKeySecret)) return false;
  await ownedObjects.remove(instance, secrets, apiKeySecret);
  return true;
}
