/**
 * The gateway's own side: the configuration that it reads, and our part of its Deployment. The order in which things
 * change matters, since a gateway that calls a guardrail which is not there refuses every call.
 */
import { createHash } from 'node:crypto';
import type { GatewayInstance } from '../api/v1alpha1/v1alpha1.ts';
import { annotations } from '../api/v1alpha1/v1alpha1.ts';
import type { KubeClient, ObjectKey } from '../runtime/runtime.ts';
import { keyText, ownerReference } from '../runtime/runtime.ts';
import {
  API_KEY_VARIABLE,
  ProxyConfigError,
  renderOffThread,
  timeoutSecondsOf,
} from '../configuration/configuration.ts';
import type { Child, Children } from '../cluster/cluster.ts';
import {
  belongsTo,
  configMaps,
  INSTANCE_LABEL,
  instanceLabelOf,
  isRefusal,
  labelsOf,
  namesOf,
  NameTakenError,
  noneIfNotFound,
  proxyDeployments,
  readText,
  secrets,
} from '../cluster/cluster.ts';
import type { GuardrailMode, GuardrailPlan, ProxyDeployment } from '../guardrail/guardrail.ts';
import type { BudgetSettings, RenderedProxyConfig } from '../configuration/configuration.ts';
import {
  emptyPart,
  mountsConfigMap,
  mountsSecret,
  proxyPatch,
  rolloutOf,
  templateAnnotation,
} from '../guardrail/guardrail.ts';
import type { ConditionState } from '../conditions/conditions.ts';
import { notRequested } from '../conditions/conditions.ts';

const MAX_SHOWN_NAMES = 10;

/** Where the gateway shall call the guardrail from now on. */
export interface ActiveGuardrail {
  readonly mode: GuardrailMode;
  readonly url: string;
}

/** What there is of the gateway in the cluster, as it was read. */
export interface ProxyState {
  /** undefined: the spec names none; `missing`: there is none of that name. */
  readonly deployment: ProxyDeployment | 'missing' | undefined;
  /** What the configuration that we wrote makes the gateway do. */
  readonly configured: { readonly guardrailUrl: string | undefined; readonly budgetId: string | undefined };
}

/** What the gateway shall be made to do. */
export interface ProxyWishes {
  readonly budget: BudgetSettings | undefined;
  readonly active: ActiveGuardrail | undefined;
  readonly plan: GuardrailPlan | undefined;
  /** The guardrail's settings cannot be carried out, or the sidecar is contested: our part of the Deployment stays. */
  readonly frozen: boolean;
}

/** What became of it. */
export interface ProxyOutcome {
  readonly finding: ConditionState<'ProxyConfigured'>;
  /** The gateway's Deployment after it. */
  readonly deployment: ProxyDeployment | undefined;
  /** The objects that were written and are to be kept. */
  readonly kept: readonly Child[];
  /** Whether every gateway pod runs with what was asked for; undefined: there is no way to know. */
  readonly rolled: boolean | undefined;
}

/** Reads the gateway's Deployment and the configuration that we wrote for it. */
export async function readProxy(client: KubeClient, instance: GatewayInstance): Promise<ProxyState> {
  const { namespace } = instance.metadata;
  const { workloadRef, proxyConfig } = instance.spec;
  const [deployment, map] = await Promise.all([
    workloadRef === undefined
      ? undefined
      : client.get(proxyDeployments, { namespace, name: workloadRef.name }).catch(noneIfNotFound),
    proxyConfig === undefined
      ? undefined
      : client.get(configMaps, { namespace, name: proxyConfig.configMapName }).catch(noneIfNotFound),
  ]);
  const ours = map !== undefined && belongsTo(map, instance) ? (map.metadata.annotations ?? {}) : {};
  return {
    deployment: workloadRef === undefined ? undefined : (deployment ?? 'missing'),
    configured: {
      guardrailUrl: ours[annotations.guardrailEndpoint],
      budgetId: ours[annotations.defaultBudgetId],
    },
  };
}

