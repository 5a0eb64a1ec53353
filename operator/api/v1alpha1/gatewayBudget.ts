import type { API_VERSION, Condition, ObjectMeta, ResourceNames } from './common.ts';
import { GROUP, VERSION } from './common.ts';
import type { InstanceRef } from './gatewayCustomer.ts';

/** Names of the kind at the API server. */
export const gatewayBudgetNames = {
  group: GROUP,
  version: VERSION,
  kind: 'GatewayBudget',
  listKind: 'GatewayBudgetList',
  plural: 'gatewaybudgets',
  singular: 'gatewaybudget',
  shortName: 'gbud',
} as const satisfies ResourceNames;

/** The limits of a customer for one model. */
export interface ModelBudget {
  /**
   * The maximum amount that each customer may spend on the model, in USD, per budgetDuration.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0", "message": "maxBudget must not be negative: set an amount in USD, or remove maxBudget for no limit"}
   * ]
   */
  maxBudget?: number;
  /**
   * The period after which the spend on the model is reset to zero, as a number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d.
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
   * The maximum number of requests per minute.
   * @asType integer
   * @format int64
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0", "message": "rpmLimit must not be negative: set a number of requests per minute, or remove rpmLimit for no limit"},
   *   {"rule": "self <= 9007199254740991", "message": "rpmLimit must be at most 9007199254740991: remove rpmLimit for no limit"}
   * ]
   */
  rpmLimit?: number;
}

/**
 * Desired state of the budget at the gateway.
 * @x-kubernetes-validations [
 *   {"rule": "has(self.budgetId) == has(oldSelf.budgetId) && (!has(self.budgetId) || self.budgetId == oldSelf.budgetId)", "fieldPath": ".budgetId", "message": "budgetId cannot be changed, set or removed: create another GatewayBudget with the new id, and delete this one"}
 * ]
 */
export interface GatewayBudgetSpec {
  /**
   * The GatewayInstance that this budget belongs to. Immutable.
   * @x-kubernetes-validations [
   *   {"rule": "self == oldSelf", "message": "instanceRef cannot be changed: create another GatewayBudget for the other instance, and delete this one"}
   * ]
   */
  instanceRef: InstanceRef;
  /**
   * The id of the budget at the gateway. Default: the name of the resource. Immutable. Outside the namespace of the GatewayInstance, the gateway's id is `<namespace>.<budgetId>`: no namespace can take the id of another.
   * @minLength 1
   * @maxLength 256
   * @x-kubernetes-validations [
   *   {"rule": "!self.startsWith('gcust-')", "message": "budgetId must not begin with gcust-, the prefix of the operator's own budgets: set another id"},
   *   {"rule": "!self.matches('^\\\\s|\\\\s$|[[:cntrl:]]')", "message": "budgetId must not begin or end with white space or contain control characters"}
   * ]
   */
  budgetId?: string;
  /**
   * The maximum amount that each customer of the budget may spend, in USD, per budgetDuration. Without budgetDuration, the amount is a lifetime limit.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0", "message": "maxBudget must not be negative: set an amount in USD, or remove maxBudget for no limit"}
   * ]
   */
  maxBudget?: number;
  /**
   * The amount, in USD, above which the gateway alerts its admins. The gateway does not reject calls because of it.
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0.0", "message": "softBudget must not be negative: set an amount in USD, or remove softBudget for no alerts"}
   * ]
   */
  softBudget?: number;
  /**
   * The period after which the spend is reset to zero, as a number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d. Default: the spend is never reset, and maxBudget is a lifetime limit.
   * @maxLength 16
   * @x-kubernetes-validations [
   *   {"rule": "self.matches('^[1-9][0-9]{0,5}(s|m|h|d|w|mo)$')", "message": "budgetDuration must be a whole number with a unit (s, m, h, d, w or mo), for example 1d, 7d or 30d"}
   * ]
   */
  budgetDuration?: string;
  /**
   * The maximum number of tokens per minute of each customer.
   * @asType integer
   * @format int64
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0", "message": "tpmLimit must not be negative: set a number of tokens per minute, or remove tpmLimit for no limit"},
   *   {"rule": "self <= 9007199254740991", "message": "tpmLimit must be at most 9007199254740991: remove tpmLimit for no limit"}
   * ]
   */
  tpmLimit?: number;
  /**
   * The maximum number of requests per minute of each customer. 0 rejects every request.
   * @asType integer
   * @format int64
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0", "message": "rpmLimit must not be negative: set a number of requests per minute, or remove rpmLimit for no limit"},
   *   {"rule": "self <= 9007199254740991", "message": "rpmLimit must be at most 9007199254740991: remove rpmLimit for no limit"}
   * ]
   */
  rpmLimit?: number;
  /**
   * The maximum number of concurrent requests of each customer.
   * @asType integer
   * @format int32
   * @x-kubernetes-validations [
   *   {"rule": "self >= 0", "message": "maxParallelRequests must not be negative: set a number of requests, or remove maxParallelRequests for no limit"}
   * ]
   */
  maxParallelRequests?: number;
  /**
   * The limits of each customer for single models, by the name of the model. LiteLLM accepts this field only with an enterprise licence.
   * @maxProperties 64
   */
  modelMaxBudget?: Record<string, ModelBudget>;
  /**
   * What happens to the gateway's budget when this resource is deleted. Delete deletes the budget, Orphan leaves it at the gateway. In both cases, the deletion waits until no customer and no instance refers to the budget.
   * @default "Delete"
   */
  deletionPolicy?: 'Delete' | 'Orphan';
  /**
   * What happens when the gateway already has a budget with this id. Adopt takes over the budget, Refuse reports it in the condition Ready. Default: Adopt in the namespace of the GatewayInstance, unless its spec.adoption is None. In other namespaces, an existing budget is always refused, because customers of all namespaces may share it.
   */
  adoptionPolicy?: 'Adopt' | 'Refuse';
  /**
   * Whether the operator manages the gateway's budget or only observes it. Manage creates, changes and deletes the budget. Observe reads and reports the budget, changes nothing at the gateway, also if this resource is deleted, and leaves the budget to any GatewayBudget that manages it. Default: Manage.
   */
  managementPolicy?: 'Manage' | 'Observe';
}

