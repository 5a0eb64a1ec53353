/** The settings: one schema each, with its help and its default. */
import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { STANDARD_CUSTOMER_HEADERS } from '../customerHeaders.ts';
import { duration, mappingTtl } from '../duration.ts';
import type { Tenant } from '../ids.ts';
import { sessionKey } from '../sessionKey.ts';
import { parseRedisAddress, REDIS_ADDRESS_FORMS, type RedisAddress } from '../store/store.ts';
import { parseBearerToken } from '../bearer.ts';
import { parseApiKeys, TENANT_NAME } from './apiKeys.ts';
import { parseAuditOutputs } from './auditOutputs.ts';
import { parseRestoreKeys, parseTypes } from './restoreKeys.ts';
import { secret } from './secrets.ts';
import * as values from './values.ts';

const MIB = 1024 * 1024;

/** Where mappings are stored. */
export type StoreSetting =
  { readonly kind: 'memory' } | ({ readonly kind: 'redis' } & { readonly address: RedisAddress });

const port = values.integer(0, 65535);
const tenant = values
  .matching(TENANT_NAME, 'must contain names of API keys, not the keys')
  .transform((name) => name as Tenant);
const proxyName = values.matching(
  /^[a-z][a-z0-9_]{0,62}$/,
  'must contain names of lower-case letters, digits and underscores',
);

const headerName = values
  .matching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, 'must contain names of headers, such as x-user-id')
  .transform((name) => name.toLowerCase());

const host = values.matching(/^[A-Za-z0-9.:_-]{1,255}$/, 'must be an address or a host name');

/** The name of a guardrail: that of the instance to which it belongs. */
export const INSTANCE_NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,319}$/;

