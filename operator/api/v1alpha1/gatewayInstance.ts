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

/** How the API server knows instances. */
export const gatewayInstanceNames = {
  group: GROUP,
  version: VERSION,
  kind: 'GatewayInstance',
  listKind: 'GatewayInstanceList',
  plural: 'gatewayinstances',
  singular: 'gatewayinstance',
  shortName: 'ginst',
} as const satisfies ResourceNames;

/** What holds where a spec says nothing: the CRD takes its defaults from here, too. */
export const instanceDefaults = {
  rateLimit: { qps: 200, burst: 200, maxConcurrent: 16 },
  syncInterval: '5m',
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
   * Whether the gateway speaks http or https on that port.
   * @default "http"
   */
  scheme?: 'http' | 'https';
}

/** How the gateway's certificate is checked. */
export interface GatewayTls {
  /** PEM certificates of the authorities that may have signed the gateway's certificate. Default: the public ones. */
  caSecretRef: SecretKeyRef;
}

/** Limits of the operator's calls to the gateway's admin API. */
export interface RateLimit {
  /**
   * Calls a second, on average.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 10000
   * @default {@link instanceDefaults.rateLimit.qps}
   */
  qps?: number;
  /**
   * Calls that may be made at once after a quiet time.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 10000
   * @default {@link instanceDefaults.rateLimit.burst}
   */
  burst?: number;
  /**
   * Calls that may wait for an answer at the same time.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 1000
   * @default {@link instanceDefaults.rateLimit.maxConcurrent}
   */
  maxConcurrent?: number;
}