/** Observed state of the budget at the gateway. */
export interface GatewayBudgetStatus {
  /** The id of the budget at the gateway. Set when the gateway has the budget. */
  budgetId?: string;
  /**
   * Number of GatewayCustomers that use the budget.
   * @asType integer
   * @format int32
   */
  customers?: number;
  /**
   * The last time that the gateway's budget matched the spec. A sync without changes updates this field once an hour. Failures and pauses do not update it.
   * @format date-time
   */
  lastSyncTime?: string;
  /**
   * The last time that the operator changed the budget at the gateway. Customers that use the budget are written again after this time, because a gateway keeps the limits of a customer in its cache.
   * @format date-time
   */
  lastChangeTime?: string;
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
  /**
   * What this resource owns at the gateway. Owned: the budget. Creating: the budget, if the gateway has it, because its creation was begun. Waiting: nothing, because another GatewayBudget owns it. Refused: nothing, because the budget exists already and is not adopted. Observed: nothing, because managementPolicy is Observe. Absent: nothing is known yet.
   */
  ownership?: 'Owned' | 'Creating' | 'Waiting' | 'Refused' | 'Observed';
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
   * Conditions of the budget: Ready (the gateway's budget matches the spec), Reconciling (True while the operator works on it or retries) and Stalled (True if it needs a change by a user). Reconciling and Stalled are absent if they are not True.
   * @maxItems 16
   * @listType map
   * @listMapKey type
   */
  conditions?: Condition[];
}

/**
 * GatewayBudget is a budget tier of an AI gateway: limits that customers share the definition of. Each customer has its own spend.
 * @x-kubernetes-validations [
 *   {"rule": "has(self.spec.budgetId) || !self.metadata.name.startsWith('gcust-')", "message": "the name must not begin with gcust-, the prefix of the operator's own budgets: use another name, or set spec.budgetId"}
 * ]
 * @categories ["gateway-guardrail"]
 * @printcolumn [
 *   {"name": "BudgetID", "type": "string", "jsonPath": ".status.budgetId", "description": "The id of the budget at the gateway."},
 *   {"name": "Instance", "type": "string", "jsonPath": ".spec.instanceRef.name", "description": "The GatewayInstance of the budget."},
 *   {"name": "MaxBudget", "type": "number", "jsonPath": ".spec.maxBudget", "description": "The maximum amount that each customer may spend, in USD."},
 *   {"name": "Customers", "type": "integer", "jsonPath": ".status.customers", "description": "Number of customers that use the budget."},
 *   {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status", "description": "The status of the condition Ready."},
 *   {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp", "description": "The age of the resource."},
 *   {"name": "Duration", "type": "string", "jsonPath": ".spec.budgetDuration", "priority": 1, "description": "The period after which the spend is reset."},
 *   {"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].reason", "priority": 1, "description": "The reason of the condition Ready."},
 *   {"name": "Last Sync", "type": "date", "jsonPath": ".status.lastSyncTime", "priority": 1, "description": "The last successful sync."}
 * ]
 */
export interface GatewayBudget {
  apiVersion: typeof API_VERSION;
  kind: typeof gatewayBudgetNames.kind;
  metadata: ObjectMeta;
  spec: GatewayBudgetSpec;
  status?: GatewayBudgetStatus;
}