/** Writes the configuration, then our part of the gateway's Deployment, which rolls it where either has changed. */
export async function settleProxy(
  client: KubeClient,
  children: Children,
  instance: GatewayInstance,
  state: ProxyState,
  wishes: ProxyWishes,
): Promise<ProxyOutcome> {
  const { deployment } = state;
  const there = deployment === 'missing' ? undefined : deployment;
  const config = await writeConfig(client, children, instance, state, wishes);
  const after =
    there === undefined || wishes.frozen
      ? there
      : await patchWorkload(
          client,
          instance,
          there,
          wishes,
          config.hash ?? templateAnnotation(there, annotations.configHash),
        );
  const rollout = after === undefined ? undefined : rolloutOf(after);
  return {
    finding: config.fault ?? findingOf(instance, deployment === 'missing', after, rollout, wishes, config.warnings),
    deployment: after,
    kept: config.kept,
    rolled: rollout === undefined ? undefined : rollout === 'complete',
  };
}

/**
 * Takes all that is ours out of a gateway's Deployment again.
 * @param label of the instance that it was put in for, which may be gone
 * @returns the Deployment; undefined where there was nothing to take out
 */
export async function releaseWorkload(
  client: KubeClient,
  label: string,
  key: ObjectKey,
): Promise<ProxyDeployment | undefined> {
  const deployment = await client.get(proxyDeployments, key).catch(noneIfNotFound);
  if (deployment === undefined || !isPatched(label, deployment)) return undefined;
  return await client.apply(proxyDeployments, emptyPart(deployment));
}

/**
 * Leaves to the gateway's Deployment what it mounts of the instance's, which is about to go: without it, its next pod
 * could not start. Its configuration becomes the one that its owner keeps, without anything of ours.
 * @returns what was left, as `ConfigMap name` and `Secret name`
 */
export async function handOver(client: KubeClient, instance: GatewayInstance): Promise<string[]> {
  const { workloadRef, proxyConfig } = instance.spec;
  const { namespace } = instance.metadata;
  if (workloadRef === undefined) return [];
  const deployment = await client.get(proxyDeployments, { namespace, name: workloadRef.name }).catch(noneIfNotFound);
  if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return [];
  const left: string[] = [];
  const { apiKeySecret } = namesOf(instance);
  if (mountsSecret(deployment, apiKeySecret)) {
    const secret = await client.get(secrets, { namespace, name: apiKeySecret }).catch(noneIfNotFound);
    if (secret !== undefined && belongsTo(secret, instance)) {
      const { uid, resourceVersion } = secret.metadata;
      const metadata = { uid, resourceVersion, ownerReferences: null };
      await client.patch(secrets, { namespace, name: apiKeySecret }, { metadata });
      left.push(`Secret ${apiKeySecret}`);
    }
  }
  if (proxyConfig !== undefined && mountsConfigMap(deployment, proxyConfig.configMapName)) {
    const { configMapName: name, key = 'config.yaml', base } = proxyConfig;
    const map = await client.get(configMaps, { namespace, name }).catch(noneIfNotFound);
    if (map !== undefined && belongsTo(map, instance)) {
      const text = base === undefined ? '' : await readText(client, instance, base);
      const data = text === undefined ? (map.data ?? {}) : { [key]: text };
      const { kind, object } = configMapChild(instance, name, data, {});
      const { ownerReferences: _none, ...metadata } = object.metadata;
      // With the uid none is made anew, should this one be gone.
      const identity = { ...metadata, uid: map.metadata.uid };
      await client.apply(kind, { ...object, metadata: identity });
      left.push(`ConfigMap ${name}`);
    }
  }
  return left;
}

/** Whether something of ours is in a Deployment: our label goes in and out with it. */
function isPatched(label: string, deployment: ProxyDeployment): boolean {
  return deployment.metadata.labels?.[INSTANCE_LABEL] === label;
}

interface WrittenConfig {
  /** Digest of the configuration; undefined: it is not ours to write, or could not be written. */
  readonly hash: string | undefined;
  readonly kept: readonly Child[];
  readonly fault: ConditionState<'ProxyConfigured'> | undefined;
  /** What its owner should know of the base, in whole sentences. */
  readonly warnings: readonly string[];
}

