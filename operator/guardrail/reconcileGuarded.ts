/** Writes the objects of the integration Inline: the Service that applications call, and what closes the gateway to them. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { OwnedObject, OwnedObjects } from '../cluster/cluster.ts';
import { namesOf, networkPolicies } from '../cluster/cluster.ts';
import type { KubeClient } from '../runtime/runtime.ts';
import { exclusivePolicy, guardedService } from './guarded.ts';
import { readGatewayPort, sidecarListener } from './listener.ts';
import type { Paths } from './paths.ts';
import type { GuardrailPlan } from './plan.ts';
import type { InlineListener } from './settings.ts';
import type { ProxyDeployment } from './sidecar.ts';

/** The dependencies of {@link reconcileGuarded}. */
export interface GuardedDependencies {
  readonly client: Pick<KubeClient, 'get'>;
  readonly ownedObjects: OwnedObjects;
}

/** What the objects depend on. */
export interface GuardedInputs {
  readonly plan: GuardrailPlan;
  readonly paths: Paths;
  /** Whether the guardrail of the spec takes calls. */
  readonly runs: boolean;
  /** The gateway's own Deployment if it is known and exists. */
  readonly proxy: ProxyDeployment | undefined;
}

/** The result of {@link reconcileGuarded}. */
export interface Guarded {
  /** How the sidecar takes calls of applications; undefined: it takes none. */
  readonly listener: InlineListener | undefined;
  /** The objects that were applied, or that must be kept. */
  readonly objects: readonly OwnedObject[];
}

/** @throws GuardrailNotReadyError, NameTakenError, ApiError */
export async function reconcileGuarded(
  { client, ownedObjects }: GuardedDependencies,
  instance: GatewayInstance,
  inputs: GuardedInputs,
): Promise<Guarded> {
  const { plan, paths, runs, proxy } = inputs;
  const listener =
    paths.sidecarListens && proxy !== undefined ? await sidecarListener(client, instance, plan.spec, proxy) : undefined;
  const policy = await policyOf(client, instance, inputs);
  // Without a Deployment, the Service stays as it is until the next path is ready.
  const target = paths.guarded === 'Deployment' ? paths.guarded : paths.guarded && listener?.port;
  const service = target === undefined ? [] : [guardedService(instance, target)];
  if (policy === undefined) await ownedObjects.remove(instance, networkPolicies, namesOf(instance).guarded);
  // While the guardrail does not run, a new policy would close the only path.
  const isPolicyDue = policy !== undefined && ((runs && !paths.isSwitching) || ownedObjects.has(instance, policy));
  await ownedObjects.apply(instance, [...(isPolicyDue ? [policy] : []), ...service]);
  return { listener, objects: [...(policy === undefined ? [] : [policy]), ...service] };
}

async function policyOf(
  client: GuardedDependencies['client'],
  instance: GatewayInstance,
  { plan, paths, proxy }: GuardedInputs,
): Promise<OwnedObject | undefined> {
  const pods = proxy?.spec?.selector;
  const { spec, wanted, inputs } = plan;
  if (spec.exclusive !== true || wanted.integration !== 'Inline' || proxy === undefined || pods === undefined) {
    return undefined;
  }
  return exclusivePolicy(instance, {
    pods,
    gatewayPort: await readGatewayPort(client, instance, proxy),
    hasForwarder: [wanted, paths.active].some((one) => one?.mode === 'Deployment'),
    operatorNamespace: inputs.operatorNamespace,
  });
}
