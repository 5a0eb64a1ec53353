import type { API_VERSION, Condition, LabelName, ObjectMeta, ObjectName, ResourceNames } from './common.ts';
import { GROUP, VERSION } from './common.ts';

/** Names of the kind at the API server. */
export const gatewayCustomerNames = {
  group: GROUP,
  version: VERSION,
  kind: 'GatewayCustomer',
  listKind: 'GatewayCustomerList',
  plural: 'gatewaycustomers',
  singular: 'gatewaycustomer',
  shortName: 'gcust',
} as const satisfies ResourceNames;

/** Reference to the GatewayInstance of a customer. */
export interface InstanceRef {
  /** Name of the GatewayInstance. */
  name: ObjectName;
  /** Namespace of the GatewayInstance, which must allow the customer's namespace. Default: the namespace of the customer. */
  namespace?: LabelName;
}

/** Reference to the GatewayBudget of a customer. */
export interface BudgetRef {
  /** Name of the GatewayBudget. It must belong to the GatewayInstance of the customer. */
  name: ObjectName;
  /** Namespace of the GatewayBudget: that of the customer, or that of its GatewayInstance. Default: the namespace of the customer. */
  namespace?: LabelName;
}

/** Reference to the GuardrailPolicy of a customer. */
export interface CustomerPolicyRef {
  /** Name of the GuardrailPolicy. */
  name: ObjectName;
  /** Namespace of the GuardrailPolicy: that of the customer, or that of its GatewayInstance. Default: the namespace of the customer. */
  namespace?: LabelName;
}

