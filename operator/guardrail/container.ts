/**
 * The guardrail's container and its volumes. Both modes share them, except for the listen address and the probes. Pure.
 */
import type { V1Container, V1Probe, V1Volume } from '@kubernetes/client-node';
import type { Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import type { AsJson } from '../runtime/runtime.ts';
import { memoryOf } from './memory.ts';
import type { InstanceNames } from '../cluster/cluster.ts';
import { customerListVolume } from './customerList.ts';
import type { GuardrailMode } from './basics.ts';
import {
  files,
  guardrailEnvironment,
  hasPolicy,
  type InlineListener,
  mcpPortOf,
  metricsPortOf,
  paths,
  portOf,
  tlsFiles,
} from './settings.ts';
import type { WorkloadTls } from './tls.ts';

/** The types as JSON. */
type Container = AsJson<V1Container>;
type Probe = AsJson<V1Probe>;
type Volume = AsJson<V1Volume>;
type Probes = Pick<Container, 'startupProbe' | 'livenessProbe' | 'readinessProbe'>;

/** The inputs of the container in addition to the instance's spec. */
export interface WorkloadSettings {
  /** The default image: the operator's own. */
  readonly defaultImage: string;
  /** The namespace and the name of the instance, for audit events. */
  readonly instanceName?: string | undefined;
  /** The operator's own namespace, from which it calls its guardrails; undefined if it runs outside the cluster. */
  readonly operatorNamespace?: string | undefined;
  /** How the guardrail takes the calls of applications; undefined: it takes none. */
  readonly inline?: InlineListener | undefined;
  /** How the guardrail serves TLS; undefined: it serves plain HTTP. */
  readonly tls?: WorkloadTls | undefined;
}

/** The names have a prefix, because a sidecar's volumes and those of the gateway are in the same pod. */
const volumes = {
  apiKeys: 'gateway-guardrail-api-keys',
  keys: 'gateway-guardrail-keys',
  policy: 'gateway-guardrail-policy',
  customers: 'gateway-guardrail-customers',
  ca: 'gateway-guardrail-ca',
  tls: 'gateway-guardrail-tls',
  clientCa: 'gateway-guardrail-client-ca',
} as const;

/** The guardrail's container. */
export function guardrailContainer(
  spec: Guardrail,
  proxyName: string,
  mode: GuardrailMode,
  settings: WorkloadSettings,
): Container {
  const port = portOf(spec);
  const memory = memoryOf(spec);
  return {
    name: mode === 'Sidecar' ? 'gateway-guardrail' : 'guardrail',
    image: spec.image ?? settings.defaultImage,
    ...(spec.imagePullPolicy === undefined ? {} : { imagePullPolicy: spec.imagePullPolicy }),
    command: ['node', 'guardrail/main.ts'],
    env: [
      ...guardrailEnvironment(spec, proxyName, mode, settings.inline, settings.tls),
      ...(spec.audit === undefined || settings.instanceName === undefined
        ? []
        : [{ name: 'GUARDRAIL_INSTANCE', value: settings.instanceName }]),
      ...(memory.nodeOptions === undefined ? [] : [{ name: 'NODE_OPTIONS', value: memory.nodeOptions }]),
    ],
    resources: {
      requests: amounts(spec.resources?.requests) ?? { cpu: cpuRequestOf(spec), memory: '192Mi' },
      limits: amounts(spec.resources?.limits) ?? (memory.limit === undefined ? {} : { memory: memory.limit }),
    },
    ...(mode === 'Sidecar' ? sidecarProbes(port) : deploymentProbes(settings.tls)),
    ...(mode === 'Sidecar' ? {} : { ports: deploymentPorts(spec, settings.inline) }),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [
      { name: volumes.apiKeys, mountPath: paths.apiKeys, readOnly: true },
      { name: volumes.keys, mountPath: paths.keys, readOnly: true },
      { name: volumes.customers, mountPath: paths.customers, readOnly: true },
      ...(!hasPolicy(spec) ? [] : [{ name: volumes.policy, mountPath: paths.policy, readOnly: true }]),
      ...(settings.tls === undefined ? [] : [{ name: volumes.tls, mountPath: paths.tls, readOnly: true }]),
      ...(settings.tls?.isMutual === true
        ? [{ name: volumes.clientCa, mountPath: paths.clientCa, readOnly: true }]
        : []),
      ...(settings.inline?.ca === undefined ? [] : [{ name: volumes.ca, mountPath: paths.ca, readOnly: true }]),
    ],
  };
}

/**
 * The volumes. They mount whole Secrets and ConfigMaps, because a kubelet never updates a single key that is mounted by
 * subPath.
 * @param mode the mode bits of the Secrets' files: a sidecar cannot set an fsGroup for its pod
 */
export function guardrailVolumes(
  spec: Guardrail,
  names: InstanceNames,
  mode: 0o440 | 0o444,
  { inline, tls }: Pick<WorkloadSettings, 'inline' | 'tls'>,
): Volume[] {
  const secret = (name: string, secretName: string, keys: readonly string[], path?: string): Volume => ({
    name,
    secret: { secretName, defaultMode: mode, items: keys.map((key) => ({ key, path: path ?? key })) },
  });
  const keys = spec.redis === undefined ? [files.sessionKey] : [files.sessionKey, files.encryptionKeys];
  return [
    secret(volumes.apiKeys, names.apiKeySecret, [files.apiKeys]),
    secret(volumes.keys, names.keySecret, keys),
    { name: volumes.customers, ...customerListVolume(names) },
    ...(!hasPolicy(spec) ? [] : [{ name: volumes.policy, configMap: { name: names.guardrail } }]),
    ...(tls === undefined ? [] : [secret(volumes.tls, tls.secretName, [tlsFiles.certificate, tlsFiles.key])]),
    ...(tls?.isMutual === true
      ? [
          {
            name: volumes.clientCa,
            configMap: { name: tls.caConfigMap, items: [{ key: tlsFiles.clientCa, path: tlsFiles.clientCa }] },
          },
        ]
      : []),
    ...(inline?.ca === undefined ? [] : [secret(volumes.ca, inline.ca.ref.name, [inline.ca.ref.key], files.ca)]),
  ];
}

function deploymentPorts(spec: Guardrail, inline: InlineListener | undefined): Required<Container>['ports'] {
  const mcp = mcpPortOf(spec, inline);
  return [
    { name: 'http', containerPort: portOf(spec), protocol: 'TCP' },
    { name: 'metrics', containerPort: metricsPortOf(spec), protocol: 'TCP' },
    ...(inline === undefined ? [] : [{ name: 'inline', containerPort: inline.port, protocol: 'TCP' }]),
    ...(mcp === undefined ? [] : [{ name: 'mcp', containerPort: mcp, protocol: 'TCP' }]),
  ];
}

/** A kubelet does not verify the certificate. */
function deploymentProbes(tls: WorkloadTls | undefined): Probes {
  const scheme = tls === undefined ? {} : { scheme: 'HTTPS' };
  const get = (path: string): Probe => ({ httpGet: { path, port: 'http', ...scheme }, timeoutSeconds: 3 });
  return {
    startupProbe: { ...get('/healthz'), periodSeconds: 1, failureThreshold: 60 },
    livenessProbe: { ...get('/healthz'), periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { ...get('/readyz'), periodSeconds: 5, failureThreshold: 2 },
  };
}

/**
 * The probes run inside the container, because a kubelet cannot reach a pod's loopback address. All of them call
 * `/healthz`: if the store is unavailable, the pod stays ready, and the gateway applies its own failure policy.
 */
function sidecarProbes(port: number): Probes {
  const script =
    `require('node:http').get('http://127.0.0.1:${port}/healthz',{timeout:2000},r=>process.exit(r.statusCode===200?0:1))` +
    `.on('error',()=>process.exit(1)).on('timeout',()=>process.exit(1))`;
  const exec = { command: ['node', '--input-type=commonjs', '--eval', script] };
  return {
    startupProbe: { exec, timeoutSeconds: 5, periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: { exec, timeoutSeconds: 5, periodSeconds: 20, failureThreshold: 3 },
    readinessProbe: { exec, timeoutSeconds: 5, periodSeconds: 20, failureThreshold: 2 },
  };
}

/**
 * The default CPU request: what a pod with few calls uses. An autoscaler compares the use with the request, and a pod uses at
 * most one core: with half a core and a target of 70 %, pods are added when each uses a third of its core, so that the calls can
 * double until the new pods are ready. With a tenth, pods would be added at 7 % of a core.
 */
function cpuRequestOf({ autoscaling }: Pick<Guardrail, 'autoscaling'>): string {
  return autoscaling === undefined ? '100m' : '500m';
}

function amounts(given: Readonly<Record<string, string | number>> | undefined): Record<string, string> | undefined {
  if (given === undefined) return undefined;
  return Object.fromEntries(Object.entries(given).map(([name, amount]) => [name, String(amount)]));
}
