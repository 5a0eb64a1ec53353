/** Deploys the guardrail of an instance, except for the gateway's own Deployment, which `operator/proxy` writes. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import type { OwnedObject, OwnedObjects } from '../cluster/cluster.ts';
import { guardrailDeployments, isRejection, namesOf, NameTakenError } from '../cluster/cluster.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { notRequested } from '../conditions/conditions.ts';
import type { Lister } from '../runtime/runtime.ts';
import { handReplicasToAutoscaler } from './autoscaling.ts';
import type { GuardrailMode } from './mode.ts';
import { modeOf } from './mode.ts';
import { GuardrailNotReadyError } from './notReadyError.ts';
import type { GuardrailPlan, PlanDependencies } from './plan.ts';
import { planGuardrail } from './plan.ts';
import type { ProxyDeployment, Rollout } from './sidecar.ts';
import { rolloutOf } from './sidecar.ts';
import type { SidecarRemovals } from './sidecarChecks.ts';
import { checkContest, checkWorkload } from './sidecarChecks.ts';
import { guardrailPolicyObjects, guardrailWorkload } from './workload.ts';

/** The dependencies of {@link reconcileGuardrail}. */
export interface GuardrailDependencies extends PlanDependencies {
  readonly ownedObjects: OwnedObjects;
  readonly instances: Pick<Lister<GatewayInstance>, 'list'>;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
}

/** The guardrail that the gateway calls. */
export interface ActiveGuardrail {
  readonly mode: GuardrailMode;
  readonly url: string;
}

/** The result of {@link reconcileGuardrail}. */
export interface GuardrailResult {
  readonly plan: GuardrailPlan | undefined;
  /** The guardrail that the gateway must call from now on. */
  readonly active: ActiveGuardrail | undefined;
  /** The objects that were applied. */
  readonly objects: readonly OwnedObject[];
  /** Whether the guardrail cannot be deployed as requested. The running guardrail is not changed then. */
  readonly frozen: boolean;
  /** undefined: the condition depends on the gateway's Deployment. */
  readonly condition: ConditionState<'GuardrailReady'> | undefined;
}

/** @param deployment the gateway's own Deployment; undefined if the spec names none */
export async function reconcileGuardrail(
  dependencies: GuardrailDependencies,
  instance: GatewayInstance,
  deployment: ProxyDeployment | 'missing' | undefined,
  removals: SidecarRemovals,
): Promise<GuardrailResult> {
  const { guardrail: spec } = instance.spec;
  if (spec === undefined) return notDeployed;
  try {
    const proxy = deployment === 'missing' ? undefined : deployment;
    if (modeOf(instance, spec) === 'Sidecar') {
      checkWorkload(dependencies.instances, instance, deployment);
      if (proxy !== undefined) checkContest(instance, proxy, removals, dependencies.monotonic());
    }
    const plan = await planGuardrail(dependencies, instance, spec, proxy);
    return plan.mode === 'Sidecar'
      ? await deployForSidecar(dependencies, instance, plan)
      : await deployWorkload(dependencies, instance, plan);
  } catch (error) {
    return frozen(instance, conditionOf(error));
  }
}

const notDeployed: GuardrailResult = {
  plan: undefined,
  active: undefined,
  objects: [],
  frozen: false,
  condition: notRequested<'GuardrailReady'>(
    'The spec requests no guardrail, so the gateway forwards calls without a check.',
  ),
};

/** The sidecar itself is part of the gateway's Deployment. */
async function deployForSidecar(
  { ownedObjects }: GuardrailDependencies,
  instance: GatewayInstance,
  plan: GuardrailPlan,
): Promise<GuardrailResult> {
  const objects = guardrailPolicyObjects(instance, plan.spec, plan.inputs);
  await ownedObjects.apply(instance, objects);
  return { plan, active: { mode: plan.mode, url: plan.url }, objects, frozen: false, condition: undefined };
}

async function deployWorkload(
  { client, ownedObjects }: GuardrailDependencies,
  instance: GatewayInstance,
  plan: GuardrailPlan,
): Promise<GuardrailResult> {
  const objects = guardrailWorkload(instance, plan.spec, plan.inputs);
  if (plan.spec.autoscaling !== undefined) await handReplicasToAutoscaler(client, instance);
  const applied = await ownedObjects.apply(instance, objects);
  const deployment = applied.find(({ kind }) => kind === guardrailDeployments.kind) as ProxyDeployment | undefined;
  const rollout = deployment === undefined ? 'inProgress' : rolloutOf(deployment);
  return {
    plan,
    // The gateway calls the previous guardrail until this one is rolled out.
    active: rollout === 'complete' ? { mode: plan.mode, url: plan.url } : activeBefore(instance),
    objects,
    frozen: false,
    condition: workloadCondition(instance, plan, rollout, deployment?.status?.availableReplicas ?? 0),
  };
}

function workloadCondition(
  instance: GatewayInstance,
  plan: GuardrailPlan,
  rollout: Rollout,
  availableReplicas: number,
): ConditionState<'GuardrailReady'> {
  const { guardrail: name } = namesOf(instance);
  switch (rollout) {
    case 'complete':
      return { status: 'True', reason: 'Ready', message: `The guardrail runs at ${plan.url}.` };
    case 'inProgress':
      return {
        status: 'False',
        reason: 'RollingOut',
        message: `Deployment ${name} is rolling out: ${availableReplicas === 0 ? 'no pod is' : 'not all pods are'} available yet.`,
      };
    case 'failed':
      return {
        status: 'False',
        reason: 'RolloutFailed',
        message: `Deployment ${name} is not progressing. Run kubectl describe deployment/${name} -n ${instance.metadata.namespace} to see why.`,
      };
  }
}

function activeBefore({ status }: GatewayInstance): ActiveGuardrail | undefined {
  return status?.guardrail === undefined ? undefined : { mode: status.guardrail.mode, url: status.guardrail.endpoint };
}

function frozen(instance: GatewayInstance, condition: ConditionState<'GuardrailReady'>): GuardrailResult {
  return { plan: undefined, active: activeBefore(instance), objects: [], frozen: true, condition };
}

/** @throws the error if it is not caused by the guardrail */
function conditionOf(error: unknown): ConditionState<'GuardrailReady'> {
  if (error instanceof GuardrailNotReadyError) return error.condition;
  if (error instanceof NameTakenError) return { status: 'False', reason: 'NameTaken', message: error.message };
  if (!isRejection(error)) throw error;
  const message = `The API server rejected the guardrail's workload: ${error.message}`;
  return { status: 'False', reason: 'ApplyRejected', message };
}

/** The condition of a guardrail that runs as a sidecar. */
export function sidecarCondition(
  deployment: ProxyDeployment | undefined,
  missingMessage: string,
): ConditionState<'GuardrailReady'> {
  if (deployment === undefined) return { status: 'False', reason: 'WorkloadNotFound', message: missingMessage };
  const { name, namespace } = deployment.metadata;
  switch (rolloutOf(deployment)) {
    case 'complete':
      return { status: 'True', reason: 'Ready', message: `The guardrail runs in every pod of Deployment ${name}.` };
    case 'inProgress':
      return {
        status: 'False',
        reason: 'RollingOut',
        message: `Deployment ${name} is rolling out: not every pod has the guardrail yet.`,
      };
    case 'failed':
      return {
        status: 'False',
        reason: 'RolloutFailed',
        message: `Deployment ${name} is not progressing with the guardrail. Run kubectl describe deployment/${name} -n ${namespace ?? ''} to see why.`,
      };
  }
}
