/** Types and names that all kinds share. `npm run generate` generates the CRDs from these types. */

/** The API group of every resource of this project. */
export const GROUP = 'gateway.guardrail.dev';
/** The only version of the API. */
export const VERSION = 'v1alpha1';
/** `apiVersion` of every resource of this project. */
export const API_VERSION = `${GROUP}/${VERSION}` as const;

/**
 * Revision of the CRDs, an annotation on them. Raise it in each release that changes a CRD: an operator replaces a CRD of
 * a lower revision, and never one of a higher revision.
 */
export const CRD_REVISION = 2;

/** The names under which the API server knows a kind. */
export interface ResourceNames {
  readonly group: typeof GROUP;
  readonly version: typeof VERSION;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortName: string;
}

/** Annotations that the operator reads or writes. */
export const annotations = {
  /**
   * `"true"` on any kind pauses reconciliation of the resource; its deletion waits. Pausing an instance does not pause its
   * customers and budgets.
   */
  paused: `${GROUP}/paused`,
  /** A new value on a customer, a budget or a key makes the operator compare it with the gateway at once. */
  syncRequested: `${GROUP}/sync-requested`,
  /** `"true"` on a resource that is being deleted removes its finalizer although finalization does not succeed. */
  forceDelete: `${GROUP}/force-delete`,
  /** A new value on an instance makes the operator generate a new API key for the guardrail. */
  rotateApiKey: `${GROUP}/rotate-api-key`,
  /** A new value on an instance makes the operator add a new encryption key to the guardrail, for new mappings. */
  rotateEncryptionKey: `${GROUP}/rotate-encryption-key`,
  /** A new value on a key makes the operator write a new key into its Secret. On the Secret: the last value that was handled. */
  rotateKey: `${GROUP}/rotate-key`,
  /** On the Secret of a key: the name of its GatewayKey. */
  keyName: `${GROUP}/key`,
  /** On the Secret of a key: when the operator wrote the key into it. */
  keyRotatedAt: `${GROUP}/rotated-at`,
  /**
   * Set by the operator on a customer, a budget or a key, with its finalizer, before its first write at the gateway: a signed
   * mark that this resource owns its object there. Keep it in backups: a resource that is restored without its status owns
   * its object by this mark. On another resource, it has no effect.
   */
  ownerMark: `${GROUP}/owner-mark`,
  /** On the CRDs: their revision, an integer. An operator replaces a CRD of a lower revision only. */
  crdRevision: `${GROUP}/crd-revision`,
  /** On pod templates: hash of their configuration, so that a change starts a rollout. */
  configHash: `${GROUP}/config-hash`,
  /** On the gateway's pod template, in addition to `config-hash`: hash of the sidecar's configuration. */
  guardrailHash: `${GROUP}/guardrail-hash`,
  /** On the gateway's pod template: digest of its API key, so that a rotation starts a rollout. */
  apiKeyHash: `${GROUP}/api-key-hash`,
  /** On the gateway's pod template: digest of the certificates with which it calls the guardrail, so that a change starts a rollout. */
  trustHash: `${GROUP}/trust-hash`,
  /** On the gateway's ConfigMap: the guardrail address in it. */
  guardrailEndpoint: `${GROUP}/guardrail-endpoint`,
  /** On the gateway's ConfigMap: the id of the default budget in it. */
  defaultBudgetId: `${GROUP}/default-budget-id`,
  /** On pod templates and the operator's Secrets: raised when keys are added that every pod must read. */
  keyRevision: `${GROUP}/key-revision`,
} as const;

/** The finalizer of all kinds. */
export const FINALIZER = `${GROUP}/finalizer`;

/** An owner reference of Kubernetes. Not part of the generated schema. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Metadata as JSON: timestamps are RFC 3339 strings. Not part of the generated schema. */
export interface ObjectMeta {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  generation: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

/** One aspect of the current state of a resource. */
export interface Condition {
  /**
   * Type of the condition, in CamelCase.
   * @maxLength 316
   * @pattern ^[A-Za-z][A-Za-z0-9]*$
   */
  type: string;
  /** Status of the condition: True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown';
  /**
   * The generation of the resource on which the condition is based.
   * @asType integer
   * @format int64
   */
  observedGeneration?: number;
  /**
   * The last time that the condition changed from one status to another.
   * @format date-time
   */
  lastTransitionTime: string;
  /**
   * Machine-readable reason for the last transition of the condition, in CamelCase.
   * @minLength 1
   * @maxLength 1024
   * @pattern ^[A-Za-z][A-Za-z0-9]*$
   */
  reason: string;
  /**
   * Human-readable details about the last transition of the condition.
   * @maxLength 32768
   */
  message: string;
}

/**
 * Name of a resource: a DNS subdomain (RFC 1123).
 * @minLength 1
 * @maxLength 253
 * @pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$
 */
export type ObjectName = string;

/**
 * Name of a namespace or a Service: a DNS label (RFC 1123).
 * @minLength 1
 * @maxLength 63
 * @pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$
 */
export type LabelName = string;

/**
 * A key in the data of a Secret or a ConfigMap.
 * @minLength 1
 * @maxLength 253
 * @pattern ^[-._a-zA-Z0-9]+$
 */
export type DataKey = string;

/** One key of a Secret in the resource's own namespace. */
export interface SecretKeyRef {
  /** Name of the Secret, in the namespace of this resource. */
  name: ObjectName;
  /** Key in the data of the Secret. */
  key: DataKey;
}

/** One key of a ConfigMap in the resource's own namespace. */
export interface ConfigMapKeyRef {
  /** Name of the ConfigMap, in the namespace of this resource. */
  name: ObjectName;
  /** Key in the data of the ConfigMap. */
  key: DataKey;
}
