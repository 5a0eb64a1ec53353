import type { API_VERSION, Condition, ObjectMeta, ResourceNames, SecretKeyRef } from './common.ts';
import { GROUP, VERSION } from './common.ts';
import type { InstanceRef } from './gatewayCustomer.ts';

/** Names of the kind at the API server. */
export const gatewayKeyNames = {
  group: GROUP,
  version: VERSION,
  kind: 'GatewayKey',
  listKind: 'GatewayKeyList',
  plural: 'gatewaykeys',
  singular: 'gatewaykey',
  shortName: 'gkey',
} as const satisfies ResourceNames;

/** Defaults of the spec, also for the generated CRD. */
export const keyDefaults = { rotationGracePeriod: '1h' } as const;

/**
 * Desired state of the key at the gateway.
 * @x-kubernetes-validations [
 *   {"rule": "has(self.teamId) == has(oldSelf.teamId) && (!has(self.teamId) || self.teamId == oldSelf.teamId)", "fieldPath": ".teamId", "message": "teamId cannot be changed, set or removed: create another GatewayKey with the new team, and delete this one"}
 * ]
 */
export interface GatewayKeySpec {
  /**
   * The GatewayInstance that this key belongs to, which must let the namespace of the key have keys: see its spec.keyGrants. Immutable.
   * @x-kubernetes-validations [
   *   {"rule": "self == oldSelf", "message": "instanceRef cannot be changed: create another GatewayKey for the other instance, and delete this one"}
   * ]
   */
  instanceRef: InstanceRef;
  /**
   * The Secret that the operator creates for the key, in the namespace of this resource. A Secret that exists already is never changed. Immutable.
   * @x-kubernetes-validations [
   *   {"rule": "self == oldSelf", "message": "secretRef cannot be changed: create another GatewayKey with the other Secret, and delete this one"}
   * ]
   */
  secretRef: SecretKeyRef;
  /**
   * The id of the team that the key belongs to, at the gateway. The limits of the team apply too. Default: no team. Immutable.
   * @minLength 1
   * @maxLength 256
   */
  teamId?: string;
  /**
   * The models that the key may call. Default: all models, or those of the team.
   * @maxItems 1024
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  models?: string[];
  /**
   * The maximum amount that may be spent with the key, in USD, per budgetDuration. Without budgetDuration, the amount is a lifetime limit. A rotation does not reset the spend.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0", "message": "maxBudget must not be negative: set an amount in USD, or remove maxBudget for no limit"}
   * ]
   */
  maxBudget?: number;
  /**
   * The period after which the spend is reset to zero, as a number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d. Default: the spend is never reset, and maxBudget is a lifetime limit.
   * @maxLength 16
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[1-9][0-9]{0,5}(s|m|h|d|w|mo)$')", "message": "budgetDuration must be a whole number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d"}
   * ]
   */
  budgetDuration?: string;
  /**
   * The maximum number of tokens per minute.
   * @asType integer
   * @format int64
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0", "message": "tpmLimit must not be negative: set a number of tokens per minute, or remove tpmLimit for no limit"},
   *   {"rule": "self <= 9007199254740991", "message": "tpmLimit must be at most 9007199254740991: remove tpmLimit for no limit"}
   * ]
   */
  tpmLimit?: number;
  /**
   * The maximum number of requests per minute. 0 rejects every request.
   * @asType integer
   * @format int64
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0", "message": "rpmLimit must not be negative: set a number of requests per minute, or remove rpmLimit for no limit"},
   *   {"rule": "self <= 9007199254740991", "message": "rpmLimit must be at most 9007199254740991: remove rpmLimit for no limit"}
   * ]
   */
  rpmLimit?: number;
  /**
   * The maximum number of concurrent requests.
   * @asType integer
   * @format int32
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0", "message": "maxParallelRequests must not be negative: set a number of requests, or remove maxParallelRequests for no limit"}
   * ]
   */
  maxParallelRequests?: number;
  /**
   * How often the key is replaced by a new one, as a number with a unit (m, h or d), for example 30d. Default: only on request, by the annotation gateway.guardrail.dev/rotate-key.
   * @maxLength 16
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[1-9][0-9]{0,5}(m|h|d)$')", "message": "rotationInterval must be a whole number with a unit (m, h or d), for example 24h or 30d"}
   * ]
   */
  rotationInterval?: string;
  /**
   * How long the previous key stays valid after a new one is in the Secret, as a number with a unit (m, h or d). Pods must read the Secret again within this time: those that have the key in an environment variable must start again.
   * @maxLength 16
   * @default {@link keyDefaults.rotationGracePeriod}
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^(0|[1-9][0-9]{0,5})(m|h|d)$')", "message": "rotationGracePeriod must be a whole number with a unit (m, h or d), for example 10m or 1h"}
   * ]
   */
  rotationGracePeriod?: string;
  /**
   * What happens to the gateway's key when this resource is deleted. Delete deletes the key and the Secret, Orphan leaves both.
   * @default "Delete"
   */
  deletionPolicy?: 'Delete' | 'Orphan';
}

