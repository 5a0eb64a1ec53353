/** The environment variables of the guardrail. Pure. */
import type { V1EnvVar } from '@kubernetes/client-node';
import { INLINE_TENANT, labelOfType, STANDARD_CUSTOMER_HEADERS } from '../../guardrail/guardrail.ts';
import { type Guardrail, instanceDefaults, type SecretKeyRef } from '../api/v1alpha1/v1alpha1.ts';
import type { AsJson } from '../runtime/runtime.ts';
import { memoryOf } from './memory.ts';
import type { GuardrailMode } from './basics.ts';

/** The folders of the guardrail's files in its container. */
export const paths = {
  apiKeys: '/etc/guardrail/api-keys',
  keys: '/etc/guardrail/keys',
  policy: '/etc/guardrail/policy',
  customers: '/etc/guardrail/customers',
  ca: '/etc/guardrail/ca',
  tls: '/etc/guardrail/tls',
  clientCa: '/etc/guardrail/client-ca',
} as const;

/** The keys in the ConfigMap and the Secrets, which are the names of the files. */
export const files = {
  apiKeys: 'api-keys',
  sessionKey: 'session-key',
  encryptionKeys: 'encryption-keys',
  policy: 'policy.yaml',
  ca: 'ca.crt',
} as const;

/** The keys of the Secrets with certificates and of the ConfigMap with authorities. */
export const tlsFiles = {
  certificate: 'tls.crt',
  key: 'tls.key',
  /** The certificate of a client and its key. */
  client: 'client.pem',
  /** The authorities of the guardrail, and the public ones. */
  bundle: 'ca-bundle.crt',
  /** The authorities of clients. */
  clientCa: 'client-ca.crt',
} as const;

const METRICS_PORT = 9090;

/** The port of the Service that applications call, and the guardrail's own default. */
export const INLINE_PORT = 8081;

/** The port of the MCP proxy, and the guardrail's own default. */
const MCP_PORT = 8082;

/**
 * The guardrail's name for the keys of the gateway and the operator, which is the tenant of the gateway's calls. The old
 * and the new key have the same name.
 */
export const API_KEY_TENANT = 'proxy';

/** Whether the guardrail serves TLS, and asks clients for certificates; undefined: it serves plain HTTP. */
export type TlsSettings = { readonly isMutual: boolean } | undefined;

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
  tls?: TlsSettings,
): AsJson<V1EnvVar>[] {
  const hasRedis = spec.redis !== undefined;
  const settings: Setting[] = [
    ...listenerSettings(spec, mode, inline, tls),
    ...mcpSettings(spec, inline),
    // The sessions of applications belong to another tenant, whose end users the operator erases too. They outlive the
    // integration Inline.
    ['ADMIN_KEYS', API_KEY_TENANT],
    // The guardrail always serves the names of the contract and of LiteLLM. It returns 404 for every other name.
    ['PROXY_NAMES', [...new Set([proxyName, 'gateway', 'litellm'])].join(',')],
    ['RESTORE_KEYS', mode === 'Sidecar' ? undefined : restoreRights(spec)],
    ['API_KEYS_FILE', `${paths.apiKeys}/${files.apiKeys}`],
    ['SESSION_KEY_FILE', `${paths.keys}/${files.sessionKey}`],
    ['ENCRYPTION_KEYS_FILE', hasRedis ? `${paths.keys}/${files.encryptionKeys}` : undefined],
    ['STORE', hasRedis ? undefined : 'memory'],
    ['MAPPING_TTL', spec.mappingTTL],
    ['MODE', lower(spec.enforcement)],
    ['DETECTORS', detectors(spec)],
    ['PRESIDIO_API', spec.presidioApi === true ? 'true' : undefined],
    ['PRESIDIO_URL', spec.presidio?.url],
    ['DETECTION_TIMEOUT', spec.detectionTimeout],
    ['PROFILE', lower(spec.profile)],
    ['RECALL', lower(spec.recall)],
    ['LANGUAGES', spec.languages?.join(',')],
    ['REQUIRE_END_USER', spec.requireEndUser === true ? 'true' : undefined],
    ['SESSION_SCOPE', lower(spec.sessionScope)],
    ['POLICY', !hasPolicy(spec) ? undefined : `${paths.policy}/${files.policy}`],
    ['CUSTOMERS', paths.customers],
    ['IMAGES', lower(spec.images)],
    ['REMOTE_IMAGES', lower(spec.remoteImages)],
    ['UNREAD_TEXT', lower(spec.unreadText)],
    ['MAX_BODY', spec.maxBody === undefined ? undefined : String(memoryOf(spec).maxBody)],
    ['LOG_LEVEL', spec.logLevel],
    ['AUDIT', lower(spec.audit?.outputs.join(','))],
  ];
  return [
    ...settings.flatMap(([name, value]) => (value === undefined ? [] : [{ name: `GUARDRAIL_${name}`, value }])),
    ...fromSecret('GUARDRAIL_STORE', spec.redis?.urlSecretRef),
    ...fromSecret('GUARDRAIL_METRICS_TOKEN', mode === 'Sidecar' ? undefined : spec.metricsTokenSecretRef),
    ...telemetryEnvironment(spec),
    ...(inline?.ca === undefined ? [] : [{ name: 'NODE_EXTRA_CA_CERTS', value: `${paths.ca}/${files.ca}` }]),
  ];
}

/** The name of a setting without its prefix, and its value; undefined: the guardrail's own default. */
type Setting = readonly [name: string, value: string | undefined];

