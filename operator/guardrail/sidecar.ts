/**
 * The operator's part of the gateway's own Deployment, applied under the operator's field manager: a native sidecar
 * with its volumes, and annotations that roll the Deployment out. It never contains a field of the owner's containers,
 * because this would break the owner's next apply. Pure.
 */
import type { V1Deployment } from '@kubernetes/client-node';
import type { GatewayInstance, Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { annotations, instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import type { FromServer } from '../runtime/runtime.ts';
import { guardrailContainer, guardrailVolumes } from './container.ts';
import { guardedLabels } from './guarded.ts';
import type { WorkloadInputs } from './workload.ts';
import { INSTANCE_LABEL, instanceLabelOf, namesOf } from '../cluster/cluster.ts';
import { portOf } from './settings.ts';

/** The gateway's Deployment as read from the API server. */
export type ProxyDeployment = FromServer<V1Deployment>;

/** The name of the sidecar's container. */
export const SIDECAR = 'gateway-guardrail';

/** The sidecar of the gateway's pods. */
export interface Sidecar {
  readonly spec: Guardrail;
  readonly inputs: WorkloadInputs;
}

/** The contents of the operator's part of the gateway's Deployment. */
export interface ProxyPatchInputs {
  /** The sidecar; undefined removes an existing one. */
  readonly sidecar: Sidecar | undefined;
  /** Digest of the configuration that the gateway reads when it starts; undefined: the operator does not manage it. */
  readonly configHash: string | undefined;
  /** Digest of the API key that the gateway reads when it starts; undefined: there is no guardrail. */
  readonly apiKeyHash: string | undefined;
  /** Digest of the certificates that the gateway reads when it starts; undefined: it needs none. */
  readonly trustHash?: string | undefined;
}

/** The address at which the gateway calls its sidecar. */
export function sidecarUrl(spec: Guardrail): string {
  return `http://127.0.0.1:${portOf(spec)}`;
}

/** A part of a Deployment for server-side apply. */
export interface DeploymentPatch {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'Deployment';
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: object };
  readonly spec?: object;
}

/** An empty part. Applying it removes everything that the operator has added before. */
export function emptyPatch(proxy: ProxyDeployment): DeploymentPatch {
  const { name, namespace, uid } = proxy.metadata;
  // Because of the uid, the API server does not create a new Deployment if this one was deleted.
  const identity = { name, ...(namespace === undefined ? {} : { namespace }), uid };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: identity };
}

/** The operator's part of the gateway's Deployment. */
export function proxyPatch(
  instance: GatewayInstance,
  proxy: ProxyDeployment,
  patch: ProxyPatchInputs,
): DeploymentPatch {
  const { sidecar, configHash, apiKeyHash, trustHash } = patch;
  const empty = emptyPatch(proxy);
  if (Object.values(patch).every((part) => part === undefined)) return empty;
  const templateAnnotations = {
    ...(configHash === undefined ? {} : { [annotations.configHash]: configHash }),
    ...(apiKeyHash === undefined ? {} : { [annotations.apiKeyHash]: apiKeyHash }),
    ...(trustHash === undefined ? {} : { [annotations.trustHash]: trustHash }),
    ...(sidecar === undefined
      ? {}
      : {
          [annotations.guardrailHash]: sidecar.inputs.configHash,
          [annotations.keyRevision]: sidecar.inputs.keyRevision,
        }),
  };
  return {
    ...empty,
    metadata: { ...empty.metadata, labels: { [INSTANCE_LABEL]: instanceLabelOf(instance.metadata.name) } },
    spec: {
      template: {
        metadata: {
          annotations: templateAnnotations,
          ...(sidecar?.inputs.inline === undefined ? {} : { labels: guardedLabels(instance) }),
        },
        ...(sidecar === undefined ? {} : { spec: sidecarPodSpec(instance, sidecar.spec, sidecar.inputs) }),
      },
    },
  };
}

