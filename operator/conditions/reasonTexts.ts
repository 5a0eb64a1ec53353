/**
 * What each reason of a condition or an event means. The reference (docs/reference.md) contains these sentences. A reason means
 * the same wherever it occurs: the message of the condition or the event adds the names and the remedy.
 */
import type {
  BudgetConditionReason,
  CustomerConditionReason,
  EventReason,
  InstanceConditionReason,
  InstanceConditionType,
  KeyConditionReason,
  PolicyConditionReason,
} from './reasons.ts';

type Reason =
  | CustomerConditionReason
  | BudgetConditionReason
  | KeyConditionReason
  | PolicyConditionReason
  | { [Type in InstanceConditionType]: InstanceConditionReason<Type> }[InstanceConditionType]
  | EventReason;

/** The meaning of each reason. */
export const reasonTexts: Readonly<Record<Reason, string>> = {
  // Records at the gateway.
  Created: 'The operator created the record at the gateway.',
  Adopted: 'The operator manages a record that existed already.',
  Updated: 'The operator changed the record to match the spec.',
  Rotated: 'A new key is in the Secret. The previous one stays valid for the grace period.',
  UpToDate: 'The record matches the spec.',
  DriftCorrected: 'The record differed from the spec or was missing, and the operator corrected it.',
  Observed: 'With managementPolicy Observe: the record has the values of the spec.',
  Differs: 'With managementPolicy Observe: the record differs from the spec.',
  NotAtGateway: 'With managementPolicy Observe: the gateway has no record.',
  Creating: 'The record is being created.',
  AlreadyExists: 'The gateway has a record with this id, and the resource may not adopt it.',
  Conflict: 'Another resource manages the record.',
  TakingOver: 'The resource takes over the record of a resource that was deleted.',
  TakenOver: 'Another resource took over the record of the deleted resource.',
  Overwritten: 'Another client, such as an operator in another cluster, changes the record after each correction.',
  NotConverged: 'The gateway accepted an update, and still reports other values.',
  SyncFailed: 'The record could not be compared or corrected.',
  Recovered: 'The record matches the spec again after a failure.',

  // The gateway.
  GatewayUnreachable: 'The gateway does not answer.',
  GatewayUnauthorized: 'The gateway refuses the master key.',
  GatewayRejected: 'The gateway refuses the values.',
  GatewayError: 'The gateway answers with an error.',
  RateLimited: 'The gateway refuses calls with 429, and the operator waits.',
  NotSupported: 'The gateway does not support what the spec requests.',
  Reachable: 'The admin API of the gateway answers and accepts the master key.',
  NotReachable: 'The gateway is not reachable: see the condition Reachable.',
  EndpointInvalid: 'The address of the gateway is not valid.',
  ServiceNotFound: 'The Service of the gateway does not exist.',
  ServicePortUnclear: 'The Service of the gateway has several ports or none, and the spec names none of them.',
  SecretNotFound: 'A Secret that the spec names does not exist.',
  SecretKeyMissing: 'A Secret that the spec names has no value under the key.',
  SecretNotReadable: 'The operator is not permitted to read a Secret.',
  CaInvalid: 'The Secret of the certificate authority contains no valid certificates.',
  CertificateMissing:
    'The certificate of the guardrail does not exist, or cert-manager has not issued a valid one yet.',
  CertificateInvalid: 'The certificate of the guardrail has expired, is for another name, or does not fit its key.',
  CaSecretMissing: 'The Secret of the certificate authority does not exist or has no value under the key.',

  // References.
  InstanceNotFound: 'The GatewayInstance does not exist.',
  InstanceNotReady: 'The GatewayInstance exists, and its gateway cannot be called yet.',
  WaitingForInstance: 'The resource waits for its GatewayInstance.',
  NamespaceNotAllowed: 'The GatewayInstance does not allow the namespace of the resource.',
  CustomerIdNotAllowed:
    'The GatewayInstance does not allow this customer id in the namespace, or the id contains invisible characters.',
  KeyNotAllowed: 'The GatewayInstance does not allow a key with this spec in the namespace.',
  BudgetNotFound: 'The GatewayBudget does not exist.',
  BudgetNotReady: 'The GatewayBudget exists and is not Ready.',
  BudgetNotAllowed: 'The GatewayBudget belongs to another instance or to a namespace that may not be named.',
  WaitingForBudget: 'The customer waits for its GatewayBudget.',
  BudgetIdReserved: 'The id of the budget is reserved for the operator.',
  PolicyNotFound: 'The GuardrailPolicy, or the ConfigMap of the policy, does not exist.',
  PolicyInvalid: 'The policy is not valid.',
  PolicyNotAllowed: 'The GuardrailPolicy is in a namespace that the resource may not name.',

  // The fields of a customer.
  AllFieldsApplied: 'The gateway or the guardrail applies every field of the spec.',
  LimitsCopied:
    'Every field is applied. The limits that the spec does not name were copied from a budget, and do not follow its changes.',
  FieldsNotSupported: 'The gateway does not store a field of the spec.',
  FieldsNotCleared: 'The gateway does not clear a field that the spec no longer has.',
  FieldsNotEnforced: 'The gateway stores a field of the spec and does not enforce it.',
  NotSynced: 'Not known, because the customer is not Synced.',

  // Policies.
  Accepted: 'The policy is valid.',
  NotAccepted: 'The policy is not valid.',
  InvalidPattern: 'A pattern is not in RE2 syntax.',
  UnknownEntityType: 'A rule names an entity type that nothing finds.',
  InvalidValue: 'A value is not valid.',
  TooLarge: 'The policy is larger than a guardrail accepts.',
  NotUsed: 'The policy is valid, and no resource refers to it.',
  Writing: 'The operator has not yet written the policy for each guardrail that uses it.',
  Reading: 'Not every guardrail pod has read the policy yet.',
  Enforced: 'What the spec requests is in force.',

  // Instances.
  Ready: 'What the spec requests is ready.',
  NotReady: 'A part of what the spec requests is not ready.',
  NotRequested: 'The spec does not request it.',
  Configured: 'The gateway runs with the configuration.',
  ProxyConfigured: 'The gateway runs with a new configuration.',
  ProxyNotConfigured: 'The gateway does not run with the configuration: see the condition ProxyConfigured.',
  ProxyConfigRequired: 'The gateway needs a configuration for this, and the spec has no proxyConfig.',
  BaseNotFound: 'The ConfigMap of the base does not exist or has no value under the key.',
  BaseInvalid: 'The base is not a valid configuration of the gateway.',
  ConfigMapTaken: 'The ConfigMap belongs to something else.',
  CaNotMounted: "The gateway's Deployment does not mount the certificates with which it calls the guardrail by TLS.",
  KeyNotMounted: "The gateway's Deployment does not mount the API key of the guardrail.",
  ConfigNotMounted: "The gateway's Deployment does not mount the configuration.",
  WorkloadNotFound: "The gateway's Deployment does not exist.",
  WorkloadRequired: 'A sidecar needs workloadRef, which the spec does not have.',
  WorkloadTaken: "Another instance manages the gateway's Deployment.",
  RollingOut: 'New pods are starting.',
  RolloutFailed: 'The rollout does not progress.',
  GuardrailNotDeployed: 'The gateway does not call the guardrail yet, because the guardrail is not running.',
  GuardrailNotReady: 'The guardrail is not ready: see the condition GuardrailReady.',
  DefaultBudgetNotEnforced: 'The default budget is not enforced: see the condition DefaultBudgetEnforced.',
  BudgetRowNotWritten: 'The default budget could not be written to the gateway.',
  RedisRequired: 'Several pods share mappings, and the spec names no Redis.',
  RedisSecretMissing: 'The Secret with the address of Redis does not exist or has no value under the key.',
  MetricsSecretMissing: 'The Secret with the token of the metrics does not exist or has no value under the key.',
  MetricsSecretInvalid: 'The token of the metrics is too short, or has characters that are not visible.',
  SidecarContested: 'Another client removes the sidecar repeatedly, and the operator stopped to add it.',
  EndpointUnknown: 'The guardrail cannot forward calls, because the address of the gateway is not known.',
  GatewayPortUnclear: 'The operator cannot tell on which port the gateway listens.',
  NameTaken: 'An object with a name that the operator needs belongs to something else.',
  ApplyRejected: 'The API server refuses an object of the guardrail.',
  GuardrailDeployed: 'The guardrail runs.',
  GuardrailRemoved: 'The guardrail was removed.',
  SidecarRemoved: "The sidecar was removed from the gateway's Deployment.",
  ApiKeyRotated: 'The guardrail has a new API key.',
  EncryptionKeyRotated: 'The guardrail has a new encryption key.',
  GuardrailNotAnswering:
    'A pod of the guardrail takes calls, and does not answer the operator. Nothing is reported as enforced until it does.',
  CustomerListFailed: 'The list of who may call cannot be written. The guardrail keeps the previous one.',

  // The life of a resource.
  Paused: 'The annotation paused stops reconciliation.',
  Resumed: 'The annotation paused was removed.',
  Deleting: 'The resource is being deleted.',
  Deleted: 'The record was deleted at the gateway.',
  DeletionFailed: 'The record could not be deleted, and the operator retries.',
  ErasurePending: 'The record is deleted, and the pseudonym mappings could not be erased yet.',
  SessionsErased: 'The pseudonym mappings of the customer were erased.',
  SessionsNotErased:
    'The pseudonym mappings were not erased: the instance is being deleted, and its spec no longer has a guardrail.',
  Orphaned: 'The resource was deleted, and what it managed remains.',
  ForceDeleted: 'The annotation force-delete released the resource although its deletion did not succeed.',
  InUse: 'The deletion waits, because other resources use the resource.',
  CustomersRemain: 'The deletion waits for the customers of the instance.',
  BudgetsRemain: 'The deletion waits for the budgets of the instance.',
  KeysRemain: 'The deletion waits for the keys of the instance.',
  InternalError: 'The reconcile failed for a reason that the operator does not know. It retries.',

  // The operator itself.
};
