/** The environment variables of the guardrail. Pure. */
import { memoryOf } from './memory.ts';
import type { V1EnvVar } from '@kubernetes/client-node';
import type { Guardrail } from '../api/v1alpha1/v1alpha1.ts';
import { instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import type { AsJson } from '../runtime/runtime.ts';

/** The folders of the guardrail's files in its container. */
export const paths = {
  apiKeys: '/etc/guardrail/api-keys',
  keys: '/etc/guardrail/keys',
  policy: '/etc/guardrail/policy',
} as const;

/** The keys in the ConfigMap and the Secrets, which are the names of the files. */
export const files = {
  apiKeys: 'api-keys',
  sessionKey: 'session-key',
  encryptionKeys: 'encryption-keys',
  policy: 'policy.yaml',
} as const;

const METRICS_PORT = 9090;

/** The address that the guardrail listens on. */
export type ListenHost = '0.0.0.0' | '127.0.0.1';

/**
 * The environment variables of the guardrail.
 * @param spec the requested guardrail, with or without the CRD's defaults
 * @param proxyName the proxy's own name
 * @param host the loopback address for a sidecar, which only its own pod may reach
 */
export function guardrailEnvironment(spec: Guardrail, proxyName: string, host: ListenHost): AsJson<V1EnvVar>[] {
  const redis = spec.redis?.urlSecretRef;
  const settings: [string, string | undefined][] = [
    ['PORT', String(portOf(spec))],
    ['HOST', host],
    // A sidecar shares the ports of the gateway's pod: another port could be in use, and nothing reads metrics on
    // loopback.
    ['METRICS_PORT', host === '127.0.0.1' ? 'off' : String(metricsPortOf(spec))],
    // The guardrail always serves the names of the contract and of LiteLLM. It returns 404 for every other name.
    ['PROXY_NAMES', [...new Set([proxyName, 'gateway', 'litellm'])].join(',')],
    ['API_KEYS_FILE', `${paths.apiKeys}/${files.apiKeys}`],
    ['SESSION_KEY_FILE', `${paths.keys}/${files.sessionKey}`],
    ['ENCRYPTION_KEYS_FILE', redis === undefined ? undefined : `${paths.keys}/${files.encryptionKeys}`],
    ['STORE', redis === undefined ? 'memory' : undefined],
    ['MAPPING_TTL', spec.mappingTTL],
    ['MODE', lower(spec.enforcement)],
    ['DETECTORS', detectors(spec)],
    ['PRESIDIO_URL', spec.presidio?.url],
    ['DETECTION_TIMEOUT', spec.detectionTimeout],
    ['PROFILE', lower(spec.profile)],
    ['RECALL', lower(spec.recall)],
    ['LANGUAGES', spec.languages?.join(',')],
    ['SESSION_SCOPE', lower(spec.sessionScope)],
    ['POLICY', spec.policy === undefined ? undefined : `${paths.policy}/${files.policy}`],
    ['IMAGES', lower(spec.images)],
    ['REMOTE_IMAGES', lower(spec.remoteImages)],
    ['MAX_BODY', spec.maxBody === undefined ? undefined : String(memoryOf(spec).maxBody)],
    ['LOG_LEVEL', spec.logLevel],
  ];
  return [
    ...settings.flatMap(([name, value]) => (value === undefined ? [] : [{ name: `GUARDRAIL_${name}`, value }])),
    ...(redis === undefined
      ? []
      : [{ name: 'GUARDRAIL_STORE', valueFrom: { secretKeyRef: { name: redis.name, key: redis.key } } }]),
  ];
}

/** The port that the guardrail listens on. */
export function portOf(spec: Guardrail): number {
  return spec.port ?? instanceDefaults.guardrail.port;
}

/** The port of the metrics in Deployment mode: Prometheus' default port, unless spec.port is the same. */
export function metricsPortOf(spec: Guardrail): number {
  return portOf(spec) === METRICS_PORT ? METRICS_PORT + 1 : METRICS_PORT;
}

/** The number of replicas without an autoscaler. */
export function replicasOf(spec: Guardrail): number {
  return spec.replicas ?? (spec.redis === undefined ? 1 : 2);
}

function detectors(spec: Guardrail): string {
  if (spec.presidio === undefined) return 'builtin';
  return spec.presidio.withBuiltin === true ? 'builtin,presidio' : 'presidio';
}

function lower(value: string | undefined): string | undefined {
  return value?.toLowerCase();
}
