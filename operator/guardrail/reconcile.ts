/** Deploys the guardrail of an instance, except for the gateway's own Deployment, which `operator/proxy` writes. */
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import {
  guardrailDeployments,
  ignoreNotFound,
  isRejection,
  namesOf,
  NameTakenError,
  type OwnedObject,
  type OwnedObjects,
} from '../cluster/cluster.ts';
import { type ConditionState, notRequested } from '../conditions/conditions.ts';
import { FIELD_MANAGER, type KubeClient, type Lister } from '../runtime/runtime.ts';
import { deploymentListener } from './listener.ts';
import { guardedUrl } from './guarded.ts';
import { GuardrailNotReadyError, modeOf } from './basics.ts';
import {
  activeBefore,
  type ActiveGuardrail,
  deploymentListens,
  isCalledByApplications,
  isCalledByGateway,
  pathsNote,
  pathsOf,
  type Progress,
} from './paths.ts';
import { type GuardrailPlan, type PlanDependencies, planGuardrail } from './plan.ts';
import { reconcileGuarded } from './reconcileGuarded.ts';
import { listensEverywhere, type ProxyDeployment, type Rollout, rolloutOf, type Sidecar } from './sidecar.ts';
import { checkContest, checkWorkload, type SidecarRemovals } from './sidecarChecks.ts';
import type { GatewayTrust } from './tls.ts';
import { guardrailPolicyObjects, guardrailWorkload } from './workload.ts';

/** The dependencies of {@link reconcileGuardrail}. */
export interface GuardrailDependencies extends PlanDependencies {
  readonly ownedObjects: OwnedObjects;
  readonly instances: Pick<Lister<GatewayInstance>, 'list'>;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
}

/** The gateway as far as its guardrail depends on it. */
export interface GuardedGateway {
  /** Its own Deployment; undefined if the spec names none. */
  readonly deployment: ProxyDeployment | 'missing' | undefined;
  /** Its address; undefined if it is not known. */
  readonly endpoint: string | undefined;
  /** The address of the guardrail that every pod of the gateway calls, according to the configuration that the operator wrote. */
  readonly calledUrl: string | undefined;
}

/** The result of {@link reconcileGuardrail}. */
export interface GuardrailResult {
  readonly plan: GuardrailPlan | undefined;
  /** The guardrail in use from now on: that of the plan itself as soon as it runs, and until then that of the status. */
  readonly active: ActiveGuardrail | undefined;
  /** The address of the guardrail that the gateway must call; undefined: it must call none. */
  readonly callback: string | undefined;
  /** Digest of the API key with which the gateway calls the guardrail; undefined: it needs none. */
  readonly apiKeyHash: string | undefined;
  /** What the gateway needs to call the guardrail by TLS; undefined: nothing. */
  readonly trust: GatewayTrust | undefined;
  /** The sidecar that the gateway's pods must have; undefined: none. */
  readonly sidecar: Sidecar | undefined;
  /** The objects that were applied, or that must be kept. */
  readonly objects: readonly OwnedObject[];
  /** Whether the guardrail cannot be deployed as requested. The running guardrail is not changed then. */
  readonly frozen: boolean;
  /** Whether the integration or the certificate changes, and the objects of the previous one are still in use. */
  readonly isSwitching: boolean;
  /** A sentence on the paths of calls, which the condition ends with; undefined: nothing is to be said. */
  readonly note: string | undefined;
  /** undefined: the condition depends on the gateway's Deployment. */
  readonly condition: ConditionState<'GuardrailReady'> | undefined;
}

/** Deploys the guardrail, and reads which paths calls take from now on. */
export async function reconcileGuardrail(
  dependencies: GuardrailDependencies,
  instance: GatewayInstance,
  gateway: GuardedGateway,
  removals: SidecarRemovals,
): Promise<GuardrailResult> {
  const { guardrail: spec } = instance.spec;
  if (spec === undefined) return notDeployed;
  const { deployment } = gateway;
  try {
    const proxy = deployment === 'missing' ? undefined : deployment;
    if (modeOf(instance, spec) === 'Sidecar') {
      checkWorkload(dependencies.instances, instance, deployment);
      if (proxy !== undefined) checkContest(instance, proxy, removals, dependencies.monotonic());
    }
    const plan = await planGuardrail(dependencies, instance, spec, proxy);
    const state: Situation = {
      wanted: plan.wanted,
      before: activeBefore(instance),
      isCalled: instance.spec.proxyConfig === undefined || gateway.calledUrl === plan.wanted.url,
    };
    const { objects, runs, condition } =
      plan.wanted.mode === 'Sidecar'
        ? await deployForSidecar(dependencies, instance, plan, proxy)
        : await deployWorkload(dependencies, instance, plan, { ...state, endpoint: gateway.endpoint });
    const paths = pathsOf({ ...state, runs });
    const guarded = await reconcileGuarded(dependencies, instance, { plan, paths, runs, proxy });
    const needsKey = isCalledByGateway(plan.wanted.integration) || paths.callback !== undefined;
    return {
      plan,
      active: paths.active,
      callback: paths.callback,
      apiKeyHash: needsKey ? plan.apiKeyHash : undefined,
      sidecar: paths.sidecar ? { spec, inputs: { ...plan.inputs, inline: guarded.listener } } : undefined,
      trust: needsKey ? plan.tls?.trust : undefined,
      objects: [...objects, ...(plan.tls?.objects ?? []), ...guarded.objects],
      frozen: false,
      isSwitching: paths.isSwitching || plan.isTlsPending,
      note: joined(pathsNote(paths.active, plan.wanted, guardedUrl(instance, plan.wanted.url)), plan.policyNote),
      condition: plan.keptPolicy ?? condition,
    };
  } catch (error) {
    return frozen(instance, conditionOf(error));
  }
}

