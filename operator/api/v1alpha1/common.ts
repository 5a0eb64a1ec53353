/** What both kinds of this API share. The CRDs are generated from these types: `npm run generate`. */

/** The API group of every resource of this project. */
export const GROUP = 'gateway.guardrail.dev';
/** The only version of the API so far. */
export const VERSION = 'v1alpha1';
/** `apiVersion` of every resource of this project. */
export const API_VERSION = `${GROUP}/${VERSION}` as const;

/**
 * Revision of our CRDs, written on them. To be raised in each release that changes one: an operator replaces a CRD of a
 * lower revision, and leaves one of a higher revision alone.
 */
export const CRD_REVISION = 1;

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

/** Annotations and labels that mean something to the operator. */
export const annotations = {
  /**
   * `"true"` on either kind: the operator leaves the resource and what belongs to it alone, and its deletion waits. The
   * customers of a paused instance do not belong to it: each has an annotation of its own.
   */
  paused: `${GROUP}/paused`,
  /** Any new value on a customer makes the operator compare it with the gateway at once. */
  syncRequested: `${GROUP}/sync-requested`,
  /** `"true"` on a resource that is being deleted: lets go of a finalizer that cannot succeed. */
  forceDelete: `${GROUP}/force-delete`,
  /** Any new value on an instance makes the operator generate a new API key for the guardrail. */
  rotateApiKey: `${GROUP}/rotate-api-key`,
  /** Any new value on an instance makes the operator put a new encryption key in front of the guardrail's key ring. */
  rotateEncryptionKey: `${GROUP}/rotate-encryption-key`,
  /**
   * Written by the operator on a customer, with its finalizer, before its first `POST /customer/new`. It stays there, since
   * taking it off would be a third write for each customer, and means nothing any more once the status has a `specHash`.
   */
  createPending: `${GROUP}/create-pending`,
  /** Written on our CRDs: their revision, a whole number. An operator never replaces a CRD of a higher one. */
  crdRevision: `${GROUP}/crd-revision`,
  /** Written on pod templates: what they were configured with, so that a change rolls them. */
  configHash: `${GROUP}/config-hash`,
  /** Written on the gateway's pod template beside {@link annotations.configHash}: what its sidecar was configured with. */
  guardrailHash: `${GROUP}/guardrail-hash`,
  /** Written on the gateway's pod template: digest of the API key that it starts with, so that a rotation rolls it. */
  apiKeyHash: `${GROUP}/api-key-hash`,
  /** Written on the ConfigMap for the gateway: where it makes the gateway call the guardrail. */
  guardrailEndpoint: `${GROUP}/guardrail-endpoint`,
  /** Written on the ConfigMap for the gateway: the budget row that it makes the gateway apply by default. */
  defaultBudgetId: `${GROUP}/default-budget-id`,
  /** Written on pod templates and on our Secrets: raised when keys were added that every pod must have read. */
  keyRevision: `${GROUP}/key-revision`,
} as const;

/** The finalizer on both kinds. */
export const FINALIZER = `${GROUP}/finalizer`;

/** One owner, as Kubernetes keeps it. Never part of the generated schema. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Metadata as it comes over the wire: timestamps are RFC 3339 strings. Never part of the generated schema. */
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

/** One aspect of a resource's state, as observed at a generation of its spec. */
export interface Condition {
  /**
   * The aspect that this condition tells about.
   * @maxLength 316
   * @pattern ^[A-Za-z][A-Za-z0-9]*$
   */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown';
  /**
   * The generation of the spec that this condition was found for.
   * @asType integer
   * @format int64
   */
  observedGeneration?: number;
  /**
   * When the status of this condition last changed.
   * @format date-time
   */
  lastTransitionTime: string;
  /**
   * Why the condition has its status, in one word for programs.
   * @minLength 1
   * @maxLength 1024
   * @pattern ^[A-Za-z][A-Za-z0-9]*$
   */
  reason: string;
  /**
   * Why the condition has its status, in a sentence for people.
   * @maxLength 32768
   */
  message: string;
}

/**
 * A name of a resource as Kubernetes takes it for most kinds: a DNS subdomain (RFC 1123).
 * @minLength 1
 * @maxLength 253
 * @pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$
 */
export type ObjectName = string;

/**
 * A name of a namespace or a Service: a DNS label (RFC 1123).
 * @minLength 1
 * @maxLength 63
 * @pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$
 */
export type LabelName = string;

/**
 * A key within the data of a Secret or a ConfigMap.
 * @minLength 1
 * @maxLength 253
 * @pattern ^[-._a-zA-Z0-9]+$
 */
export type DataKey = string;

/** One key of a Secret in the resource's own namespace. */
export interface SecretKeyRef {
  /** Name of the Secret, in the namespace of this resource. */
  name: ObjectName;
  /** Key within the Secret's data. */
  key: DataKey;
}

/** One key of a ConfigMap in the resource's own namespace. */
export interface ConfigMapKeyRef {
  /** Name of the ConfigMap, in the namespace of this resource. */
  name: ObjectName;
  /** Key within the ConfigMap's data. */
  key: DataKey;
}
