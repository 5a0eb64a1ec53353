import type { API_VERSION, Condition, LabelName, ObjectMeta, ObjectName, ResourceNames } from './common.ts';
import { GROUP, VERSION } from './common.ts';

/** How the API server knows customers. */
export const gatewayCustomerNames = {
  group: GROUP,
  version: VERSION,
  kind: 'GatewayCustomer',
  listKind: 'GatewayCustomerList',
  plural: 'gatewaycustomers',
  singular: 'gatewaycustomer',
  shortName: 'gcust',
} as const satisfies ResourceNames;

/** The gateway that a customer belongs to. */
export interface InstanceRef {
  /** Name of the GatewayInstance. */
  name: ObjectName;
  /** Namespace of the GatewayInstance, which must allow this customer's namespace. Default: the customer's own namespace. */
  namespace?: LabelName;
}

/** Which of the gateway's advanced objects a customer may use. */
export interface ObjectPermission {
  /**
   * Names of the MCP servers that the customer may use.
   * @maxItems 256
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  mcpServers?: string[];
  /**
   * Names of the access groups that the customer is in.
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
 * The customer as it shall be at the gateway.
 * @x-kubernetes-validations [
 *   {"rule": "!has(self.budgetId) || (!has(self.maxBudget) && !has(self.budgetDuration))", "fieldPath": ".budgetId", "reason": "FieldValueForbidden", "message": "budgetId cannot be used together with maxBudget or budgetDuration: remove budgetId to give this customer limits of its own, or remove maxBudget and budgetDuration to use the tier"}
 * ]
 */
export interface GatewayCustomerSpec {
  /**
   * The gateway that this customer belongs to. Cannot be changed.
   * @x-kubernetes-validations [
   *   {"rule": "self == oldSelf", "message": "instanceRef cannot be changed: create another GatewayCustomer for the other instance, and delete this one"}
   * ]
   */
  instanceRef: InstanceRef;
  /**
   * The id under which the gateway knows this end user, and which applications send with each call. Cannot be changed.
   * @minLength 1
   * @maxLength 256
   * @x-kubernetes-validations [
   *   {"rule": "self == oldSelf", "message": "customerId cannot be changed: create another GatewayCustomer with the new id, and delete this one"},
   *   {"rule": "!self.matches('^\\\\s|\\\\s$|[[:cntrl:]]')", "message": "customerId must not begin or end with white space or hold control characters: write it exactly as the application sends it"}
   * ]
   */
  customerId: string;
  /**
   * A name for people to read.
   * @minLength 1
   * @maxLength 256
   */
  alias?: string;
  /**
   * The most that the customer may spend, in USD: in each period of budgetDuration or, without one, in its whole life. Not together with budgetId.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0", "message": "maxBudget must not be negative: write an amount in USD, or leave it out for no limit"}
   * ]
   */
  maxBudget?: number;
  /**
   * After which time the spend counts from zero again, as a number with a unit (s, m, h, d, w or mo), such as 1d, 7d or 30d. Default: never, so that maxBudget is a cap for the customer's life. Not together with budgetId.
   * @maxLength 16
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[1-9][0-9]{0,5}(s|m|h|d|w|mo)$')", "message": "budgetDuration must be a whole number with a unit (s, m, h, d, w or mo): write for example 1d, 7d or 30d"}
   * ]
   */
  budgetDuration?: string;
  /**
   * Id of a budget tier that exists at the gateway. Not together with maxBudget or budgetDuration.
   * @minLength 1
   * @maxLength 256
   * @x-kubernetes-validations [
   *   {"rule": "!self.startsWith('gcust-')", "message": "budgetId must not begin with gcust-, which names the rows that the operator keeps for single customers: name a tier of your own"}
   * ]
   */
  budgetId?: string;
  /**
   * The most tokens that the customer may use in a minute.
   * @asType integer
   * @format int64
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0", "message": "tpmLimit must not be negative: write a number of tokens a minute, or leave it out for no limit"},
   *   {"rule": "self <= 9007199254740991", "message": "tpmLimit must be at most 9007199254740991: leave it out for no limit"}
   * ]
   */
  tpmLimit?: number;
  /**
   * The most requests that the customer may make in a minute. 0 refuses every request.
   * @asType integer
   * @format int64
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0", "message": "rpmLimit must not be negative: write a number of requests a minute, or leave it out for no limit"},
   *   {"rule": "self <= 9007199254740991", "message": "rpmLimit must be at most 9007199254740991: leave it out for no limit"}
   * ]
   */
  rpmLimit?: number;
  /**
   * The models that the customer may call. Default: all.
   * @maxItems 1024
   * @listType set
   * @eachItem {"minLength": 1, "maxLength": 256}
   */
  models?: string[];
  /**
   * The model for calls that name none. Not every gateway acts on it: see the condition FullyApplied.
   * @minLength 1
   * @maxLength 256
   */
  defaultModel?: string;
  /**
   * The region whose models alone the customer may call, such as eu or us. Not every gateway acts on it: see the condition FullyApplied.
   * @minLength 1
   * @maxLength 64
   */
  allowedModelRegion?: string;
  /** Whether every call of the customer is refused. Not every gateway acts on it: see the condition FullyApplied. An rpmLimit of 0 refuses every call, too. */
  blocked?: boolean;
  /** Which of the gateway's advanced objects the customer may use. */
  objectPermission?: ObjectPermission;
  /**
   * Anything else to keep with the customer at the gateway.
   * @maxProperties 128
   * @eachValue {"maxLength": 4096}
   */
  metadata?: Record<string, string>;
  /**
   * Whether the gateway's record is deleted with this resource, or left behind.
   * @default "Delete"
   */
  deletionPolicy?: 'Delete' | 'Orphan';
  /**
   * Whether a record that the gateway already has for this id is taken over, or refused with a condition. Default: Adopt in the instance's own namespace, where a gateway may have created the record at a customer's first call; Refuse in other namespaces. A record that belongs to another GatewayCustomer is never taken over.
   */
  adoptionPolicy?: 'Adopt' | 'Refuse';
}

/** From which resource, of the same namespace, a record was taken over. */
export interface TookOver {
  /** Name of that resource. */
  name: string;
  /**
   * When it gave up the record.
   * @format date-time
   */
  time: string;
}

/** The customer as it was last seen at the gateway. */
export interface GatewayCustomerStatus {
  /** Whether the gateway's record agrees with the spec. */
  synced?: boolean;
  /** What the customer has spent, in USD, as the gateway reports it. */
  currentSpend?: number;
  /** Whether the gateway reports the customer as blocked. */
  blocked?: boolean;
  /**
   * When the gateway's record was last found or made to agree with the spec. A success that changes nothing moves it once an hour; a failure and a pause never do.
   * @format date-time
   */
  lastSyncTime?: string;
  /**
   * The generation of the spec that this status was found for.
   * @asType integer
   * @format int64
   */
  observedGeneration?: number;
  /** Hash of the spec that the gateway last took. */
  specHash?: string;
  /** Digest of the address of the gateway that holds the record. */
  gateway?: string;
  /** The resource that had the record before this one, and gave it up when it was deleted. If it is applied again soon, it gets the record back. */
  tookOver?: TookOver;
  /** The budget row at the gateway that this customer's own replaces, until it is deleted there. */
  replacesBudget?: string;
  /** The budget that the customer was linked to before this resource, and whose other limits were copied. */
  copiedBudget?: string;
  /**
   * The fields that the operator has set at the gateway: only these are ever cleared again.
   * @maxItems 64
   * @listType set
   * @eachItem {"maxLength": 64}
   */
  appliedFields?: string[];
  /** The last value of the annotation gateway.guardrail.dev/sync-requested that was acted on. */
  lastHandledSyncRequest?: string;
  /**
   * What holds for this customer: Synced (the gateway's record agrees with the spec) and FullyApplied (the gateway holds and enforces every field of the spec).
   * @maxItems 16
   * @listType map
   * @listMapKey type
   */
  conditions?: Condition[];
}

/**
 * A customer (end user) of an AI gateway: its budget, its limits and the models that it may call.
 * @printcolumn [
 *   {"name": "CustomerID", "type": "string", "jsonPath": ".spec.customerId", "description": "The id under which the gateway knows the customer."},
 *   {"name": "MaxBudget", "type": "number", "jsonPath": ".spec.maxBudget", "description": "The most that the customer may spend, in USD."},
 *   {"name": "Spend", "type": "number", "jsonPath": ".status.currentSpend", "description": "What the customer has spent, in USD."},
 *   {"name": "Synced", "type": "boolean", "jsonPath": ".status.synced", "description": "Whether the gateway's record agrees with the spec."},
 *   {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp", "description": "How long the resource has existed."},
 *   {"name": "Instance", "type": "string", "jsonPath": ".spec.instanceRef.name", "priority": 1, "description": "The gateway that the customer belongs to."},
 *   {"name": "Tier", "type": "string", "jsonPath": ".spec.budgetId", "priority": 1, "description": "The budget tier of the customer."},
 *   {"name": "Blocked", "type": "boolean", "jsonPath": ".status.blocked", "priority": 1, "description": "Whether the gateway reports the customer as blocked."},
 *   {"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Synced\")].reason", "priority": 1, "description": "Why the customer is, or is not, synced."},
 *   {"name": "Last Sync", "type": "date", "jsonPath": ".status.lastSyncTime", "priority": 1, "description": "When the customer was last synced successfully."}
 * ]
 */
export interface GatewayCustomer {
  apiVersion: typeof API_VERSION;
  kind: typeof gatewayCustomerNames.kind;
  metadata: ObjectMeta;
  spec: GatewayCustomerSpec;
  status?: GatewayCustomerStatus;
}