function sidecarPodSpec(instance: GatewayInstance, spec: Guardrail, inputs: WorkloadInputs): object {
  const container = guardrailContainer(spec, instance.spec.proxyName ?? instanceDefaults.proxyName, 'Sidecar', inputs);
  return {
    initContainers: [{ ...container, restartPolicy: 'Always' }],
    volumes: guardrailVolumes(spec, namesOf(instance), 0o444, inputs),
  };
}

/** One annotation of a Deployment's pod template. */
export function templateAnnotation(deployment: FromServer<V1Deployment>, name: string): string | undefined {
  return deployment.spec?.template.metadata?.annotations?.[name];
}

/** Whether the gateway's Deployment has the sidecar. */
export function hasSidecar(proxy: ProxyDeployment): boolean {
  return (proxy.spec?.template.spec?.initContainers ?? []).some(({ name }) => name === SIDECAR);
}

/** Whether every pod of the gateway has a sidecar that takes calls of applications. */
export function listensEverywhere(instance: GatewayInstance, proxy: ProxyDeployment): boolean {
  const labels = proxy.spec?.template.metadata?.labels ?? {};
  const isLabelled = Object.entries(guardedLabels(instance)).every(([name, value]) => labels[name] === value);
  return isLabelled && hasSidecar(proxy) && rolloutOf(proxy) === 'complete';
}

/** Whether one of the owner's containers reads a key of a Secret, as an environment variable or as a file. */
export function mountsSecret(proxy: ProxyDeployment, secretName: string): boolean {
  const pod = proxy.spec?.template.spec;
  const containers = (pod?.containers ?? []).filter(({ name }) => name !== SIDECAR);
  const byEnvironment = containers.some(
    ({ env, envFrom }) =>
      (env ?? []).some(({ valueFrom }) => valueFrom?.secretKeyRef?.name === secretName) ||
      (envFrom ?? []).some(({ secretRef }) => secretRef?.name === secretName),
  );
  const volumes = (pod?.volumes ?? [])
    .filter(
      ({ secret, projected }) =>
        secret?.secretName === secretName ||
        (projected?.sources ?? []).some((source) => source.secret?.name === secretName),
    )
    .map(({ name }) => name);
  return (
    byEnvironment ||
    containers.some(({ volumeMounts }) => (volumeMounts ?? []).some(({ name }) => volumes.includes(name)))
  );
}

/** Whether one of the owner's containers mounts a ConfigMap. */
export function mountsConfigMap(proxy: ProxyDeployment, configMapName: string): boolean {
  const pod = proxy.spec?.template.spec;
  const volumes = (pod?.volumes ?? [])
    .filter(
      ({ configMap, projected }) =>
        configMap?.name === configMapName ||
        (projected?.sources ?? []).some((source) => source.configMap?.name === configMapName),
    )
    .map(({ name }) => name);
  return (pod?.containers ?? []).some(({ volumeMounts }) =>
    (volumeMounts ?? []).some(({ name }) => volumes.includes(name)),
  );
}

/** The progress of a Deployment's rollout. */
export type Rollout = 'complete' | 'inProgress' | 'failed';

/**
 * The progress of a rollout. It is complete when every pod runs with the newest template and is available, and no
 * older pod is left.
 */
export function rolloutOf(deployment: FromServer<V1Deployment>): Rollout {
  const { status, spec, metadata } = deployment;
  const failed = (status?.conditions ?? []).some(
    ({ type, status: holds, reason }) =>
      type === 'Progressing' && holds === 'False' && reason === 'ProgressDeadlineExceeded',
  );
  const isObserved = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const desired = spec?.replicas ?? 1;
  const complete =
    isObserved &&
    (status?.updatedReplicas ?? 0) >= desired &&
    (status?.replicas ?? 0) === (status?.updatedReplicas ?? 0) &&
    (status?.availableReplicas ?? 0) >= desired;
  if (complete) return 'complete';
  return failed && isObserved ? 'failed' : 'inProgress';
}