/** Observed state of the key at the gateway. It contains nothing of the key. */
export interface GatewayKeyStatus {
  /** The identity of the key: 64 hexadecimal digits that stay the same when the key is rotated. spec.allowedCallers.keyHashes of a GatewayCustomer may name it. It is no hash of the key. */
  keyId?: string;
  /**
   * When the key in the Secret was written.
   * @format date-time
   */
  lastRotationTime?: string;
  /**
   * Number of keys that the gateway accepts: 2 from a rotation until the previous key is deleted.
   * @asType integer
   * @format int32
   */
  liveKeys?: number;
  /**
   * The last time that the gateway's key matched the spec. A sync without changes updates this field once an hour. Failures and pauses do not update it.
   * @format date-time
   */
  lastSyncTime?: string;
  /**
   * The generation of the resource on which this status is based.
   * @asType integer
   * @format int64
   */
  observedGeneration?: number;
  /** Hash of the spec that was last applied to the gateway. */
  specHash?: string;
  /** Keyed digest of the address of the gateway that this status is about. */
  gateway?: string;
  /** What this resource owns at the gateway. Owned: the key. NotAllowed: the key, but the instance no longer allows this resource. Absent: nothing is known yet. */
  ownership?: 'Owned' | 'NotAllowed';
  /**
   * The fields that the operator has set at the gateway. The operator clears only these fields.
   * @maxItems 64
   * @listType set
   * @eachItem {"maxLength": 64}
   */
  appliedFields?: string[];
  /** The last value of the annotation gateway.guardrail.dev/sync-requested that was handled. */
  lastHandledSyncRequest?: string;
  /**
   * Conditions of the key: Ready (the gateway's key matches the spec and is in the Secret), Reconciling (True while the operator works on it or retries) and Stalled (True if it needs a change by a user). Reconciling and Stalled are absent if they are not True.
   * @maxItems 16
   * @listType map
   * @listMapKey type
   */
  conditions?: Condition[];
}

/**
 * GatewayKey is an API key (virtual key) of an AI gateway, which the operator writes into a Secret and rotates.
 * @categories ["gateway-guardrail"]
 * @printcolumn [
 *   {"name": "Secret", "type": "string", "jsonPath": ".spec.secretRef.name", "description": "The Secret that contains the key."},
 *   {"name": "Instance", "type": "string", "jsonPath": ".spec.instanceRef.name", "description": "The GatewayInstance of the key."},
 *   {"name": "MaxBudget", "type": "number", "jsonPath": ".spec.maxBudget", "description": "The maximum amount that may be spent with the key, in USD."},
 *   {"name": "Rotated", "type": "date", "jsonPath": ".status.lastRotationTime", "description": "The time since the key was written into the Secret."},
 *   {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status", "description": "The status of the condition Ready."},
 *   {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp", "description": "The age of the resource."},
 *   {"name": "Team", "type": "string", "jsonPath": ".spec.teamId", "priority": 1, "description": "The team of the key."},
 *   {"name": "Live", "type": "integer", "jsonPath": ".status.liveKeys", "priority": 1, "description": "Number of keys that the gateway accepts."},
 *   {"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].reason", "priority": 1, "description": "The reason of the condition Ready."},
 *   {"name": "Last Sync", "type": "date", "jsonPath": ".status.lastSyncTime", "priority": 1, "description": "The last successful sync."}
 * ]
 */
export interface GatewayKey {
  apiVersion: typeof API_VERSION;
  kind: typeof gatewayKeyNames.kind;
  metadata: ObjectMeta;
  spec: GatewayKeySpec;
  status?: GatewayKeyStatus;
}
