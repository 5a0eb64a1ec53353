/**
 * Configures the gateway of an instance. The order of the changes matters: if the gateway calls a guardrail that does
 * not run, it rejects every call.
 */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { OwnedObject, OwnedObjects } from '../cluster/cluster.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import type { ProxyDeployment } from '../guardrail/guardrail.ts';
import { rolloutOf } from '../guardrail/guardrail.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { proxyCondition } from './condition.ts';
import { writeConfigMap } from './configMap.ts';
import type { DesiredProxy, ObservedProxy } from './state.ts';
import { patchWorkload } from './workload.ts';

/** The dependencies of {@link reconcileProxy}. */
export interface ProxyDependencies {
  readonly client: KubeClient;
  readonly ownedObjects: OwnedObjects;
}

/** The result of {@link reconcileProxy}. */
export interface ProxyResult {
  readonly condition: ConditionState<'ProxyConfigured'>;
  /** The gateway's Deployment after the reconcile. */
  readonly deployment: ProxyDeployment | undefined;
  /** The objects that were applied or kept. */
  readonly objects: readonly OwnedObject[];
  /** Whether every gateway pod runs with the desired state; undefined if the operator does not know the Deployment. */
  readonly isRolledOut: boolean | undefined;
}

/** Writes the configuration, then the operator's part of the gateway's Deployment, which rolls out the changes of both. */
export async function reconcileProxy(
  { client, ownedObjects }: ProxyDependencies,
  instance: GatewayInstance,
  observed: ObservedProxy,
  desired: DesiredProxy,
): Promise<ProxyResult> {
  const config = await writeConfigMap(client, ownedObjects, instance, observed, desired);
  const before = observed.deployment === 'missing' ? undefined : observed.deployment;
  const deployment =
    before === undefined || desired.frozen
      ? before
      : await patchWorkload(client, instance, before, desired, config.hash);
  const rollout = deployment === undefined ? undefined : rolloutOf(deployment);
  const { warnings } = config;
  return {
    condition:
      config.failure ??
      proxyCondition({ instance, deployment: deployment ?? observed.deployment, rollout, desired, warnings }),
    deployment,
    objects: config.objects,
    isRolledOut: rollout === undefined ? undefined : rollout === 'complete',
  };
}