/** With what the customer ids of one namespace begin. */
export interface CustomerIdPrefixes {
  /**
   * The namespace of the customers.
   * @minLength 1
   * @maxLength 63
   */
  namespace: string;
  /**
   * The prefixes: spec.customerId of each customer of the namespace must begin with one of them.
   * @minItems 1
   * @maxItems 64
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  prefixes: string[];
}

/**
 * What a customer may spend that has no budget of its own. Exactly one of maxBudget and budgetId is set.
 * @x-kubernetes-validations [
 *   {"rule": "has(self.maxBudget) != has(self.budgetId)", "message": "defaultCustomerBudget needs either maxBudget or budgetId: set exactly one of the two"},
 *   {"rule": "!has(self.budgetDuration) || !has(self.budgetId)", "fieldPath": ".budgetDuration", "reason": "FieldValueForbidden", "message": "budgetDuration cannot be used together with budgetId, whose tier has a period of its own: remove budgetDuration, or replace budgetId by maxBudget"},
 *   {"rule": "!has(self.budgetDuration) || has(self.maxBudget) || has(self.budgetId)", "fieldPath": ".budgetDuration", "reason": "FieldValueForbidden", "message": "budgetDuration needs an amount to count: set maxBudget, too"}
 * ]
 */
export interface DefaultCustomerBudget {
  /**
   * The most that such a customer may spend, in USD: in each period of budgetDuration or, without one, in its whole life.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0", "message": "maxBudget must not be negative: write an amount in USD, or remove defaultCustomerBudget for no limit"}
   * ]
   */
  maxBudget?: number;
  /**
   * After which time the spend of such a customer counts from zero again, as a number with a unit (s, m, h, d, w or mo), such as 1d, 7d or 30d. Default: never, so that maxBudget is a cap for the customer's life: once it is spent, every further call is refused until the amount is raised. Not together with budgetId, whose tier has a period of its own.
   * @maxLength 16
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[1-9][0-9]{0,5}(s|m|h|d|w|mo)$')", "message": "budgetDuration must be a whole number with a unit (s, m, h, d, w or mo): write for example 1d, 7d or 30d"}
   * ]
   */
  budgetDuration?: string;
  /**
   * Id of a budget tier that exists at the gateway.
   * @minLength 1
   * @maxLength 256
   */
  budgetId?: string;
}

/**
 * A text, written here or kept in a ConfigMap. Exactly one of the fields is set.
 * @x-kubernetes-validations [
 *   {"rule": "has(self.inline) != has(self.configMapRef)", "message": "either inline or configMapRef is needed: set exactly one of the two"}
 * ]
 */
export interface TextSource {
  /**
   * The text itself.
   * @maxLength 262144
   */
  inline?: string;
  /** The ConfigMap that holds the text. */
  configMapRef?: ConfigMapKeyRef;
}

/** The gateway's own configuration file: where it comes from, and where the operator writes it. */
export interface ProxyConfig {
  /**
   * The configuration that you keep, in YAML. Its keys, order and comments stay. Default: an empty one.
   * Settings by which requests could bypass the guardrail are left out: the condition ProxyConfigured names them.
   */
  base?: TextSource;
  /** Name of the ConfigMap that the operator writes, in the namespace of this resource, for the gateway to mount. */
  configMapName: ObjectName;
  /**
   * Key within that ConfigMap.
   * @default "config.yaml"
   */
  key?: DataKey;
}

/** The gateway's own Deployment. */
export interface WorkloadRef {
  /** Name of the Deployment, in the namespace of this resource. */
  name: ObjectName;
}

/** Redis as the store of the guardrail's mappings. */
export interface RedisStore {
  /** The address (redis://, rediss://, Sentinel or Cluster) with its password, as the guardrail's setting GUARDRAIL_STORE takes it. */
  urlSecretRef: SecretKeyRef;
}

/** An own Presidio analyzer as the guardrail's detector. */
export interface Presidio {
  /**
   * Address of the Presidio analyzer.
   * @maxLength 2048
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') && isURL(self)", "message": "url must be an http or https address without credentials, query or fragment: write for example http://presidio-analyzer:3000"},
   *   {"rule": "!self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') || !isURL(self) || (url(self).getPort() == '' || (int(url(self).getPort()) >= 1 && int(url(self).getPort()) <= 65535))", "message": "url must have a port between 1 and 65535: write for example http://presidio-analyzer:3000"}
   * ]
   */
  url: string;
  /** Whether the built-in detector is used beside Presidio. Its findings are joined. */
  withBuiltin?: boolean;
}

/** How many guardrail pods an autoscaler may run. */
export interface Autoscaling {
  /**
   * The fewest pods.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 1000
   * @default 2
   */
  minReplicas?: number;
  /**
   * The most pods.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 1000
   */
  maxReplicas: number;
  /**
   * The CPU use, in percent of the request, that the autoscaler aims at.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 100
   * @default 70
   */
  targetCPUUtilizationPercentage?: number;
}

/** An amount of a compute resource, such as 500m or 256Mi. */
export type Quantity = string | number;

/** What a container asks for, and what it may use at most. */
export interface ResourceRequirements {
  /**
   * What is set aside for the container, by resource name.
   * @maxProperties 16
   * @eachValue {"x-kubernetes-int-or-string": true, "maxLength": 64, "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}
   */
  requests?: Record<string, Quantity>;
  /**
   * What the container may use at most, by resource name.
   * @maxProperties 16
   * @eachValue {"x-kubernetes-int-or-string": true, "maxLength": 64, "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}
   */
  limits?: Record<string, Quantity>;
}

/** A taint that the guardrail's pods may be scheduled in spite of. */
export interface Toleration {
  /**
   * Key of the taint. Default: every key.
   * @maxLength 316
   */
  key?: string;
  /** How key and value are compared with the taint's. */
  operator?: 'Exists' | 'Equal';
  /**
   * Value of the taint.
   * @maxLength 63
   */
  value?: string;
  /** Effect of the taint. Default: every effect. */
  effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  /**
   * How long the pod stays on a node with a NoExecute taint.
   * @asType integer
   * @format int64
   * @maximum 9007199254740991
   */
  tolerationSeconds?: number;
}

/** Which clients may reach the guardrail, by a NetworkPolicy. */
export interface GuardrailNetworkPolicy {
  /**
   * Whether the NetworkPolicy is written.
   * @default true
   */
  enabled?: boolean;
  /**
   * Namespaces, by name, from which every pod may call the guardrail beside those of this resource's own namespace.
   * @maxItems 64
   * @listType set
   */
  fromNamespaces?: LabelName[];
}

/**
 * The guardrail that the operator runs for this gateway.
 * @x-kubernetes-validations [
 *   {"rule": "!has(self.autoscaling) || !has(self.replicas)", "message": "replicas cannot be used together with autoscaling, which owns the number of pods: remove one of the two"},
 *   {"rule": "!has(self.mode) || self.mode != 'Sidecar' || (!has(self.autoscaling) && !has(self.replicas))", "message": "replicas and autoscaling have no effect in Sidecar mode, where each gateway pod has its own guardrail: remove them, or set mode to Deployment"}
 * ]
 */
export interface Guardrail {
  /** Whether the guardrail runs beside the gateway in its pods (needs workloadRef), or as a Deployment of its own. Default: Sidecar where workloadRef is set, else Deployment. */
  mode?: 'Sidecar' | 'Deployment';
  /**
   * The container image. Default: the image of the operator.
   * @minLength 1
   * @maxLength 1024
   */
  image?: string;
  /** When the image is pulled. Default: as Kubernetes decides by the image's tag. */
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /**
   * Names of the Secrets, in the namespace of this resource, to pull the image with. Deployment mode only.
   * @maxItems 16
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 253}
   */
  imagePullSecrets?: string[];
  /**
   * How many pods run. More than one needs redis. Default: 2 with redis, else 1.
   * @asType integer
   * @format int32
   * @minimum 1
   * @maximum 1000
   */
  replicas?: number;
  /** Lets an autoscaler choose the number of pods. Needs redis. */
  autoscaling?: Autoscaling;
  /** What the container asks for, and what it may use at most. Default: requests of 100m CPU and 192Mi memory, a limit of 896Mi memory, or more where maxBody is larger. The heap is what reading images and the program leave of the limit. */
  resources?: ResourceRequirements;
  /**
   * Labels that a node must have to run the guardrail. Deployment mode only.
   * @maxProperties 32
   * @eachValue {"maxLength": 63}
   */
  nodeSelector?: Record<string, string>;
  /**
   * Taints that the guardrail's pods may be scheduled in spite of. Deployment mode only.
   * @maxItems 32
   * @listType atomic
   */
  tolerations?: Toleration[];
  /** Who may reach the guardrail over the network. Deployment mode only. */
  networkPolicy?: GuardrailNetworkPolicy;
  /**
   * The port that the guardrail listens on.
   * @asType integer
   * @format int32
   * @minimum 1024
   * @maximum 65535
   * @default 8080
   */
  port?: number;
  /** Keeps the mappings in Redis. Default: in the memory of the guardrail, which then runs as one pod. */
  redis?: RedisStore;
  /**
   * How long a mapping is kept after its last use, such as 30m or 24h.
   * @maxLength 32
   * @default "24h"
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^([0-9]{1,9}(ms|s|m|h))+$') || self.matches('^[0-9]{1,3}d$')", "message": "mappingTTL must be a number of days, or a duration of whole numbers with units (ms, s, m or h): write for example 30m, 24h or 7d"},
   *   {"rule": "self.matches('^[0-9]{1,3}d$') ? int(self.replace('d', '')) >= 1 && int(self.replace('d', '')) <= 365 : !self.matches('^([0-9]{1,9}(ms|s|m|h))+$') || (duration(self) >= duration('1s') && duration(self) <= duration('8760h'))", "message": "mappingTTL must be between 1s and 365d: write for example 24h"}
   * ]
   */
  mappingTTL?: string;
  /**
   * Enforce replaces what is found. Monitor counts it and changes nothing.
   * @default "Enforce"
   */
  enforcement?: 'Enforce' | 'Monitor';
  /** Detects with a Presidio analyzer. Default: with the built-in detector. */
  presidio?: Presidio;
  /**
   * How long a call waits for the detectors, such as 500ms or 1s.
   * @maxLength 32
   * @default "1s"
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^([0-9]{1,6}(ms|s))+$')", "message": "detectionTimeout must be a duration of whole numbers with units (ms or s): write for example 500ms or 1s"},
   *   {"rule": "!self.matches('^([0-9]{1,6}(ms|s))+$') || (duration(self) >= duration('10ms') && duration(self) <= duration('20s'))", "message": "detectionTimeout must be between 10ms and 20s: write for example 1s"}
   * ]
   */
  detectionTimeout?: string;
  /**
   * Precise finds less and errs less, Thorough finds more and errs more.
   * @default "Balanced"
   */
  recall?: 'Precise' | 'Balanced' | 'Thorough';
  /**
   * Languages of the texts, as two-letter codes. Default: en.
   * @minItems 1
   * @maxItems 32
   * @listType set
   * @eachItem {"pattern": "^[a-z]{2}$", "maxLength": 2}
   */
  languages?: string[];
  /**
   * What the same value keeps its pseudonym over: all calls of a user, one conversation, or one call.
   * @default "User"
   */
  sessionScope?: 'User' | 'Conversation' | 'Call';
  /** What happens to each type of entity, allow and deny lists, own recognizers and overrides for teams, in YAML. */
  policy?: TextSource;
  /**
   * What happens to images in a request.
   * @default "Redact"
   */
  images?: 'Redact' | 'Block' | 'Pass';
  /**
   * What happens to images that a request names by address.
   * @default "Block"
   */
  remoteImages?: 'Block' | 'Pass';
  /**
   * The largest request body, such as 10Mi. A body needs 20 times its size in memory: less of it is accepted where a memory limit in resources is too small.
   * @maxLength 16
   * @default "10Mi"
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[1-9][0-9]{0,8}(Ki|Mi)?$')", "message": "maxBody must be a number of bytes, Ki or Mi: write for example 10Mi"},
   *   {"rule": "!self.matches('^[1-9][0-9]{0,8}(Ki|Mi)?$') || (quantity(self).compareTo(quantity('1Ki')) >= 0 && quantity(self).compareTo(quantity('256Mi')) <= 0)", "message": "maxBody must be between 1Ki and 256Mi: write for example 10Mi"}
   * ]
   */
  maxBody?: string;
  /**
   * How much the guardrail logs. Personal values are in no log at any level.
   * @default "info"
   */
  logLevel?: 'debug' | 'info' | 'warn' | 'error';
}

/**
 * A gateway, and what the operator does for it.
 * @x-kubernetes-validations [
 *   {"rule": "has(self.endpoint) != has(self.serviceRef)", "message": "either endpoint or serviceRef is needed: set exactly one of the two"},
 *   {"rule": "!has(self.guardrail) || !has(self.guardrail.mode) || self.guardrail.mode != 'Sidecar' || has(self.workloadRef)", "fieldPath": ".guardrail.mode", "message": "Sidecar mode needs workloadRef: name the gateway's Deployment there, or set guardrail.mode to Deployment"}
 * ]
 */
export interface GatewayInstanceSpec {
  /**
   * Address of the gateway, such as https://gateway.example.com. Redirects are not followed. Not together with serviceRef.
   * @maxLength 2048
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') && isURL(self)", "message": "endpoint must be an http or https address without credentials, query or fragment: write for example https://gateway.example.com"},
   *   {"rule": "!self.matches('^https?://([-._a-zA-Z0-9]+|[[][0-9a-fA-F:.]+[]])(:[0-9]{1,5})?(/[^?#[:cntrl:][:space:]]*)?$') || !isURL(self) || (url(self).getPort() == '' || (int(url(self).getPort()) >= 1 && int(url(self).getPort()) <= 65535))", "message": "endpoint must have a port between 1 and 65535: write for example https://gateway.example.com:4000"}
   * ]
   */
  endpoint?: string;
  /** The Service in front of the gateway. Not together with endpoint. */
  serviceRef?: ServiceRef;
  /**
   * The proxy's own name, as it occurs in its settings and in its calls of the guardrail: litellm for LiteLLM.
   * @maxLength 32
   * @default "gateway"
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[a-z][a-z0-9_]*$')", "message": "proxyName must begin with a small letter and hold only small letters, digits and underscores: write for example litellm"}
   * ]
   */
  proxyName?: string;
  /** The key with which the operator calls the gateway's admin API. */
  masterKeySecretRef: SecretKeyRef;
  /** How the gateway's certificate is checked. */
  tls?: GatewayTls;
  /**
   * Namespaces whose customers may refer to this instance, beside its own. "*" allows every one.
   * @maxItems 256
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 63, "pattern": "^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$"}
   */
  allowedNamespaces?: string[];
  /**
   * With what the customer ids of single namespaces must begin, so that no namespace names customers of another. Default: a namespace that is not listed may use every id.
   * @maxItems 256
   * @listType map
   * @listMapKey namespace
   */
  customerIdPrefixes?: CustomerIdPrefixes[];
  /** Limits of the operator's calls to the gateway's admin API. */
  rateLimit?: RateLimit;
  /**
   * How often each customer is compared with the gateway, such as 5m.
   * @maxLength 32
   * @default {@link instanceDefaults.syncInterval}
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^([0-9]{1,9}(s|m|h))+$')", "message": "syncInterval must be a duration of whole numbers with units (s, m or h): write for example 5m"},
   *   {"rule": "!self.matches('^([0-9]{1,9}(s|m|h))+$') || (duration(self) >= duration('1s') && duration(self) <= duration('24h'))", "message": "syncInterval must be between 1s and 24h: write for example 5m"}
   * ]
   */
  syncInterval?: string;
  /** What a customer may spend that has no budget of its own, including customers that the gateway creates by itself. */
  defaultCustomerBudget?: DefaultCustomerBudget;
  /** Lets the operator write the gateway's configuration: the default budget, and the entry that makes it call the guardrail. */
  proxyConfig?: ProxyConfig;
  /** The gateway's own Deployment: rolled when its configuration changes, and home of the sidecar. */
  workloadRef?: WorkloadRef;
  /** The guardrail that the operator runs for this gateway. Default: none. */
  guardrail?: Guardrail;
}

/** How many customers refer to an instance. */
export interface CustomerCounts {
  /**
   * All that refer to it from a namespace that it allows, or whose record it has held since their namespace was allowed.
   * @asType integer
   * @format int32
   */
  total: number;
  /**
   * Those whose record agrees with their spec.
   * @asType integer
   * @format int32
   */
  synced: number;
  /**
   * Those whose last reconcile failed.
   * @asType integer
   * @format int32
   */
  failed: number;
}

/** The guardrail as it runs. */
export interface GuardrailStatus {
  /** How it runs. */
  mode: 'Sidecar' | 'Deployment';
  /** Address at which the gateway calls it. */
  endpoint: string;
  /** Name of the Secret whose key "api-key" the gateway sends as x-api-key. */
  apiKeySecretName: string;
  /** The last value of the annotation gateway.guardrail.dev/rotate-api-key that was acted on. */
  lastHandledApiKeyRotation?: string;
  /** The last value of the annotation gateway.guardrail.dev/rotate-encryption-key that was acted on. */
  lastHandledEncryptionKeyRotation?: string;
}

/** The gateway and its guardrail as they were last seen. */
export interface GatewayInstanceStatus {
  /** Address of the gateway that is in use. */
  endpoint?: string;
  /** How many customers refer to this instance. */
  customers?: CustomerCounts;
  /** The guardrail as it runs. */
  guardrail?: GuardrailStatus;
  /** The status of the condition GuardrailReady. Absent where the spec asks for no guardrail. */
  guardrailReady?: 'True' | 'False' | 'Unknown';
  /**
   * The generation of the spec that this status was found for.
   * @asType integer
   * @format int64
   */
  observedGeneration?: number;
  /**
   * What holds for this instance: Ready, Reachable, ProxyConfigured, DefaultBudgetEnforced, GuardrailReady.
   * @maxItems 16
   * @listType map
   * @listMapKey type
   */
  conditions?: Condition[];
}

/**
 * An AI gateway (proxy) whose customers the operator manages, and the guardrail that it runs for the gateway.
 * @printcolumn [
 *   {"name": "Endpoint", "type": "string", "jsonPath": ".status.endpoint", "description": "Address of the gateway."},
 *   {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status", "description": "Whether all that was asked for holds."},
 *   {"name": "Customers", "type": "integer", "jsonPath": ".status.customers.total", "description": "How many customers refer to the instance."},
 *   {"name": "Guardrail", "type": "string", "jsonPath": ".status.guardrailReady", "description": "Whether the guardrail is ready; empty where none is asked for."},
 *   {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp", "description": "How long the resource has existed."},
 *   {"name": "Synced", "type": "integer", "jsonPath": ".status.customers.synced", "priority": 1, "description": "How many customers agree with their spec."},
 *   {"name": "Failed", "type": "integer", "jsonPath": ".status.customers.failed", "priority": 1, "description": "How many customers failed in their last reconcile."},
 *   {"name": "Mode", "type": "string", "jsonPath": ".status.guardrail.mode", "priority": 1, "description": "How the guardrail runs."},
 *   {"name": "Guardrail Endpoint", "type": "string", "jsonPath": ".status.guardrail.endpoint", "priority": 1, "description": "Address at which the gateway calls the guardrail."},
 *   {"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].reason", "priority": 1, "description": "Why the instance is, or is not, ready."}
 * ]
 */
export interface GatewayInstance {
  apiVersion: typeof API_VERSION;
  kind: typeof gatewayInstanceNames.kind;
  metadata: ObjectMeta;
  spec: GatewayInstanceSpec;
  status?: GatewayInstanceStatus;
}