export const SETTINGS = {
  PORT: port.prefault('8080').describe('Port to listen on. 0 selects a free port.'),
  HOST: host.prefault('0.0.0.0').describe('Address to listen on.'),
  METRICS_PORT: z
    .union([z.literal('off'), port], { error: 'must be off, or a whole number from 0 to 65535' })
    .prefault('9090')
    .describe(
      'Port that serves /metrics, on the same address, without authentication unless GUARDRAIL_METRICS_TOKEN is set. 0 selects a free port; off disables metrics.',
    ),
  METRICS_TOKEN: secret(parseBearerToken).describe(
    'Token without which /metrics is refused: Prometheus must send it as Authorization: Bearer. Default: none is needed.',
  ),
  TLS_CERT: secret(values.certificates).describe(
    'Certificate of the service with its chain, in PEM. The ports of the service, of the inline proxy, of the MCP proxy and of the metrics then speak TLS 1.2 or later. Default: plain HTTP.',
  ),
  TLS_KEY: secret(values.privateKey).describe(
    'Private key of GUARDRAIL_TLS_CERT, in PEM. The files are read again when they change.',
  ),
  TLS_CLIENT_CA: secret(values.certificates).describe(
    'Certificates of the authorities, in PEM, that issue the certificates of clients. The service, the inline proxy and the MCP proxy then refuse a client without such a certificate, except on /healthz and /readyz. Default: clients need none.',
  ),
  API_KEYS: secret(parseApiKeys).describe(
    'API keys of the callers, separated by commas: name:key, or only the key. The name is the tenant. A tenant can have several keys.',
  ),
  ADMIN_KEYS: values
    .listOf(tenant)
    .optional()
    .describe(
      'Names from GUARDRAIL_API_KEYS, separated by commas. Their keys can read and erase the sessions and end users of all tenants. Every other key can access only its own tenant.',
    ),
  RESTORE_KEYS: values
    .parsedBy(parseRestoreKeys)
    .optional()
    .describe(
      'Rights to call /v1/restore, which gives tools of agents the values of pseudonyms, separated by commas. name:TYPE|TYPE lets the keys with this name from GUARDRAIL_API_KEYS see values of these types in sessions of their tenant; name@tenant:TYPE|TYPE in those of another tenant, and such a key can call nothing else. * is all types. Default: no key can restore.',
    ),
  RESTORE_RATE: values
    .integer(1, 100_000)
    .prefault('120')
    .describe('Calls of /v1/restore that each name in GUARDRAIL_RESTORE_KEYS can make in a minute, in each process.'),
  INSECURE_NO_AUTH: values
    .flag()
    .prefault('false')
    .describe('Disables authentication: every client that can reach the port can call the service.'),
  SESSION_KEY: secret(sessionKey).describe(
    'Secret from which session ids and pseudonyms are derived. It must not change. Required with Redis; otherwise a random key is generated at each start.',
  ),
  PROXY_NAMES: values
    .listOf(proxyName)
    .prefault('gateway,litellm')
    .describe('Names of the gateways, separated by commas. Each is served at /beta/<name>_basic_guardrail_api.'),
  PROXY_UPSTREAM: values
    .upstreamUrl()
    .optional()
    .describe(
      'Base URL of the gateway or the model provider to which the inline proxy forwards calls. Starts the proxy on GUARDRAIL_PROXY_PORT.',
    ),
  PROXY_PORT: port
    .prefault('8081')
    .describe('Port of the inline proxy. 0 selects a free port. Used with GUARDRAIL_PROXY_UPSTREAM.'),
  PROXY_HOST: host
    .optional()
    .describe(
      'Address on which the inline proxy, the external processor and the MCP proxy listen. Default: GUARDRAIL_HOST.',
    ),
  PROXY_UNKNOWN: values
    .oneOf('block', 'generic', 'pass')
    .prefault('block')
    .describe(
      'How the inline proxy and the external processor handle paths that they do not know: block refuses them, generic replaces personal data in every string of a JSON body, pass forwards them without inspection. Administrative paths of a gateway are always refused.',
    ),
  PROXY_END_USER: values
    .oneOf('keep', 'pseudonymize')
    .prefault('keep')
    .describe(
      'Whether the inline proxy and the external processor replace the ids of end users: user, safety_identifier and user_id of metadata. A gateway needs them to book calls on its customers, so pseudonymize is for calls that go to a provider.',
    ),
  PROXY_IDENTITY_HEADERS: values
    .listOf(headerName)
    .optional()
    .describe(
      'Headers that identify the caller of the inline proxy, the external processor or the MCP proxy in place of its API key, separated by commas. Only a trusted hop may set them: the guardrail believes them. A call without one of them is refused. x-guardrail-team names the team whose policy applies.',
    ),
  PROXY_CUSTOMER_HEADERS: values
    .listOf(headerName)
    .prefault(STANDARD_CUSTOMER_HEADERS.join(','))
    .describe(
      'Headers in which calls through the inline proxy, the external processor or the MCP proxy name their end user, besides the body, separated by commas. Add those of user_header_name and user_header_mappings of LiteLLM.',
    ),
  EXT_PROC_PORT: port
    .optional()
    .describe(
      'Port of the external processor (envoy.service.ext_proc.v3 over gRPC), which checks the calls that pass an Envoy. 0 selects a free port. Default: there is none.',
    ),
  EXT_PROC_TLS_CERT: secret(values.certificates).describe(
    'Certificate of the external processor with its chain, in PEM. Without it, the port serves plain text: use it on a loopback address only.',
  ),
  EXT_PROC_TLS_KEY: secret(values.privateKey).describe(
    'Private key of GUARDRAIL_EXT_PROC_TLS_CERT, in PEM. The files are read again when they change.',
  ),
  EXT_PROC_TLS_CLIENT_CA: secret(values.certificates).describe(
    'Certificates of the authorities, in PEM, that issue the certificates of clients. A client without such a certificate is refused. Default: clients need none.',
  ),
  MCP_UPSTREAM: values
    .upstreamUrl()
    .optional()
    .describe(
      'Base URL of a trusted MCP server (streamable HTTP). Starts the MCP proxy on GUARDRAIL_MCP_PORT: the server gets values in place of pseudonyms, and its clients get pseudonyms in place of values. Callers are identified as by the inline proxy.',
    ),
  MCP_PORT: port
    .prefault('8082')
    .describe('Port of the MCP proxy. 0 selects a free port. Used with GUARDRAIL_MCP_UPSTREAM.'),
  MCP_RESTORE_TYPES: values
    .parsedBy((text) => ({ types: parseTypes(text) }))
    .prefault('*')
    .describe(
      'Entity types whose values the MCP server may see, separated by vertical bars, such as EMAIL_ADDRESS|PHONE_NUMBER. * is all types.',
    ),
  MCP_ORIGINS: values
    .listOf(values.origin())
    .optional()
    .describe(
      'Origins of web pages that may call the MCP proxy, separated by commas. Default: a call of a web page is refused.',
    ),
  STORE: values
    .parsedBy(storeSetting)
    .prefault('memory')
    .describe(`Where mappings are stored: memory (one process), or ${REDIS_ADDRESS_FORMS}.`),
  MAPPING_TTL: mappingTtl().prefault('24h').describe('How long a mapping is stored after its last use.'),
  ENCRYPTION_KEYS: secret(values.encryptionKeys).describe(
    'Keys of 32 bytes that encrypt values in Redis, in base64 or hexadecimal, separated by commas. The first key encrypts; all keys decrypt. Required with Redis.',
  ),
  MODE: values
    .oneOf('enforce', 'monitor')
    .prefault('enforce')
    .describe('enforce replaces personal data; monitor only detects and counts it.'),
  DETECTORS: values
    .listOf(values.oneOf('builtin', 'presidio'))
    .prefault('builtin')
    .describe('Detectors that run on each text, separated by commas: builtin, presidio.'),
  PRESIDIO_URL: values
    .httpUrl()
    .optional()
    .describe('Base URL of the Presidio analyzer. Required if GUARDRAIL_DETECTORS contains presidio.'),
  DETECTION_TIMEOUT: duration(10, 20_000)
    .prefault('1s')
    .describe('Time limit of a detector for one call. The call fails if a detector exceeds it.'),
  PROFILE: values
    .oneOf('personal', 'confidential')
    .prefault('personal')
    .describe(
      'Which entity types are replaced: personal (what identifies a private person) or confidential (also public persons, organisations, places and all URLs). The policy can change each type, and the profile of a team.',
    ),
  RECALL: values
    .oneOf('precise', 'balanced', 'thorough')
    .prefault('balanced')
    .describe('Recall of the detection: precise leaves doubtful text unchanged, thorough replaces it.'),
  LANGUAGES: values
    .listOf(values.matching(/^[a-z]{2}$/, 'must contain codes of two lower-case letters'))
    .prefault('en')
    .describe(
      'ISO 639-1 codes of the expected languages, separated by commas. Presidio is called once for each. The built-in detector always finds names in English, German, French, Spanish, Italian and Dutch; each code adds the national phone number formats of its countries.',
    ),
  REQUIRE_END_USER: values
    .flag()
    .prefault('false')
    .describe(
      'Whether requests that name no end user are refused. Without an end user, the people who use the same key share one session. Applies to calls of LiteLLM (generic_guardrail_api), of the inline proxy and of the external processor, unless GUARDRAIL_PROXY_IDENTITY_HEADERS identify the caller.',
    ),
  SESSION_SCOPE: values
    .oneOf('user', 'conversation', 'call')
    .prefault('user')
    .describe('Which calls share mappings: all calls of a user, the calls of a conversation, or none.'),
  POLICY: z
    .string()
    .optional()
    .describe(
      'Actions for entity types, allow and deny lists, and custom recognizers: the path of a YAML file, or the YAML itself.',
    ),
  CUSTOMERS: z
    .string()
    .optional()
    .describe(
      'Folder with the list of customers that the operator writes: who is blocked, and who may call for whom. A call that it does not allow is refused before the model call. While there is no valid list, every call is refused. Changes take effect without a restart. Default: everybody may call.',
    ),
  IMAGES: values
    .oneOf('redact', 'block', 'pass')
    .prefault('redact')
    .describe(
      'How images in requests are handled: redact paints over personal data, block refuses the request, pass forwards them without inspection. Files, audio and video are refused unless the value is pass.',
    ),
  REMOTE_IMAGES: values
    .oneOf('block', 'pass')
    .prefault('block')
    .describe(
      'How requests with image URLs are handled if GUARDRAIL_IMAGES is redact. The guardrail cannot inspect the images at these URLs: block refuses the request, pass forwards it.',
    ),
  UNREAD_TEXT: values
    .oneOf('mask', 'block', 'note')
    .prefault('mask')
    .describe(
      'What happens to text that is found in an image and cannot be read, if GUARDRAIL_IMAGES is redact: mask paints over it, block refuses the request, note forwards it and counts it.',
    ),
  MAX_BODY: values
    .size(1024, 256 * MIB)
    .prefault('10MiB')
    .describe('Largest request body. A larger one is refused with status 413.'),
  PLAYGROUND: values
    .flag()
    .prefault('false')
    .describe(
      'Serves /playground, a web page that shows what is found in a text and what the model receives. To sign in, enter any user name, and an API key as the password.',
    ),
  PRESIDIO_API: values
    .flag()
    .prefault('false')
    .describe(
      "Answers the REST API of Presidio's analyzer and anonymizer, so that clients of Presidio can use the guardrail in its place. Clients send an API key as the password of basic authentication, as a bearer token or in x-api-key.",
    ),
  WORKERS: values
    .parsedBy((text) => (text === 'auto' ? String(availableParallelism()) : text))
    .pipe(values.integer(1, 512))
    .prefault('1')
    .describe('Worker processes that share the port; auto starts one for each CPU core. More than one requires Redis.'),
  LOG_LEVEL: values
    .oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .prefault('info')
    .describe('Lowest severity that is logged.'),
  AUDIT: values
    .parsedBy(parseAuditOutputs)
    .prefault('off')
    .describe(
      'Where an audit event is written for each call, without any value: off, or stdout, stderr, otlp (the log exporter of OpenTelemetry) or absolute paths of files, separated by commas. With stdout, the log goes to standard error.',
    ),
  INSTANCE: values
    .matching(INSTANCE_NAME, 'must be a name of letters, digits, dots, hyphens, underscores and slashes')
    .optional()
    .describe('Name of this guardrail in audit events. The operator sets the namespace and the name of its instance.'),
} as const satisfies Record<string, z.ZodType>;

export type Name = keyof typeof SETTINGS;

/** All settings by their names without the prefix. */
export type Settings = { readonly [N in Name]: z.output<(typeof SETTINGS)[N]> };

function storeSetting(text: string): StoreSetting {
  return text === 'memory' ? { kind: 'memory' } : { kind: 'redis', address: parseRedisAddress(text) };
}
