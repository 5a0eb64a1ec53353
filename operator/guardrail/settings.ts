/** The environment variables of the guardrail. Pure. */
import type { V1EnvVar } from '@kubernetes/client-node';
import { STANDARD_CUSTOMER_HEADERS } from '../../guardrail/guardrail.ts';
import type { Guardrail, SecretKeyRef } from '../api/v1alpha1/v1alpha1.ts';
import { instanceDefaults } from '../api/v1alpha1/v1alpha1.ts';
import type { AsJson } from '../runtime/runtime.ts';
import { memoryOf } from './memory.ts';
import type { GuardrailMode } from './mode.ts';

/** The folders of the guardrail's files in its container. */
export const paths = {
  apiKeys: '/etc/guardrail/api-keys',
  keys: '/etc/guardrail/keys',
  policy: '/etc/guardrail/policy',
  customers: '/etc/guardrail/customers',
  ca: '/etc/guardrail/ca',
} as const;

/** The keys in the ConfigMap and the Secrets, which are the names of the files. */
export const files = {
  apiKeys: 'api-keys',
  sessionKey: 'session-key',
  encryptionKeys: 'encryption-keys',
  policy: 'policy.yaml',
  ca: 'ca.crt',
} as const;

const METRICS_PORT = 9090;

/** The port of the Service that applications call, and the guardrail's own default. */
export const INLINE_PORT = 8081;

/**
 * The guardrail's name for the keys of the gateway and the operator, which is the tenant of the gateway's calls. The old
 * and the new key have the same name.
 */
export const API_KEY_TENANT = 'proxy';

/** How the guardrail takes the calls of applications, with the integration Inline. */
export interface InlineListener {
  readonly port: number;
  /** The base address of the gateway, to which the calls are forwarded. */
  readonly upstream: string;
  /** The certificates of the gateway's certificate authorities; undefined: only the public ones. */
  readonly ca: { readonly ref: SecretKeyRef; readonly digest: string } | undefined;
  /** The headers in which the gateway looks for customers, besides those that LiteLLM always reads. */
  readonly customerHeaders: readonly string[];
}

/**
 * The environment variables of the guardrail.
 * @param spec the requested guardrail, with or without the CRD's defaults
 * @param proxyName the proxy's own name
 * @param inline undefined: only the gateway calls the guardrail
 */
export function guardrailEnvironment(
  spec: Guardrail,
  proxyName: string,
  mode: GuardrailMode,
  inline?: InlineListener,
): AsJson<V1EnvVar>[] {
  const redis = spec.redis?.urlSecretRef;
  const isSidecar = mode === 'Sidecar';
  const settings: [string, string | undefined][] = [
    ['PORT', String(portOf(spec))],
    // Only its own pod may reach the API of a sidecar.
    ['HOST', isSidecar ? '127.0.0.1' : '0.0.0.0'],
    // A sidecar shares the ports of the gateway's pod: another port could be in use.
    ['METRICS_PORT', isSidecar ? 'off' : String(metricsPortOf(spec))],
    ['PROXY_UPSTREAM', inline?.upstream],
    ['PROXY_PORT', inline === undefined ? undefined : String(inline.port)],
    ['PROXY_HOST', inline === undefined ? undefined : '0.0.0.0'],
    ['PROXY_UNKNOWN', inline === undefined ? undefined : lower(spec.inline?.unknownRoutes)],
    ['PROXY_CUSTOMER_HEADERS', customerHeaders(spec, inline)],
    ['PROXY_IDENTITY_HEADERS', inline === undefined ? undefined : spec.inline?.identityHeaders?.join(',')],
    // The sessions of applications belong to another tenant, whose end users the operator erases too. They outlive the
    // integration Inline.
    ['ADMIN_KEYS', API_KEY_TENANT],
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
    ['POLICY', !hasPolicy(spec) ? undefined : `${paths.policy}/${files.policy}`],
    ['CUSTOMERS', paths.customers],
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
    ...(inline?.ca === undefined ? [] : [{ name: 'NODE_EXTRA_CA_CERTS', value: `${paths.ca}/${files.ca}` }]),
  ];
}

/** undefined: only the headers that LiteLLM always reads, which is the default of the guardrail. */
function customerHeaders(spec: Guardrail, inline: InlineListener | undefined): string | undefined {
  if (inline === undefined) return undefined;
  const more = [...inline.customerHeaders, ...(spec.inline?.customerHeaders ?? [])];
  return more.length === 0 ? undefined : [...new Set([...STANDARD_CUSTOMER_HEADERS, ...more])].join(',');
}

/** Whether the guardrail has a policy file. */
export function hasPolicy({ policy, policyRef }: Guardrail): boolean {
  return policy !== undefined || policyRef !== undefined;
}

/** The port that the guardrail listens on. */
export function portOf(spec: Guardrail): number {
  return spec.port ?? instanceDefaults.guardrail.port;
}

/** The port of the metrics in Deployment mode: Prometheus' default port, unless spec.port is the same. */
export function metricsPortOf(spec: Guardrail): number {
  return portOf(spec) === METRICS_PORT ? METRICS_PORT + 1 : METRICS_PORT;
}

/**
 * The port on which the guardrail takes calls of applications: the guardrail's default, or one above if it is taken.
 * @param taken the ports of the other containers of the pod
 */
export function inlinePortOf(spec: Guardrail, taken: readonly number[]): number {
  let port = INLINE_PORT;
  while (port === portOf(spec) || taken.includes(port)) port += 1;
  return port;
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
