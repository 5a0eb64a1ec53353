import type {
  API_VERSION,
  Condition,
  ConfigMapKeyRef,
  DataKey,
  LabelName,
  ObjectMeta,
  ObjectName,
  ResourceNames,
  SecretKeyRef,
} from './common.ts';
import { GROUP, VERSION } from './common.ts';
import type { EntityType } from './guardrailPolicy.ts';

/** Names of the kind at the API server. */
export const gatewayInstanceNames = {
  group: GROUP,
  version: VERSION,
  kind: 'GatewayInstance',
  listKind: 'GatewayInstanceList',
  plural: 'gatewayinstances',
  singular: 'gatewayinstance',
  shortName: 'ginst',
} as const satisfies ResourceNames;

/** Defaults of the spec, also for the generated CRD. */
export const instanceDefaults = {
  proxyName: 'gateway',
  rateLimit: { qps: 1000, burst: 200, maxConcurrent: 16 },
  serviceRef: { scheme: 'http' },
  syncInterval: '5m',
  adoption: 'OwnNamespace',
  unknownCustomers: 'Allow',
  proxyConfig: { key: 'config.yaml' },
  guardrail: { integration: 'Callback', callback: 'Generic', port: 8080, detectionTimeout: '1s', images: 'Redact' },
  guardrailInline: { unknownRoutes: 'Block' },
  autoscaling: { minReplicas: 2, targetCPUUtilizationPercentage: 70 },
} as const;

/** The Service in front of a gateway. */
export interface ServiceRef {
  /** Name of the Service, in the namespace of this resource. */
  name: LabelName;
  /**
   * Port of the Service. Default: its only port.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 65535
   */
  port?: number;
  /**
   * Protocol of the port: http or https.
   * @default {@link instanceDefaults.serviceRef.scheme}
   */
  scheme?: 'http' | 'https';
}

/** TLS settings for connections to the gateway. */
export interface GatewayTls {
  /** Secret with the PEM certificates of the certificate authorities that the operator trusts. Default: the public authorities. */
  caSecretRef: SecretKeyRef;
}

/**
 * The limits of the operator's calls to the gateway's admin API.
 */
export interface RateLimit {
  /**
   * Maximum number of calls per second, on average.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 10000
   * @default {@link instanceDefaults.rateLimit.qps}
   */
  qps?: number;
  /**
   * Maximum number of calls in a burst.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 10000
   * @default {@link instanceDefaults.rateLimit.burst}
   */
  burst?: number;
  /**
   * Maximum number of concurrent calls.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 1000
   * @default {@link instanceDefaults.rateLimit.maxConcurrent}
   */
  maxConcurrent?: number;
}