async function writeConfig(
  client: KubeClient,
  children: Children,
  instance: GatewayInstance,
  state: ProxyState,
  wishes: ProxyWishes,
): Promise<WrittenConfig> {
  const { proxyConfig } = instance.spec;
  if (proxyConfig === undefined) return { hash: undefined, kept: [], fault: undefined, warnings: [] };
  const { configMapName, key = 'config.yaml', base } = proxyConfig;
  const placeholder = configMapChild(instance, configMapName, {}, {});
  const fault = (reason: ConditionState<'ProxyConfigured'>['reason'], message: string): WrittenConfig => ({
    hash: undefined,
    // What was written before stays.
    kept: [placeholder],
    fault: { status: 'False', reason, message },
    warnings: [],
  });
  const text = base === undefined ? '' : await readText(client, instance, base);
  if (text === undefined) {
    return fault(
      'BaseNotFound',
      `ConfigMap ${base?.configMapRef?.name ?? ''} with key ${base?.configMapRef?.key ?? ''} is not there: create it, or correct spec.proxyConfig.base.configMapRef.`,
    );
  }
  const url = entryUrl(instance, state, wishes);
  let rendered: RenderedProxyConfig;
  try {
    rendered = await renderOffThread(keyText(instance.metadata), text, {
      proxyName: instance.spec.proxyName ?? 'gateway',
      budget: wishes.budget,
      guardrail: url === undefined ? undefined : { url, timeoutSeconds: timeoutSecondsOf(instance.spec.guardrail) },
    });
  } catch (error) {
    if (!(error instanceof ProxyConfigError)) throw error;
    return fault('BaseInvalid', error.message);
  }
  const child = configMapChild(
    instance,
    configMapName,
    { [key]: rendered.text },
    {
      ...(url === undefined ? {} : { [annotations.guardrailEndpoint]: url }),
      ...(wishes.budget?.budgetId === undefined ? {} : { [annotations.defaultBudgetId]: wishes.budget.budgetId }),
    },
  );
  try {
    await children.apply(instance, [child]);
  } catch (error) {
    if (error instanceof NameTakenError) {
      return fault(
        'ConfigMapTaken',
        `${error.message.replace(/: .*/, '')}: name another in spec.proxyConfig.configMapName, or delete it.`,
      );
    }
    if (isRefusal(error))
      return fault('BaseInvalid', `The API server does not take ConfigMap ${configMapName}: ${error.message}`);
    throw error;
  }
  const hash = createHash('sha256').update(rendered.text).digest('hex').slice(0, 16);
  return { hash, kept: [child], fault: undefined, warnings: warningsOf(rendered) };
}

/**
 * Where the configuration makes the gateway call the guardrail. Not before the guardrail runs and the gateway has its
 * key: until then every call would be refused. From then on always, whatever happens: a gateway that stops calling lets
 * everything through.
 */
function entryUrl(instance: GatewayInstance, state: ProxyState, { active }: ProxyWishes): string | undefined {
  if (active === undefined) return undefined;
  const { deployment, configured } = state;
  const hasKey =
    deployment === undefined || (deployment !== 'missing' && mountsSecret(deployment, namesOf(instance).apiKeySecret));
  return hasKey || configured.guardrailUrl !== undefined ? active.url : undefined;
}

async function patchWorkload(
  client: KubeClient,
  instance: GatewayInstance,
  deployment: ProxyDeployment,
  { active, plan }: ProxyWishes,
  configHash: string | undefined,
): Promise<ProxyDeployment> {
  const patch = {
    sidecar: active?.mode === 'Sidecar' && plan !== undefined ? { spec: plan.spec, inputs: plan.inputs } : undefined,
    configHash: instance.spec.proxyConfig === undefined ? undefined : configHash,
    apiKeyHash: plan?.apiKeyHash,
  };
  const isNothing = Object.values(patch).every((part) => part === undefined);
  if (isNothing && !isPatched(instanceLabelOf(instance.metadata.name), deployment)) return deployment;
  return client.apply(proxyDeployments, proxyPatch(instance, deployment, patch));
}