/** The MCP servers, access groups, vector stores and agents that a customer may use. */
export interface ObjectPermission {
  /**
   * Names of the MCP servers that the customer may use.
   * @maxItems 256
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  mcpServers?: string[];
  /**
   * Names of the MCP access groups that the customer belongs to.
   * @maxItems 256
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  accessGroups?: string[];
  /**
   * Names of the vector stores that the customer may use.
   * @maxItems 256
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  vectorStores?: string[];
  /**
   * Names of the agents that the customer may use.
   * @maxItems 256
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  agents?: string[];
}

/**
 * Who may call for a customer: callers with one of the teams or one of the API keys.
 * @x-kubernetes-validations [
 *   {"rule": "(has(self.teamIds) && size(self.teamIds) > 0) || (has(self.keyHashes) && size(self.keyHashes) > 0)", "message": "allowedCallers requires at least one of teamIds and keyHashes: name a caller, or set blocked to true to refuse every call"}
 * ]
 */
export interface AllowedCallers {
  /**
   * The ids of teams at the gateway.
   * @maxItems 64
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  teamIds?: string[];
  /**
   * The SHA-256 hashes of API keys (virtual keys), as 64 lowercase hexadecimal digits. LiteLLM shows them as the token of a key. For a GatewayKey: its status.keyId.
   * @maxItems 64
   * @listType set
   * @eachItem {"pattern": "^[0-9a-f]{64}$", "maxLength": 64}
   */
  keyHashes?: string[];
}

/**
 * Desired state of the customer at the gateway.
 * @x-kubernetes-validations [
 *   {"rule": "!has(self.budgetId) || (!has(self.maxBudget) && !has(self.budgetDuration))", "fieldPath": ".budgetId", "reason": "FieldValueForbidden", "message": "budgetId cannot be used together with maxBudget or budgetDuration: remove budgetId to set limits for this customer, or remove maxBudget and budgetDuration to use the tier"},
 *   {"rule": "!has(self.budgetRef) || !has(self.budgetId)", "fieldPath": ".budgetRef", "reason": "FieldValueForbidden", "message": "budgetRef cannot be used together with budgetId: remove one of the two"},
 *   {"rule": "!has(self.budgetRef) || (!has(self.maxBudget) && !has(self.budgetDuration) && !has(self.tpmLimit) && !has(self.rpmLimit))", "fieldPath": ".budgetRef", "reason": "FieldValueForbidden", "message": "budgetRef cannot be used together with maxBudget, budgetDuration, tpmLimit or rpmLimit: remove budgetRef to set limits for this customer, or remove the limits to use those of the GatewayBudget"}
 * ]
 */
export interface GatewayCustomerSpec {
  /**
   * The GatewayInstance that this customer belongs to. Immutable.
   * @x-kubernetes-validations [
   *   {"rule": "self == oldSelf", "message": "instanceRef cannot be changed: create another GatewayCustomer for the other instance, and delete this one"}
   * ]
   */
  instanceRef: InstanceRef;
  /**
   * The id of the end user at the gateway. Applications send it with each call. Immutable.
   * @minLength 1
   * @maxLength 256
   * @x-kubernetes-validations [
   *   {"rule": "self == oldSelf", "message": "customerId cannot be changed: create another GatewayCustomer with the new id, and delete this one"},
   *   {"rule": "!self.matches('^\\\\s|\\\\s$|[[:cntrl:]]')", "message": "customerId must not begin or end with white space or contain control characters: set it exactly as applications send it"},
   *   {"rule": "!self.matches('[\\\\p{Cc}\\\\p{Cf}\\\\p{Co}\\\\p{Zl}\\\\p{Zp}\\\\x{A0}\\\\x{1680}\\\\x{2000}-\\\\x{200A}\\\\x{202F}\\\\x{205F}\\\\x{3000}\\\\x{34F}\\\\x{115F}\\\\x{1160}\\\\x{17B4}\\\\x{17B5}\\\\x{180B}-\\\\x{180F}\\\\x{2065}\\\\x{2800}\\\\x{3164}\\\\x{FFA0}\\\\x{FE00}-\\\\x{FE0F}\\\\x{FFF0}-\\\\x{FFF8}\\\\x{E0000}-\\\\x{E0FFF}]')", "message": "customerId must not contain invisible characters or spaces other than U+0020: two ids that look the same would be different customers"}
   * ]
   */
  customerId: string;
  /**
   * Display name of the customer.
   * @minLength 1
   * @maxLength 256
   */
  alias?: string;
  /**
   * The maximum amount that the customer may spend, in USD, per budgetDuration. Without budgetDuration, the amount is a lifetime limit. Mutually exclusive with budgetId.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0", "message": "maxBudget must not be negative: set an amount in USD, or remove maxBudget for no limit"}
   * ]
   */
  maxBudget?: number;
  /**
   * The period after which the spend is reset to zero, as a number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d. Default: the spend is never reset, and maxBudget is a lifetime limit. Mutually exclusive with budgetId.
   * @maxLength 16
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[1-9][0-9]{0,5}(s|m|h|d|w|mo)$')", "message": "budgetDuration must be a whole number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d"}
   * ]
   */
  budgetDuration?: string;
  /**
   * The id of a budget tier that exists at the gateway. Mutually exclusive with maxBudget, budgetDuration and budgetRef.
   * @minLength 1
   * @maxLength 256
   * @x-kubernetes-validations [
   *   {"rule": "!self.startsWith('gcust-')", "message": "budgetId must not begin with gcust-, the prefix of the operator's own budgets: set the id of a tier"}
   * ]
   */
  budgetId?: string;
  /** The GatewayBudget whose limits apply to this customer. Mutually exclusive with budgetId and with the customer's own limits. */
  budgetRef?: BudgetRef;
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
   * The models that the customer may call. Default: all models.
   * @maxItems 1024
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  models?: string[];
  /**
   * The model for calls that do not specify a model. Not every gateway enforces it: see the condition FullyApplied.
   * @minLength 1
   * @maxLength 256
   */
  defaultModel?: string;
  /**
   * The region of the models that the customer may call, for example eu or us. Not every gateway enforces it: see the condition FullyApplied.
   * @minLength 1
   * @maxLength 64
   */
  allowedModelRegion?: string;
  /** Whether every call of the customer is rejected. The guardrail of the instance enforces it. Without a guardrail, not every gateway does: see the condition FullyApplied. An rpmLimit of 0 also rejects every call. */
  blocked?: boolean;
  /** Who may call for the customer. The guardrail of the instance refuses the calls of all others. Default: every caller. */
  allowedCallers?: AllowedCallers;
  /** The GuardrailPolicy for calls of this customer. It adds to the policy of the instance, and can only be stricter, unless spec.guardrail.allowLooserPolicies of the instance is true. The guardrail of the instance applies it. While the policy is not usable, the customer keeps the one that it has; without one, its calls are refused. */
  guardrailPolicyRef?: CustomerPolicyRef;
  /** The MCP servers, access groups, vector stores and agents that the customer may use. */
  objectPermission?: ObjectPermission;
  /**
   * Arbitrary key-value pairs that the gateway stores with the customer.
   * @maxProperties 128
   * @eachValue {"maxLength": 4096}
   */
  metadata?: Record<string, string>;
  /**
   * What happens to the gateway's record when this resource is deleted. Delete deletes the record, Orphan leaves it at the gateway.
   * @default "Delete"
   */
  deletionPolicy?: 'Delete' | 'Orphan';
  /**
   * What happens when the gateway already has a record with this id. Adopt takes over the record, Refuse reports a conflict in the condition Synced. Default: Adopt, because a gateway may have created the record at the customer's first call. spec.adoption of the GatewayInstance decides who may adopt: by default, only customers in its own namespace. For others, Adopt has no effect. A record that belongs to another GatewayCustomer is never adopted.
   */
  adoptionPolicy?: 'Adopt' | 'Refuse';
  /**
   * Whether the operator manages the gateway's record or only observes it. Manage creates, changes and deletes the record. Observe reads and reports the record, changes nothing at the gateway, also if this resource is deleted, and leaves the record to any GatewayCustomer that manages it. Default: Manage.
   */
  managementPolicy?: 'Manage' | 'Observe';
}

/** The resource, in the same namespace, from which a record was taken over. */
export interface TookOver {
  /** Name of the resource. */
  name: string;
  /**
   * When the resource released the record.
   * @format date-time
   */
  time: string;
}

/** The policy that every pod of the guardrail applies to calls of a customer. */
export interface CustomerPolicyStatus {
  /** The GuardrailPolicy, as namespace/name. */
  name: string;
  /** Digest of the GuardrailPolicy, as in its status.revision. */
  revision: string;
  /**
   * The time since which every pod of the guardrail applies it.
   * @format date-time
   */
  enforcedAt: string;
  /** The settings that apply to calls of the customer: those of its own policy and those of the instance together. */
  effective: EffectivePolicySettings;
  /**
   * What is stricter than for other customers of the instance, by the fields of the policy, for example entities.PERSON. default stands for all entity types that no policy names.
   * @maxItems 256
   * @listType set
   * @eachItem {"maxLength": 512}
   */
  tightened?: string[];
  /**
   * What is less strict than for other customers of the instance, because the instance allows it.
   * @maxItems 256
   * @listType set
   * @eachItem {"maxLength": 512}
   */
  loosened?: string[];
  /**
   * What is less strict in the customer's policy than in that of the instance, and has no effect.
   * @maxItems 256
   * @listType set
   * @eachItem {"maxLength": 512}
   */
  notApplied?: string[];
}

/** Settings of a guardrail for the calls of a customer. */
export interface EffectivePolicySettings {
  /** What is replaced if no rule names the entity type. */
  profile: 'Personal' | 'Confidential';
  /** How much is found. */
  recall: 'Precise' | 'Balanced' | 'Thorough';
  /** How images are handled. */
  images: 'Redact' | 'Block' | 'Pass';
  /** How images at addresses are handled. */
  remoteImages: 'Block' | 'Pass';
  /** What happens to text in images that cannot be read. */
  unreadText: 'Mask' | 'Block' | 'Note';
  /** Enforce replaces personal data. Monitor counts it and changes nothing. */
  enforcement: 'Enforce' | 'Monitor';
  /** How long a mapping is kept after its last use, for example 24h. */
  retention: string;
}

/** Observed state of the customer at the gateway. */
export interface GatewayCustomerStatus {
  /** Whether the gateway's record matches the spec. */
  synced?: boolean;
  /** The amount that the customer has spent, in USD, as the gateway reports it. */
  currentSpend?: number;
  /** Whether the gateway reports the customer as blocked. */
  blocked?: boolean;
  /**
   * The last time that the gateway's record matched the spec. A sync without changes updates this field once an hour. Failures and pauses do not update it.
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
  /** The previous owner of the record, which released it when it was deleted. If that resource is applied again soon, it gets the record back. */
  tookOver?: TookOver;
  /**
   * What this resource owns at the gateway. Owned: the customer record. TakingOver: the record of a deleted resource, before the first sync. Waiting: nothing, because another GatewayCustomer owns the record. Refused: nothing, because the record exists already and may not be adopted. NotAllowed: the record, but the instance no longer allows this resource. Observed: nothing, because managementPolicy is Observe. Absent: nothing is known yet.
   */
  ownership?: 'Owned' | 'TakingOver' | 'Waiting' | 'Refused' | 'NotAllowed' | 'Observed';
  /** Id of the budget tier that the customer is linked to. If managementPolicy is Observe, the id of any budget that the gateway links to the customer. */
  budgetId?: string;
  /** Id of the previous budget at the gateway, until it is deleted. The customer's own budget replaces it. */
  replacesBudget?: string;
  /** Id of the budget that the customer was linked to before this resource. Its other limits were copied. */
  copiedBudget?: string;
  /**
   * The fields that the operator has set at the gateway. The operator clears only these fields.
   * @maxItems 64
   * @listType set
   * @eachItem {"maxLength": 64}
   */
  appliedFields?: string[];
  /**
   * The fields that the gateway does not support or does not clear. The operator sends them again when the spec changes or a sync is requested.
   * @maxItems 64
   * @listType set
   * @eachItem {"maxLength": 64}
   */
  unappliedFields?: string[];
  /**
   * The time since which every guardrail pod of the instance enforces what the spec says about who may call: blocked and allowedCallers. Not set if the spec says nothing about it, or if it is not enforced yet.
   * @format date-time
   */
  enforcedAt?: string;
  /** Digest of what the spec said about who may call, at enforcedAt. */
  enforcedAccess?: string;
  /** The customer's own policy, as every pod of the guardrail applies it. Not set without spec.guardrailPolicyRef, and while no pod or not every one has the policy. While another revision or another policy is on its way, it shows the one that applies until then. */
  guardrailPolicy?: CustomerPolicyStatus;
  /** The last value of the annotation gateway.guardrail.dev/sync-requested that was handled. */
  lastHandledSyncRequest?: string;
  /**
   * Conditions of the customer: Synced (the gateway's record matches the spec), FullyApplied (the gateway stores and enforces every field of the spec), Ready (the same as Synced), Reconciling (True while the operator works on it or retries) and Stalled (True if it needs a change by a user). Reconciling and Stalled are absent if they are not True.
   * @maxItems 16
   * @listType map
   * @listMapKey type
   */
  conditions?: Condition[];
}

/**
 * GatewayCustomer is a customer (end user) of an AI gateway, with its budget, limits and models.
 * @categories ["gateway-guardrail"]
 * @printcolumn [
 *   {"name": "CustomerID", "type": "string", "jsonPath": ".spec.customerId", "description": "The id of the customer at the gateway."},
 *   {"name": "MaxBudget", "type": "number", "jsonPath": ".spec.maxBudget", "description": "The maximum amount that the customer may spend, in USD."},
 *   {"name": "Spend", "type": "number", "jsonPath": ".status.currentSpend", "description": "The amount that the customer has spent, in USD."},
 *   {"name": "Synced", "type": "boolean", "jsonPath": ".status.synced", "description": "Whether the gateway's record matches the spec."},
 *   {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp", "description": "The age of the resource."},
 *   {"name": "Instance", "type": "string", "jsonPath": ".spec.instanceRef.name", "priority": 1, "description": "The GatewayInstance of the customer."},
 *   {"name": "Tier", "type": "string", "jsonPath": ".status.budgetId", "priority": 1, "description": "The budget tier that the customer is linked to."},
 *   {"name": "Blocked", "type": "boolean", "jsonPath": ".status.blocked", "priority": 1, "description": "Whether the gateway reports the customer as blocked."},
 *   {"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Synced\")].reason", "priority": 1, "description": "The reason of the condition Synced."},
 *   {"name": "Last Sync", "type": "date", "jsonPath": ".status.lastSyncTime", "priority": 1, "description": "The last successful sync."}
 * ]
 */
export interface GatewayCustomer {
  apiVersion: typeof API_VERSION;
  kind: typeof gatewayCustomerNames.kind;
  metadata: ObjectMeta;
  spec: GatewayCustomerSpec;
  status?: GatewayCustomerStatus;
}