/** The allowed prefixes of customer ids in one namespace. */
export interface CustomerIdPrefixes {
  /**
   * The namespace of the customers.
   * @minLength 1
   * @maxLength 63
   */
  namespace: string;
  /**
   * The allowed prefixes. spec.customerId of each customer in the namespace must begin with one of them.
   * @minItems 1
   * @maxItems 64
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  prefixes: string[];
}

/** What the keys of some namespaces may be. */
export interface KeyGrant {
  /**
   * The namespaces, which must be in allowedNamespaces too. "*" stands for all namespaces that the instance allows.
   * @minItems 1
   * @maxItems 64
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 63, "pattern": "^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$"}
   */
  namespaces: string[];
  /**
   * The models that a key may name. With this field, a key must name models. Default: all models.
   * @minItems 1
   * @maxItems 256
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  models?: string[];
  /**
   * The ids of the teams that a key may belong to. A key of a team shares its budget and its pseudonyms. Default: no team.
   * @maxItems 64
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  teamIds?: string[];
  /**
   * The largest maxBudget of a key, in USD. With this field, a key must have a maxBudget. Default: no limit.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0", "message": "maxBudget must not be negative: set an amount in USD, or remove maxBudget for no limit"}
   * ]
   */
  maxBudget?: number;
  /**
   * The shortest budgetDuration of a key, as a number with a unit (s, m, h, d, w or mo). Default, if maxBudget is set: a key has no budgetDuration, and its maxBudget is a lifetime limit.
   * @maxLength 16
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[1-9][0-9]{0,5}(s|m|h|d|w|mo)$')", "message": "budgetDuration must be a whole number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d"}
   * ]
   */
  budgetDuration?: string;
}

/**
 * The budget of customers that have no budget themselves. Exactly one of maxBudget, budgetId and budgetRef must be set.
 * @x-kubernetes-validations [
 *   {"rule": "(has(self.maxBudget) ? 1 : 0) + (has(self.budgetId) ? 1 : 0) + (has(self.budgetRef) ? 1 : 0) == 1", "message": "defaultCustomerBudget requires either maxBudget, budgetId or budgetRef: set exactly one of them"},
 *   {"rule": "!has(self.budgetDuration) || (!has(self.budgetId) && !has(self.budgetRef))", "fieldPath": ".budgetDuration", "reason": "FieldValueForbidden", "message": "budgetDuration cannot be used together with budgetId or budgetRef, because the tier has its own period: remove budgetDuration, or replace the tier by maxBudget"},
 *   {"rule": "!has(self.budgetDuration) || has(self.maxBudget) || has(self.budgetId) || has(self.budgetRef)", "fieldPath": ".budgetDuration", "reason": "FieldValueForbidden", "message": "budgetDuration requires maxBudget: set maxBudget, or remove budgetDuration"}
 * ]
 */
export interface DefaultCustomerBudget {
  /**
   * The maximum amount that each of these customers may spend, in USD, per budgetDuration. Without budgetDuration, the amount is a lifetime limit.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0", "message": "maxBudget must not be negative: set an amount in USD, or remove defaultCustomerBudget for no limit"}
   * ]
   */
  maxBudget?: number;
  /**
   * The period after which the spend is reset to zero, as a number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d. Default: the spend is never reset, and maxBudget is a lifetime limit: the gateway rejects every further call until the amount is raised. Mutually exclusive with budgetId and budgetRef, whose tier has its own period.
   * @maxLength 16
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[1-9][0-9]{0,5}(s|m|h|d|w|mo)$')", "message": "budgetDuration must be a whole number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d"}
   * ]
   */
  budgetDuration?: string;
  /**
   * The id of a budget tier that exists at the gateway.
   * @minLength 1
   * @maxLength 256
   */
  budgetId?: string;
  /** The GatewayBudget, in the namespace of the instance, whose limits apply. It must belong to this instance. */
  budgetRef?: DefaultBudgetRef;
}

/** Reference to a GatewayBudget in the namespace of the instance. */
export interface DefaultBudgetRef {
  /** Name of the GatewayBudget. */
  name: ObjectName;
}

/**
 * A text, inline or in a ConfigMap. Exactly one of the fields must be set.
 * @x-kubernetes-validations [
 *   {"rule": "has(self.inline) != has(self.configMapRef)", "message": "either inline or configMapRef is required: set exactly one of the two"}
 * ]
 */
export interface TextSource {
  /**
   * The text.
   * @maxLength 262144
   */
  inline?: string;
  /** The ConfigMap key that contains the text. */
  configMapRef?: ConfigMapKeyRef;
}

/** Source and destination of the gateway's configuration file. */
export interface ProxyConfig {
  /**
   * The base configuration, in YAML. The operator keeps its keys, their order and the comments. Default: empty.
   * The operator removes settings that let requests bypass the guardrail. The condition ProxyConfigured lists them.
   */
  base?: TextSource;
  /** Name of the ConfigMap that the operator writes, in the namespace of this resource. The gateway mounts it. */
  configMapName: ObjectName;
  /**
   * Key in the data of that ConfigMap.
   * @default {@link instanceDefaults.proxyConfig.key}
   */
  key?: DataKey;
}

/** The gateway's Deployment. */
export interface WorkloadRef {
  /** Name of the Deployment, in the namespace of this resource. */
  name: ObjectName;
  /**
   * Port on which the gateway listens in its pods. Used in Sidecar mode by the integrations Inline and CallbackAndInline of the guardrail, and by guardrail.exclusive. Default: the port to which serviceRef leads; with endpoint, the only port of the pod, or the one with the port of the endpoint.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 65535
   */
  port?: number;
}

/** Redis store for the guardrail's mappings. */
export interface RedisStore {
  /** Secret with the address of Redis, including its password (redis://, rediss://, Sentinel or Cluster), in the format of the guardrail's setting GUARDRAIL_STORE. */
  urlSecretRef: SecretKeyRef;
}

/** A Presidio analyzer as the guardrail's detector. */
export interface Presidio {
  /**
   * Address of the Presidio analyzer.
   * @maxLength 2048
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') && isURL(self)", "message": "url must be an http or https address without credentials, query or fragment, for example http://presidio-analyzer:3000"},
   *   {"rule": "!self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') || !isURL(self) || (url(self).getPort() == '' || (int(url(self).getPort()) >= 1 && int(url(self).getPort()) <= 65535))", "message": "url must have a port between 1 and 65535, for example http://presidio-analyzer:3000"}
   * ]
   */
  url: string;
  /** Whether the built-in detector runs in addition to Presidio. The entities of both are merged. */
  withBuiltin?: boolean;
}

/** Where the guardrail exports telemetry to. */
export interface GuardrailTelemetry {
  /**
   * Address of an OpenTelemetry collector for OTLP over HTTP, without /v1/traces.
   * @maxLength 2048
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') && isURL(self)", "message": "endpoint must be an http or https address without credentials, query or fragment, for example http://otel-collector:4318"},
   *   {"rule": "!self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') || !isURL(self) || (url(self).getPort() == '' || (int(url(self).getPort()) >= 1 && int(url(self).getPort()) <= 65535))", "message": "endpoint must have a port between 1 and 65535, for example http://otel-collector:4318"}
   * ]
   */
  endpoint: string;
  /** Secret with headers for the collector, in the format of OTEL_EXPORTER_OTLP_HEADERS: name=value pairs, separated by commas, with URL-encoded values. While the value does not exist, the guardrail runs and exports without headers. */
  headersSecretRef?: SecretKeyRef;
  /**
   * Share of the traces that are recorded, from 0 to 1, among those that begin at the guardrail. For a call that is part of a trace, its caller decides. Default: 1.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0 && self <= 1.0", "message": "samplingRatio must be between 0 and 1, for example 0.1"}
   * ]
   */
  samplingRatio?: number;
}

/** Reference to a GuardrailPolicy in the namespace of the resource. */
export interface PolicyRef {
  /** Name of the GuardrailPolicy. */
  name: ObjectName;
}

/** HorizontalPodAutoscaler settings of the guardrail. */
export interface Autoscaling {
  /**
   * Minimum number of pods.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 1000
   * @default {@link instanceDefaults.autoscaling.minReplicas}
   */
  minReplicas?: number;
  /**
   * Maximum number of pods.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 1000
   */
  maxReplicas: number;
  /**
   * Target CPU utilization, in percent of the CPU request.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 100
   * @default {@link instanceDefaults.autoscaling.targetCPUUtilizationPercentage}
   */
  targetCPUUtilizationPercentage?: number;
}

/** An amount of a compute resource, for example 500m or 256Mi. */
export type Quantity = string | number;

/** Compute resources of a container. */
export interface ResourceRequirements {
  /**
   * Minimum amount of compute resources that the container requires, by resource name.
   * @maxProperties 16
   * @eachValue {"x-kubernetes-int-or-string": true, "maxLength": 64, "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}
   */
  requests?: Record<string, Quantity>;
  /**
   * Maximum amount of compute resources that the container may use, by resource name.
   * @maxProperties 16
   * @eachValue {"x-kubernetes-int-or-string": true, "maxLength": 64, "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}
   */
  limits?: Record<string, Quantity>;
}

/** A taint that the guardrail's pods tolerate. */
export interface Toleration {
  /**
   * Key of the taint. Default: all keys.
   * @maxLength 316
   */
  key?: string;
  /** How the key relates to the value: Exists matches every value, Equal compares the value. */
  operator?: 'Exists' | 'Equal';
  /**
   * Value of the taint.
   * @maxLength 63
   */
  value?: string;
  /** Effect of the taint. Default: all effects. */
  effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  /**
   * How long, in seconds, the pod stays on a node with a NoExecute taint. Default: forever.
   * @asType integer
   * @format int64
   * @maximum 9007199254740991
   */
  tolerationSeconds?: number;
}

/** NetworkPolicy settings of the guardrail. */
export interface GuardrailNetworkPolicy {
  /**
   * Whether the operator creates a NetworkPolicy.
   * @default true
   */
  enabled?: boolean;
  /**
   * Names of additional namespaces whose pods may call the guardrail. Pods in the namespace of this resource always may.
   * @maxItems 64
   * @listType set
   */
  fromNamespaces?: LabelName[];
}

/** How the guardrail handles the calls of applications. */
export interface GuardrailInline {
  /**
   * How calls to paths are handled that the guardrail does not know, for example routes of your own gateway. Block refuses them. Generic checks every string of a JSON body. Pass forwards them without a check, so that personal data leaks. Administrative paths of a gateway are always refused.
   * @default {@link instanceDefaults.guardrailInline.unknownRoutes}
   */
  unknownRoutes?: 'Block' | 'Generic' | 'Pass';
  /**
   * Headers that identify the caller in place of its API key, for example x-user-id. Calls of different callers never share a mapping. The guardrail believes these headers and refuses a call without one of them: only a trusted hop before it, which verifies tokens, may set them. x-guardrail-team names the team whose policy applies. Default: the API key of a call identifies its caller.
   * @minItems 1
   * @maxItems 16
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 64}
   * @x-kubernetes-validations [
   *   {"rule": "self.all(name, name.matches('^[a-z0-9!#$%&*+.^_|~-]+$'))", "message": "identityHeaders must contain names of headers in lowercase, without a colon, for example x-user-id"}
   * ]
   */
  identityHeaders?: string[];
  /**
   * Headers in which applications name the customer of a call, besides x-litellm-customer-id and x-litellm-end-user-id. Every customer counts that a call names. The operator reads user_header_name and user_header_mappings of LiteLLM from spec.proxyConfig.base itself: set this field if the configuration of the gateway has them and is not in the spec.
   * @minItems 1
   * @maxItems 16
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 64}
   * @x-kubernetes-validations [
   *   {"rule": "self.all(name, name.matches('^[a-z0-9!#$%&*+.^_|~-]+$'))", "message": "customerHeaders must contain names of headers in lowercase, without a colon, for example x-customer-id"}
   * ]
   */
  customerHeaders?: string[];
}

/** Audit events of the guardrail: one for each call, with counts and keyed hashes, and without any value. */
export interface GuardrailAudit {
  /**
   * Where the events are written. Stdout and Stderr: as JSON lines to a stream of the container. With Stdout, the log of the guardrail goes to the other stream. OTLP: to the log exporter of OpenTelemetry.
   * @minItems 1
   * @maxItems 3
   * @listType set
   */
  outputs: ('Stdout' | 'Stderr' | 'OTLP')[];
}

/** A reverse proxy before one MCP server, on the guardrail's Service. */
export interface GuardrailMcp {
  /**
   * Base URL of the MCP server, which must speak streamable HTTP. It is trusted: it receives values in place of pseudonyms. The certificate of an https address must be from a public authority, or from that of spec.tls.caSecretRef.
   * @maxLength 2048
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') && isURL(self)", "message": "upstream must be an http or https address without credentials, query or fragment, for example http://crm:3000"},
   *   {"rule": "!self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') || !isURL(self) || (url(self).getPort() == '' || (int(url(self).getPort()) >= 1 && int(url(self).getPort()) <= 65535))", "message": "upstream must have a port between 1 and 65535, for example http://crm:3000"}
   * ]
   */
  upstream: string;
  /**
   * Entity types whose values the MCP server may see. Default: all.
   * @minItems 1
   * @maxItems 64
   * @listType set
   */
  restoreTypes?: EntityType[];
}

/** The right of a tool to restore values at /v1/restore of the guardrail. */
export interface GuardrailRestoreRight {
  /**
   * Name of the tool. The operator generates its API key, under the key restore-NAME of the Secret status.guardrail.apiKeySecretName.
   * @x-kubernetes-validations [
   *   {"rule": "!(self in ['proxy', 'inline'])", "message": "proxy and inline are the names of the guardrail's own callers: choose another name"}
   * ]
   */
  name: LabelName;
  /** The sessions that the tool reads. Gateway: those of calls of the gateway, with the integration Callback. Applications: those of calls of applications, with the integration Inline. */
  sessions: 'Gateway' | 'Applications';
  /**
   * Entity types whose values the tool may see.
   * @minItems 1
   * @maxItems 64
   * @listType set
   */
  types: EntityType[];
}

/** The issuer of cert-manager that issues the guardrail's certificate. */
export interface IssuerRef {
  /** Name of the issuer. */
  name: ObjectName;
  /**
   * Kind of the issuer.
   * @minLength 1
   * @maxLength 63
   * @default "Issuer"
   */
  kind?: string;
  /**
   * API group of the issuer.
   * @minLength 1
   * @maxLength 253
   * @default "cert-manager.io"
   */
  group?: string;
}

/** A Secret in the resource's own namespace. */
export interface SecretRef {
  /** Name of the Secret, in the namespace of this resource. */
  name: ObjectName;
}

/** The certificates that clients of the guardrail need. */
export interface GuardrailClientAuth {
  /** Secret with the certificates of further authorities, in PEM, that issue certificates of clients. Default: only the certificate in the Secret INSTANCE-guardrail-client is accepted, which the operator issues for the gateway and for itself. */
  caSecretRef?: SecretKeyRef;
}

/**
 * TLS of the guardrail. The ConfigMap INSTANCE-guardrail-ca has the certificates that verify it: ca.crt, and ca-bundle.crt together with the public authorities.
 * @x-kubernetes-validations [
 *   {"rule": "!has(self.issuerRef) || !has(self.secretRef)", "message": "issuerRef cannot be used together with secretRef: remove one of the two"}
 * ]
 */
export interface GuardrailTls {
  /** Issuer of cert-manager. Default: the operator issues the certificate, from an authority of this instance, and replaces both before they expire. */
  issuerRef?: IssuerRef;
  /** Secret of the type kubernetes.io/tls with the certificate, which must be valid for the guardrail's Services. If it has a key ca.crt, clients verify the certificate with it. */
  secretRef?: SecretRef;
  /** Requires a certificate of each client: of the gateway, and with the integration Inline of applications. Default: clients need none. */
  clientAuth?: GuardrailClientAuth;
}

/** The client of LiteLLM that calls the guardrail. */
export type GuardrailCallback = 'Generic' | 'Full';

/**
 * The guardrail that the operator runs for this gateway.
 * @x-kubernetes-validations [
 *   {"rule": "!has(self.autoscaling) || !has(self.replicas)", "message": "replicas cannot be used together with autoscaling, which sets the number of pods: remove one of the two"},
 *   {"rule": "!has(self.mode) || self.mode != 'Sidecar' || (!has(self.autoscaling) && !has(self.replicas))", "message": "replicas and autoscaling have no effect in Sidecar mode, where each gateway pod has its own guardrail: remove them, or set mode to Deployment"},
 *   {"rule": "!has(self.mode) || self.mode != 'Sidecar' || !has(self.tls)", "fieldPath": ".tls", "message": "tls has no effect in Sidecar mode, where the gateway calls the guardrail within its pod: remove it, or set mode to Deployment"},
 *   {"rule": "!has(self.exclusive) || !self.exclusive || (has(self.integration) && self.integration == 'Inline')", "fieldPath": ".exclusive", "message": "exclusive requires the integration Inline, in which applications do not call the gateway itself: set integration to Inline, or remove exclusive"},
 *   {"rule": "!has(self.inline) || (has(self.integration) && self.integration != 'Callback')", "fieldPath": ".inline", "message": "inline has no effect with the integration Callback: set integration to Inline or CallbackAndInline, or remove inline"},
 *   {"rule": "!has(self.mode) || self.mode != 'Sidecar' || !has(self.mcp)", "fieldPath": ".mcp", "message": "mcp has no effect in Sidecar mode: remove it, or set mode to Deployment"},
 *   {"rule": "!has(self.mode) || self.mode != 'Sidecar' || !has(self.restore)", "fieldPath": ".restore", "message": "restore has no effect in Sidecar mode, in which no tool can reach the guardrail: remove it, or set mode to Deployment"},
 *   {"rule": "!has(self.mcp) || (has(self.integration) && self.integration != 'Callback')", "fieldPath": ".mcp", "message": "mcp requires that applications call the guardrail, so that the calls of their models and of their tools have the same pseudonyms: set integration to Inline or CallbackAndInline, or remove mcp"},
 *   {"rule": "!has(self.mcp) || !has(self.sessionScope) || self.sessionScope != 'Call'", "fieldPath": ".mcp", "message": "mcp has no effect with the sessionScope Call, in which no pseudonym outlives its call: set sessionScope to User or Conversation, or remove mcp"},
 *   {"rule": "!has(self.mode) || self.mode != 'Sidecar' || !has(self.metricsTokenSecretRef)", "fieldPath": ".metricsTokenSecretRef", "message": "metricsTokenSecretRef has no effect in Sidecar mode, in which the guardrail serves no metrics: remove it, or set mode to Deployment"},
 *   {"rule": "!has(self.policy) || !has(self.policyRef)", "fieldPath": ".policyRef", "reason": "FieldValueForbidden", "message": "policyRef cannot be used together with policy: remove one of the two"},
 *   {"rule": "!has(self.callback) || self.callback != 'Full' || (has(self.images) && self.images == 'Pass' && has(self.remoteImages) && self.remoteImages == 'Pass')", "fieldPath": ".callback", "message": "callback Full shows no images and no files to the guardrail, so that they reach the model unchecked: set images and remoteImages to Pass to accept this, or set callback to Generic"}
 * ]
 */
export interface Guardrail {
  /**
   * How calls pass the guardrail. Callback: the gateway calls the guardrail before and after each model call. Inline: applications call the guardrail at status.guardrail.clientEndpoint, and it forwards their calls to the gateway. Nothing is written to the gateway's configuration then, and the gateway receives no personal data. CallbackAndInline: both, so that applications can call either address. A change between Callback and Inline leads through CallbackAndInline.
   * @default {@link instanceDefaults.guardrail.integration}
   */
  integration?: 'Callback' | 'Inline' | 'CallbackAndInline';
  /** How the guardrail handles the calls of applications. Requires the integration Inline or CallbackAndInline. */
  inline?: GuardrailInline;
  /**
   * The client with which LiteLLM calls the guardrail. Generic: generic_guardrail_api, which shows messages, images and files, and who calls. Full: llm_shield_proxy of LiteLLM 1.106 or later, which shows the texts of more fields and restores more streams. It shows no images and no files, and not who calls: each call has a mapping of its own, which the deletion of a customer does not erase, and a value that is only in a system prompt is not restored.
   * @default {@link instanceDefaults.guardrail.callback}
   */
  callback?: GuardrailCallback;
  /**
   * Whether a NetworkPolicy closes the gateway's own port to everything except the operator and the guardrail, so that no call bypasses the guardrail. Requires the integration Inline, workloadRef, and a network plugin that enforces NetworkPolicies.
   */
  exclusive?: boolean;
  /** Sidecar runs the guardrail in the pods of the gateway and requires workloadRef. Deployment runs it as a separate Deployment. Default: Sidecar if workloadRef is set, otherwise Deployment. */
  mode?: 'Sidecar' | 'Deployment';
  /**
   * Container image. Default: the image of the operator.
   * @minLength 1
   * @maxLength 1024
   */
  image?: string;
  /** Image pull policy. Default: Always if the image tag is latest, otherwise IfNotPresent. */
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /**
   * Names of image pull Secrets in the namespace of this resource. Deployment mode only.
   * @maxItems 16
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 253}
   */
  imagePullSecrets?: string[];
  /**
   * Number of pods. More than one pod requires redis. Default: 2 with redis, otherwise 1.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 1000
   */
  replicas?: number;
  /** Scales the number of pods with a HorizontalPodAutoscaler. Requires redis. */
  autoscaling?: Autoscaling;
  /** Compute resources of the container. Default: requests of 100m CPU, or 500m with autoscaling, and 192Mi memory, and a limit of 1216Mi memory, or 640Mi if no images are redacted, or more if maxBody is larger. The heap size is the memory limit minus the memory of the process that reads images, and of the program. */
  resources?: ResourceRequirements;
  /**
   * Labels of the nodes that may run the guardrail. Deployment mode only.
   * @maxProperties 32
   * @eachValue {"maxLength": 63}
   */
  nodeSelector?: Record<string, string>;
  /**
   * Taints that the guardrail's pods tolerate. Deployment mode only.
   * @maxItems 32
   * @listType atomic
   */
  tolerations?: Toleration[];
  /** NetworkPolicy settings of the guardrail. Deployment mode only. */
  networkPolicy?: GuardrailNetworkPolicy;
  /**
   * The port that the guardrail listens on.
   * @asType integer
   * @format int32
   * @minimum 1024
   * @maximum 65535
   * @default {@link instanceDefaults.guardrail.port}
   */
  port?: number;
  /** Encrypts the calls to the guardrail. Deployment mode only: a sidecar is called within its pod. Default: plain HTTP. The gateway must trust the certificate: the condition ProxyConfigured says how. */
  tls?: GuardrailTls;
  /** Stores the mappings in Redis. Default: in the memory of the guardrail, which then runs as one pod. */
  redis?: RedisStore;
  /**
   * How long a mapping is kept after its last use, for example 30m or 24h.
   * @maxLength 32
   * @default "24h"
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^([0-9]{1,9}(ms|s|m|h))+$') || self.matches('^[0-9]{1,3}d$')", "message": "mappingTTL must be a number of days, or a duration of whole numbers with units (ms, s, m or h), for example 30m, 24h or 7d"},
   *   {"rule": "self.matches('^[0-9]{1,3}d$') ? int(self.replace('d', '')) >= 1 && int(self.replace('d', '')) <= 365 : !self.matches('^([0-9]{1,9}(ms|s|m|h))+$') || (duration(self) >= duration('1s') && duration(self) <= duration('8760h'))", "message": "mappingTTL must be between 1s and 365d, for example 24h"}
   * ]
   */
  mappingTTL?: string;
  /**
   * Enforce replaces personal data. Monitor counts it and changes nothing.
   * @default "Enforce"
   */
  enforcement?: 'Enforce' | 'Monitor';
  /** Whether the guardrail also answers the REST API of Presidio's analyzer and anonymizer, so that a gateway that is a client of Presidio can use it. It sends the key in the Secret status.guardrail.apiKeySecretName, an admin key that no other client should have. Default: false. */
  presidioApi?: boolean;
  /** Puts the guardrail before an MCP server: it gets values in place of pseudonyms, and its clients get pseudonyms in place of values. Agents call status.guardrail.mcpEndpoint. Deployment mode only. Requires the integration Inline or CallbackAndInline. */
  mcp?: GuardrailMcp;
  /**
   * Tools that may restore values at /v1/restore. Each can call nothing else. Deployment mode only. Default: none.
   * @minItems 1
   * @maxItems 16
   * @listType map
   * @listMapKey name
   */
  restore?: GuardrailRestoreRight[];
  /** Uses a Presidio analyzer as the detector. Default: the built-in detector. */
  presidio?: Presidio;
  /**
   * Maximum time that a call waits for the detectors, for example 500ms or 1s.
   * @maxLength 32
   * @default {@link instanceDefaults.guardrail.detectionTimeout}
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^([0-9]{1,6}(ms|s))+$')", "message": "detectionTimeout must be a duration of whole numbers with units (ms or s), for example 500ms or 1s"},
   *   {"rule": "!self.matches('^([0-9]{1,6}(ms|s))+$') || (duration(self) >= duration('10ms') && duration(self) <= duration('20s'))", "message": "detectionTimeout must be between 10ms and 20s, for example 1s"}
   * ]
   */
  detectionTimeout?: string;
  /**
   * What is replaced. Personal replaces what identifies a private person. Confidential also replaces public persons, organisations, places and all URLs. The policy can change each entity type, and the profile of a team.
   * @default "Personal"
   */
  profile?: 'Personal' | 'Confidential';
  /**
   * Trade-off between leaks and over-masking. Precise finds less with fewer errors, Thorough finds more with more errors.
   * @default "Balanced"
   */
  recall?: 'Precise' | 'Balanced' | 'Thorough';
  /**
   * Languages of the texts, as two-letter codes (ISO 639-1). Default: en.
   * @minItems 1
   * @maxItems 32
   * @listType set
   * @eachItem {"pattern": "^[a-z]{2}$", "maxLength": 2}
   */
  languages?: string[];
  /**
   * The scope in which a value has one pseudonym: all calls of a user, one conversation, or one call.
   * @default "User"
   */
  sessionScope?: 'User' | 'Conversation' | 'Call';
  /** Whether calls that name no end user are refused. All people who use the same key share one session for such calls, so that one of them can get values of another. No effect on the calls of the callback Full, in which each call has a session of its own. Default: they are accepted, and the condition GuardrailReady reports them. */
  requireEndUser?: boolean;
  /** The policy, in YAML: actions for entity types, allow and deny lists, custom recognizers, and overrides for teams. Mutually exclusive with policyRef. */
  policy?: TextSource;
  /** The GuardrailPolicy of this guardrail, in the namespace of the instance. What it sets takes precedence over profile, recall, images, remoteImages, unreadText, enforcement and mappingTTL. Mutually exclusive with policy. */
  policyRef?: PolicyRef;
  /** Whether the GuardrailPolicies of customers may be less strict than the policy of this guardrail. Default: what is less strict in them has no effect. */
  allowLooserPolicies?: boolean;
  /**
   * How images in a request are handled. Redact paints over personal data, Block refuses the request, Pass forwards the image unchanged.
   * @default {@link instanceDefaults.guardrail.images}
   */
  images?: 'Redact' | 'Block' | 'Pass';
  /**
   * How images are handled that a request references by URL. Block refuses the request, Pass forwards the URL unchanged.
   * @default "Block"
   */
  remoteImages?: 'Block' | 'Pass';
  /**
   * What happens to text that is found in an image and cannot be read, if images are redacted. Mask paints over it, Block refuses the request, Note forwards it and counts it.
   * @default "Mask"
   */
  unreadText?: 'Mask' | 'Block' | 'Note';
  /**
   * Maximum size of a request body, for example 10Mi. A body needs 20 times its size in memory. If the memory limit in resources is too small, the maximum is lower.
   * @maxLength 16
   * @default "10Mi"
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[1-9][0-9]{0,8}(Ki|Mi)?$')", "message": "maxBody must be a number of bytes, Ki or Mi, for example 10Mi"},
   *   {"rule": "!self.matches('^[1-9][0-9]{0,8}(Ki|Mi)?$') || (quantity(self).compareTo(quantity('1Ki')) >= 0 && quantity(self).compareTo(quantity('256Mi')) <= 0)", "message": "maxBody must be between 1Ki and 256Mi, for example 10Mi"}
   * ]
   */
  maxBody?: string;
  /**
   * Log level of the guardrail. Personal data is not logged at any level.
   * @default "info"
   */
  logLevel?: 'debug' | 'info' | 'warn' | 'error';
  /** Secret with a token of 16 characters or more, without which /metrics of the guardrail is refused. The ServiceMonitor refers to it. Deployment mode only. Default: no token is needed. */
  metricsTokenSecretRef?: SecretKeyRef;
  /** Exports traces, metrics and audit events of the guardrail to an OpenTelemetry collector. They contain no personal data. Default: nothing is exported, and metrics can be scraped. */
  telemetry?: GuardrailTelemetry;
  /** Writes an audit event for each call, for a report on what was hidden and blocked. Default: none. */
  audit?: GuardrailAudit;
}

/** What the operator exports about the customers of an instance at its own /metrics. */
export interface InstanceMetrics {
  /**
   * Whether each customer has metrics of its own: spend, maximum, used share, block and conditions, labelled with the names of the resources and without the customer id. They are about 6 series for each customer. Default: false.
   */
  perCustomer?: boolean;
}

/**
 * Desired state of a gateway and its guardrail.
 * @x-kubernetes-validations [
 *   {"rule": "has(self.endpoint) != has(self.serviceRef)", "message": "either endpoint or serviceRef is required: set exactly one of the two"},
 *   {"rule": "!has(self.guardrail) || !has(self.guardrail.mode) || self.guardrail.mode != 'Sidecar' || has(self.workloadRef)", "fieldPath": ".guardrail.mode", "message": "Sidecar mode requires workloadRef: set it to the gateway's Deployment, or set guardrail.mode to Deployment"},
 *   {"rule": "!has(self.guardrail) || !has(self.guardrail.exclusive) || !self.guardrail.exclusive || has(self.workloadRef)", "fieldPath": ".guardrail.exclusive", "message": "exclusive requires workloadRef, whose pods it closes: set it to the gateway's Deployment, or remove guardrail.exclusive"},
 *   {"rule": "!has(self.unknownCustomers) || self.unknownCustomers != 'Block' || has(self.guardrail)", "fieldPath": ".unknownCustomers", "message": "unknownCustomers Block requires a guardrail, which refuses the calls: set guardrail, or set unknownCustomers to Allow"},
 *   {"rule": "!has(self.unknownCustomers) || self.unknownCustomers != 'Block' || !has(self.guardrail) || !has(self.guardrail.callback) || self.guardrail.callback != 'Full' || (has(self.guardrail.integration) && self.guardrail.integration == 'Inline')", "fieldPath": ".unknownCustomers", "message": "unknownCustomers Block cannot be used with guardrail.callback Full, which names no customer: set guardrail.callback to Generic, or unknownCustomers to Allow"},
 *   {"rule": "!has(self.guardrail) || !has(oldSelf.guardrail) || !has(self.guardrail.integration) || !has(oldSelf.guardrail.integration) || self.guardrail.integration == oldSelf.guardrail.integration || 'CallbackAndInline' in [self.guardrail.integration, oldSelf.guardrail.integration]", "fieldPath": ".guardrail.integration", "message": "integration cannot change between Callback and Inline in one step, because applications still call the old address: set it to CallbackAndInline, wait until status.guardrail.integration is the same, let all applications call the new address, and then set the new value"}
 * ]
 */
export interface GatewayInstanceSpec {
  /**
   * URL of the gateway, for example https://gateway.example.com. The operator does not follow redirects. Mutually exclusive with serviceRef.
   * @maxLength 2048
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') && isURL(self)", "message": "endpoint must be an http or https address without credentials, query or fragment, for example https://gateway.example.com"},
   *   {"rule": "!self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') || !isURL(self) || (url(self).getPort() == '' || (int(url(self).getPort()) >= 1 && int(url(self).getPort()) <= 65535))", "message": "endpoint must have a port between 1 and 65535, for example https://gateway.example.com:4000"}
   * ]
   */
  endpoint?: string;
  /** The Service in front of the gateway. Mutually exclusive with endpoint. */
  serviceRef?: ServiceRef;
  /**
   * Name of the proxy in its settings and in its calls to the guardrail. For LiteLLM: litellm.
   * @maxLength 32
   * @default {@link instanceDefaults.proxyName}
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[a-z][a-z0-9_]*$')", "message": "proxyName must begin with a lowercase letter and contain only lowercase letters, digits and underscores, for example litellm"}
   * ]
   */
  proxyName?: string;
  /** Secret with the master key for the gateway's admin API. */
  masterKeySecretRef: SecretKeyRef;
  /** TLS settings for connections to the gateway. */
  tls?: GatewayTls;
  /**
   * Additional namespaces whose customers may refer to this instance. Customers in its own namespace always may. "*" allows all namespaces.
   * @maxItems 256
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 63, "pattern": "^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$"}
   */
  allowedNamespaces?: string[];
  /**
   * Prefixes of customer ids that are reserved for namespaces. A listed namespace can use only ids with one of its prefixes. No other namespace can use these ids, not even that of the instance. If an id has several reserved prefixes, the longest decides. A namespace that is not listed can use every id without a reserved prefix.
   * @maxItems 256
   * @listType map
   * @listMapKey namespace
   */
  customerIdPrefixes?: CustomerIdPrefixes[];
  /**
   * Which namespaces may have GatewayKeys, and what these keys may be. A key needs one entry that allows all of it. Keys in the namespace of the instance need none. Default: no other namespace may have keys.
   * @maxItems 64
   * @listType atomic
   */
  keyGrants?: KeyGrant[];
  /**
   * Which resources may adopt a customer or a budget that the gateway has already. OwnNamespace: those in the namespace of this instance. AllowedNamespaces: customers of all allowed namespaces, and budgets in the namespace of this instance. Adopting a record means that its spec replaces the record's and that its deletion deletes the record with its spend. None: no resource. spec.adoptionPolicy of a customer or a budget can only be stricter.
   * @default {@link instanceDefaults.adoption}
   */
  adoption?: 'OwnNamespace' | 'AllowedNamespaces' | 'None';
  /**
   * What happens to calls for customers that have no GatewayCustomer. Allow lets them pass. Block makes the guardrail refuse them, and calls that name no customer.
   * @default {@link instanceDefaults.unknownCustomers}
   */
  unknownCustomers?: 'Allow' | 'Block';
  /**
   * The limits of the operator's calls to the gateway's admin API.
   */
  rateLimit?: RateLimit;
  /**
   * Interval at which each customer is compared with the gateway, for example 5m.
   * @maxLength 32
   * @default {@link instanceDefaults.syncInterval}
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^([0-9]{1,9}(s|m|h))+$')", "message": "syncInterval must be a duration of whole numbers with units (s, m or h), for example 5m"},
   *   {"rule": "!self.matches('^([0-9]{1,9}(s|m|h))+$') || (duration(self) >= duration('1s') && duration(self) <= duration('24h'))", "message": "syncInterval must be between 1s and 24h, for example 5m"}
   * ]
   */
  syncInterval?: string;
  /** The budget of customers that have no budget themselves, including customers that the gateway creates. */
  defaultCustomerBudget?: DefaultCustomerBudget;
  /** The gateway's configuration file. If set, the operator writes the default budget and the guardrail into it. */
  proxyConfig?: ProxyConfig;
  /** The gateway's Deployment. The operator restarts it when its configuration changes, and adds the guardrail as a sidecar. */
  workloadRef?: WorkloadRef;
  /** The guardrail that the operator runs for this gateway. Default: none. */
  guardrail?: Guardrail;
  /** What the operator's own metrics say about the customers of this instance. */
  metrics?: InstanceMetrics;
}

/** Numbers of customers that refer to an instance. */
export interface CustomerCounts {
  /**
   * Number of customers in allowed namespaces, and of customers that still have a record because their namespace was allowed before.
   * @asType integer
   * @format int32
   */
  total: number;
  /**
   * Number of customers whose record matches their spec.
   * @asType integer
   * @format int32
   */
  synced: number;
  /**
   * Number of customers whose last reconcile failed.
   * @asType integer
   * @format int32
   */
  failed: number;
}

/** Observed state of the guardrail. */
export interface GuardrailStatus {
  /** How the guardrail runs. */
  mode: 'Sidecar' | 'Deployment';
  /** The integration in use. While spec.guardrail.integration changes, this is the previous one until the new one is ready. */
  integration?: 'Callback' | 'Inline' | 'CallbackAndInline';
  /** URL of the guardrail's API. With the integration Callback, the gateway calls it. */
  endpoint: string;
  /** URL that applications must call: that of the gateway with the integration Callback, that of the guardrail with Inline. With CallbackAndInline, this is that of the guardrail, and applications can also call status.endpoint. */
  clientEndpoint?: string;
  /** URL of the guardrail before the MCP server of spec.guardrail.mcp. A path is appended as at the server, for example /mcp. */
  mcpEndpoint?: string;
  /** Name of the Secret with the guardrail's API key. The gateway sends the value of its key "api-key" as x-api-key. */
  apiKeySecretName: string;
  /** What the guardrail does, according to its policy or else the spec: Enforce or Monitor. */
  enforcement?: 'Enforce' | 'Monitor';
  /** Digest of the policy that the operator has written for the guardrail: the SHA-256 of the file, 32 hexadecimal digits. Absent without a policy. The pods of the guardrail read a new policy within the kubelet's sync period: status.policy says when every pod has it. */
  policyRevision?: string;
  /**
   * When the guardrail last got a call that named no end user, as far as the operator has asked. Absent if such calls are refused, or if sessionScope is not User.
   * @format date-time
   */
  lastCallWithoutEndUser?: string;
  /** The last value of the annotation gateway.guardrail.dev/rotate-api-key that was handled. */
  lastHandledApiKeyRotation?: string;
  /** The last value of the annotation gateway.guardrail.dev/rotate-encryption-key that was handled. */
  lastHandledEncryptionKeyRotation?: string;
}

/** The list of who may call, which the guardrail enforces. */
export interface CustomerListStatus {
  /** Identifies the content of the list that every pod of the guardrail had at enforcedAt. */
  revision: string;
  /**
   * Number of customers in the list.
   * @asType integer
   * @format int32
   */
  customers: number;
  /**
   * The time since which every pod of the guardrail has this list.
   * @format date-time
   */
  enforcedAt: string;
}

/** The policy that every pod of the guardrail has. */
export interface LoadedPolicyStatus {
  /** Digest of the policy, as in status.guardrail.policyRevision. */
  revision: string;
  /**
   * The time since which every pod of the guardrail has this policy.
   * @format date-time
   */
  enforcedAt: string;
}

/** What the operator has created at the gateway for spec.defaultCustomerBudget. */
export interface DefaultBudgetStatus {
  /** Id of the budget row that holds the default budget. Set before the row is created, removed after the row is deleted. */
  rowId?: string;
}

/** Observed state of the gateway and its guardrail. */
export interface GatewayInstanceStatus {
  /** URL of the gateway that is in use. */
  endpoint?: string;
  /** Numbers of customers that refer to this instance. */
  customers?: CustomerCounts;
  /** Observed state of the guardrail. */
  guardrail?: GuardrailStatus;
  /** Status of the condition GuardrailReady. Not set if the spec has no guardrail. */
  guardrailReady?: 'True' | 'False' | 'Unknown';
  /** The list of who may call, which the guardrail enforces. Not set before every pod that takes calls has a list. After a change of the list, the one that every pod has until then; if a pod with an older list becomes ready, that one. */
  customerList?: CustomerListStatus;
  /** The policy of the guardrail, if every pod has it. Not set while pods read another one. */
  policy?: LoadedPolicyStatus;
  /** What the operator has created at the gateway for spec.defaultCustomerBudget. */
  defaultBudget?: DefaultBudgetStatus;
  /**
   * The generation of the spec at which the operator stopped adding the sidecar, because another controller removes it
   * repeatedly. Absent while the operator manages the sidecar.
   * @asType integer
   * @format int64
   */
  sidecarContestedGeneration?: number;
  /**
   * The generation of the resource on which this status is based.
   * @asType integer
   * @format int64
   */
  observedGeneration?: number;
  /**
   * Conditions of the instance: Ready, Reachable, ProxyConfigured, DefaultBudgetEnforced, GuardrailReady, Reconciling (True while the operator works on it or retries) and Stalled (True if it needs a change by a user). Reconciling and Stalled are absent if they are not True.
   * @maxItems 16
   * @listType map
   * @listMapKey type
   */
  conditions?: Condition[];
}

/**
 * GatewayInstance is an AI gateway (proxy) whose customers the operator manages, with an optional guardrail.
 * @categories ["gateway-guardrail"]
 * @printcolumn [
 *   {"name": "Endpoint", "type": "string", "jsonPath": ".status.endpoint", "description": "URL of the gateway."},
 *   {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status", "description": "The status of the condition Ready."},
 *   {"name": "Customers", "type": "integer", "jsonPath": ".status.customers.total", "description": "Number of customers that refer to the instance."},
 *   {"name": "Guardrail", "type": "string", "jsonPath": ".status.guardrailReady", "description": "The status of the condition GuardrailReady. Empty without a guardrail."},
 *   {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp", "description": "The age of the resource."},
 *   {"name": "Synced", "type": "integer", "jsonPath": ".status.customers.synced", "priority": 1, "description": "Number of customers whose record matches their spec."},
 *   {"name": "Failed", "type": "integer", "jsonPath": ".status.customers.failed", "priority": 1, "description": "Number of customers whose last reconcile failed."},
 *   {"name": "Mode", "type": "string", "jsonPath": ".status.guardrail.mode", "priority": 1, "description": "How the guardrail runs."},
 *   {"name": "Integration", "type": "string", "jsonPath": ".status.guardrail.integration", "priority": 1, "description": "How calls pass the guardrail."},
 *   {"name": "Client Endpoint", "type": "string", "jsonPath": ".status.guardrail.clientEndpoint", "priority": 1, "description": "URL that applications must call."},
 *   {"name": "Guardrail Endpoint", "type": "string", "jsonPath": ".status.guardrail.endpoint", "priority": 1, "description": "URL of the guardrail's API."},
 *   {"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].reason", "priority": 1, "description": "The reason of the condition Ready."}
 * ]
 */
export interface GatewayInstance {
  apiVersion: typeof API_VERSION;
  kind: typeof gatewayInstanceNames.kind;
  metadata: ObjectMeta;
  spec: GatewayInstanceSpec;
  status?: GatewayInstanceStatus;
}