/** Where the guardrail listens, and to whom. */
function listenerSettings(
  spec: Guardrail,
  mode: GuardrailMode,
  inline: InlineListener | undefined,
  tls: TlsSettings,
): readonly Setting[] {
  const isSidecar = mode === 'Sidecar';
  return [
    ['PORT', String(portOf(spec))],
    // Only its own pod may reach the API of a sidecar.
    ['HOST', isSidecar ? '127.0.0.1' : '0.0.0.0'],
    // A sidecar shares the ports of the gateway's pod: another port could be in use.
    ['METRICS_PORT', isSidecar ? 'off' : String(metricsPortOf(spec))],
    ['TLS_CERT_FILE', tls && `${paths.tls}/${tlsFiles.certificate}`],
    ['TLS_KEY_FILE', tls && `${paths.tls}/${tlsFiles.key}`],
    ['TLS_CLIENT_CA_FILE', tls?.isMutual === true ? `${paths.clientCa}/${tlsFiles.clientCa}` : undefined],
    ...(inline === undefined ? [] : inlineSettings(spec, inline)),
  ];
}

function inlineSettings(spec: Guardrail, inline: InlineListener): readonly Setting[] {
  return [
    ['PROXY_UPSTREAM', inline.upstream],
    ['PROXY_PORT', String(inline.port)],
    ['PROXY_HOST', '0.0.0.0'],
    ['PROXY_UNKNOWN', lower(spec.inline?.unknownRoutes)],
    ['PROXY_CUSTOMER_HEADERS', customerHeaders(spec, inline)],
    ['PROXY_IDENTITY_HEADERS', spec.inline?.identityHeaders?.join(',')],
  ];
}

/** The settings of the MCP proxy. It identifies callers as the inline proxy does, and does not run without it. */
function mcpSettings(spec: Guardrail, inline: InlineListener | undefined): readonly Setting[] {
  const port = mcpPortOf(spec, inline);
  if (spec.mcp === undefined || port === undefined) return [];
  return [
    ['MCP_UPSTREAM', spec.mcp.upstream],
    ['MCP_PORT', String(port)],
    ['MCP_RESTORE_TYPES', spec.mcp.restoreTypes && shownTypes(spec.mcp.restoreTypes)],
  ];
}

/** undefined: no tool may restore values. */
function restoreRights({ restore = [] }: Guardrail): string | undefined {
  const rights = restore.map(
    ({ name, sessions, types }) =>
      `${name}@${sessions === 'Gateway' ? API_KEY_TENANT : INLINE_TENANT}:${shownTypes(types)}`,
  );
  return rights.length === 0 ? undefined : rights.join(',');
}

/** The name of a tool, as the API server checks it. */
const TOOL_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The names of the tools in the environment variables of a container, as {@link guardrailEnvironment} writes them. Another client
 * may have changed the variables: a name that is not one of a tool is left out.
 */
export function toolsOf(env: readonly { readonly name: string; readonly value?: string }[]): readonly string[] {
  const rights = env.find(({ name }) => name === 'GUARDRAIL_RESTORE_KEYS')?.value ?? '';
  const names = rights.split(',').map((right) => right.split('@', 1)[0] ?? '');
  return [...new Set(names)].filter(isToolName);
}

/** Whether a tool can have this name. */
export function isToolName(name: string): boolean {
  const reserved: readonly string[] = [API_KEY_TENANT, INLINE_TENANT];
  return TOOL_NAME.test(name) && !reserved.includes(name);
}

/** Entity types as they stand in pseudonyms, which cut long names. */
function shownTypes(types: readonly string[]): string {
  return [...new Set(types.map(labelOfType))].join('|');
}

/** A variable with a value of a Secret, without which the container does not start. */
function fromSecret(name: string, ref: SecretKeyRef | undefined): AsJson<V1EnvVar>[] {
  return ref === undefined ? [] : [{ name, valueFrom: { secretKeyRef: { name: ref.name, key: ref.key } } }];
}

/** The variables of OpenTelemetry's SDK. */
function telemetryEnvironment({ telemetry }: Guardrail): AsJson<V1EnvVar>[] {
  if (telemetry === undefined) return [];
  const { endpoint, headersSecretRef: headers, samplingRatio } = telemetry;
  return [
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: endpoint },
    ...(headers === undefined
      ? []
      : [
          {
            name: 'OTEL_EXPORTER_OTLP_HEADERS',
            // A missing Secret must not keep the guardrail from its work.
            valueFrom: { secretKeyRef: { name: headers.name, key: headers.key, optional: true } },
          },
        ]),
    ...(samplingRatio === undefined
      ? []
      : [
          { name: 'OTEL_TRACES_SAMPLER', value: 'parentbased_traceidratio' },
          { name: 'OTEL_TRACES_SAMPLER_ARG', value: String(samplingRatio) },
        ]),
  ];
}

/** undefined: only the headers that LiteLLM always reads, which is the default of the guardrail. */
function customerHeaders(spec: Guardrail, inline: InlineListener): string | undefined {
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

/**
 * The port of the MCP proxy: the guardrail's default, or one above if it is taken.
 * @returns undefined if the guardrail has no MCP proxy
 */
export function mcpPortOf(spec: Guardrail, inline: Pick<InlineListener, 'port'> | undefined): number | undefined {
  if (spec.mcp === undefined || inline === undefined) return undefined;
  const taken = [portOf(spec), metricsPortOf(spec), inline.port];
  let port = MCP_PORT;
  while (taken.includes(port)) port += 1;
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