function findingOf(
  instance: GatewayInstance,
  missing: boolean,
  deployment: ProxyDeployment | undefined,
  rollout: ReturnType<typeof rolloutOf> | undefined,
  { active, plan }: ProxyWishes,
  warnings: readonly string[],
): ConditionState<'ProxyConfigured'> {
  const { proxyConfig, workloadRef, guardrail } = instance.spec;
  const no = (
    reason: ConditionState<'ProxyConfigured'>['reason'],
    message: string,
  ): ConditionState<'ProxyConfigured'> => ({
    status: 'False',
    reason,
    message,
  });
  if (proxyConfig === undefined && (guardrail === undefined || workloadRef === undefined)) {
    return notRequested(
      'The configuration of the gateway is not managed: set spec.proxyConfig to let the operator write it.',
    );
  }
  if (missing) {
    return no(
      'WorkloadNotFound',
      `There is no Deployment ${workloadRef?.name ?? ''} in namespace ${instance.metadata.namespace}: create it, or correct spec.workloadRef.name.`,
    );
  }
  if (guardrail !== undefined && active === undefined) {
    return no(
      'GuardrailNotDeployed',
      'The gateway does not call the guardrail yet, which does not run yet: see GuardrailReady.',
    );
  }
  const { apiKeySecret } = namesOf(instance);
  if (deployment !== undefined && plan !== undefined && !mountsSecret(deployment, apiKeySecret)) {
    return no(
      'KeyNotMounted',
      `The gateway does not have the guardrail's key: add to its container in Deployment ${deployment.metadata.name}, under env: ` +
        `{name: ${API_KEY_VARIABLE}, valueFrom: {secretKeyRef: {name: ${apiKeySecret}, key: api-key}}}.`,
    );
  }
  if (
    deployment !== undefined &&
    proxyConfig !== undefined &&
    !mountsConfigMap(deployment, proxyConfig.configMapName)
  ) {
    return no(
      'ConfigNotMounted',
      `The gateway does not read the configuration that the operator writes: add to the pod of Deployment ${deployment.metadata.name}, under volumes: ` +
        `{name: config, configMap: {name: ${proxyConfig.configMapName}}}, and mount it where the gateway reads ${proxyConfig.key ?? 'config.yaml'}.`,
    );
  }
  if (rollout === 'underWay') return no('RollingOut', 'The gateway is being rolled to its new configuration.');
  if (rollout === 'failed') {
    return no(
      'RollingOut',
      `The roll-out of Deployment ${workloadRef?.name ?? ''} does not go on: see kubectl describe of it.`,
    );
  }
  const state =
    rollout === undefined
      ? 'The configuration is written. Restart the gateway when it changes, or set spec.workloadRef to have that done.'
      : 'Every pod of the gateway runs with its configuration.';
  return { status: 'True', reason: 'Configured', message: [state, ...warnings].join(' ') };
}

function warningsOf({ leftOut, hasIncludes }: RenderedProxyConfig): string[] {
  const rest = leftOut.length - MAX_SHOWN_NAMES;
  const shown = [...leftOut.slice(0, MAX_SHOWN_NAMES), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  return [
    ...(leftOut.length === 0
      ? []
      : [`Left out, because requests could bypass the guardrail: ${shown}. Remove these settings from the base.`]),
    ...(hasIncludes
      ? ['Files under include are not checked: make sure that they change neither guardrails nor policies.']
      : []),
  ];
}

function configMapChild(
  instance: GatewayInstance,
  name: string,
  data: Readonly<Record<string, string>>,
  noted: Readonly<Record<string, string>>,
): Child {
  return {
    kind: configMaps,
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace: instance.metadata.namespace,
        labels: { ...labelsOf(instance), 'app.kubernetes.io/component': 'gateway-configuration' },
        annotations: noted,
        ownerReferences: [ownerReference(instance)],
      },
      data,
    } as Child['object'],
  };
}