function joined(...sentences: readonly (string | undefined)[]): string | undefined {
  const given = sentences.filter((sentence) => sentence !== undefined);
  return given.length === 0 ? undefined : given.join(' ');
}

const notDeployed: GuardrailResult = {
  plan: undefined,
  active: undefined,
  callback: undefined,
  apiKeyHash: undefined,
  trust: undefined,
  sidecar: undefined,
  objects: [],
  frozen: false,
  isSwitching: false,
  note: undefined,
  condition: notRequested<'GuardrailReady'>(
    'The spec requests no guardrail, so the gateway forwards calls without a check.',
  ),
};

type Situation = Omit<Progress, 'runs'>;

/** A deployed guardrail. */
interface Deployed extends Pick<GuardrailResult, 'objects' | 'condition'> {
  readonly runs: boolean;
}

/** The sidecar itself is part of the gateway's Deployment. */
async function deployForSidecar(
  { ownedObjects }: GuardrailDependencies,
  instance: GatewayInstance,
  { spec, inputs, wanted }: GuardrailPlan,
  proxy: ProxyDeployment | undefined,
): Promise<Deployed> {
  const objects = guardrailPolicyObjects(instance, spec, inputs);
  await ownedObjects.apply(instance, objects);
  // A gateway that calls its sidecar starts together with it.
  const runs =
    !isCalledByApplications(wanted.integration) || (proxy !== undefined && listensEverywhere(instance, proxy));
  return { objects, runs, condition: undefined };
}

async function deployWorkload(
  { client, ownedObjects }: GuardrailDependencies,
  instance: GatewayInstance,
  { spec, inputs, wanted }: GuardrailPlan,
  situation: Situation & Pick<GuardedGateway, 'endpoint'>,
): Promise<Deployed> {
  const inline = deploymentListens(situation)
    ? await deploymentListener(client, instance, spec, situation.endpoint)
    : undefined;
  const objects = guardrailWorkload(instance, spec, { ...inputs, inline });
  if (spec.autoscaling !== undefined) await handReplicasToAutoscaler(client, instance);
  const applied = await ownedObjects.apply(instance, objects);
  const deployment: ProxyDeployment | undefined = applied.find(({ kind }) => kind === guardrailDeployments.kind);
  const rollout = deployment === undefined ? 'inProgress' : rolloutOf(deployment);
  return {
    objects,
    runs: rollout === 'complete',
    condition: workloadCondition(instance, wanted.url, rollout, deployment?.status?.availableReplicas ?? 0),
  };
}

function workloadCondition(
  instance: GatewayInstance,
  url: string,
  rollout: Rollout,
  availableReplicas: number,
): ConditionState<'GuardrailReady'> {
  const { guardrail: name } = namesOf(instance);
  switch (rollout) {
    case 'complete':
      return { status: 'True', reason: 'Ready', message: `The guardrail runs at ${url}.` };
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

function frozen(instance: GatewayInstance, condition: ConditionState<'GuardrailReady'>): GuardrailResult {
  const active = activeBefore(instance);
  const callback = active !== undefined && isCalledByGateway(active.integration) ? active.url : undefined;
  return { ...notDeployed, active, callback, frozen: true, condition };
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

/** The field manager that owns the number until the autoscaler changes it for the first time. */
const HOLDER = `${FIELD_MANAGER}-replicas`;

/**
 * Keeps the number of replicas when the operator no longer applies it. The API server resets a field without an owner
 * to its default, which is one replica. To prevent this, another field manager applies the field first.
 */
export async function handReplicasToAutoscaler(client: KubeClient, instance: GatewayInstance): Promise<void> {
  const key = { namespace: instance.metadata.namespace, name: namesOf(instance).guardrail };
  const deployment = await client.get(guardrailDeployments, key).catch(ignoreNotFound);
  const applied = (deployment?.metadata.managedFields ?? []).find(
    ({ manager, operation, subresource }) =>
      manager === FIELD_MANAGER && operation === 'Apply' && (subresource ?? '') === '',
  );
  const fields: { readonly 'f:spec'?: Readonly<Record<string, unknown>> } | undefined = applied?.fieldsV1;
  if (deployment === undefined || fields?.['f:spec']?.['f:replicas'] === undefined) return;
  await client.apply(
    guardrailDeployments,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...key, uid: deployment.metadata.uid },
      spec: { replicas: deployment.spec?.replicas ?? 1 },
    } as object,
    { fieldManager: HOLDER },
  );
}
