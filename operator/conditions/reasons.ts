/**
 * Every condition type, condition reason and event reason of the operator, in one place. They are part of its
 * interface: users search for them, and `kubectl wait --for=condition=…` depends on them.
 */
/**
 * The conditions of every kind that kstatus reads: Ready, and at most one of Reconciling (the operator works on the resource
 * or retries) and Stalled (only a change by a user helps). Reconciling and Stalled are absent if they are not True.
 */
export type StandardConditionType = 'Ready' | 'Reconciling' | 'Stalled';

/** The conditions of a customer and their reasons. Ready, Reconciling and Stalled have the reasons of Synced. */
export const customerConditions = {
  /** The gateway's record matches the spec. */
  Synced: [
    'Created',
    'Adopted',
    'Updated',
    'UpToDate',
    'Observed',
    'Differs',
    'NotAtGateway',
    'InstanceNotFound',
    'InstanceNotReady',
    'NamespaceNotAllowed',
    'CustomerIdNotAllowed',
    'BudgetNotFound',
    'BudgetNotReady',
    'BudgetNotAllowed',
    'Conflict',
    'TakingOver',
    'AlreadyExists',
    'GatewayUnreachable',
    'GatewayUnauthorized',
    'GatewayRejected',
    'RateLimited',
    'Overwritten',
    'NotConverged',
    'Paused',
    'DeletionFailed',
    'ErasurePending',
    'InternalError',
  ],
  /** The gateway stores and enforces every field of the spec, and has cleared every field that was removed from it. */
  FullyApplied: [
    'AllFieldsApplied',
    'LimitsCopied',
    'FieldsNotSupported',
    'FieldsNotCleared',
    'FieldsNotEnforced',
    'PolicyNotFound',
    'PolicyInvalid',
    'PolicyNotAllowed',
    'NotSynced',
    'Observed',
  ],
} as const;

/** The reasons of a budget's conditions. Reconciling and Stalled have the reason of Ready. */
const budgetReasons = [
  'Created',
  'Adopted',
  'Updated',
  'UpToDate',
  'Observed',
  'Differs',
  'NotAtGateway',
  'Creating',
  'InstanceNotFound',
  'InstanceNotReady',
  'NamespaceNotAllowed',
  'Conflict',
  'AlreadyExists',
  'BudgetIdReserved',
  'NotSupported',
  'GatewayUnreachable',
  'GatewayUnauthorized',
  'GatewayRejected',
  'RateLimited',
  'NotConverged',
  'Paused',
  'InUse',
  'DeletionFailed',
  'InternalError',
] as const;

/** The conditions of a budget and their reasons. */
export const budgetConditions = {
  /** The gateway's budget matches the spec. */
  Ready: budgetReasons,
} as const;

/** The conditions of a key and their reasons. Reconciling and Stalled have the reason of Ready. */
export const keyConditions = {
  /** The gateway's key matches the spec, and the Secret contains it. */
  Ready: [
    'Created',
    'Adopted',
    'Updated',
    'Rotated',
    'UpToDate',
    'InstanceNotFound',
    'InstanceNotReady',
    'NamespaceNotAllowed',
    'KeyNotAllowed',
    'NameTaken',
    'ApplyRejected',
    'GatewayUnreachable',
    'GatewayUnauthorized',
    'GatewayRejected',
    'RateLimited',
    'NotConverged',
    'Paused',
    'DeletionFailed',
    'InternalError',
  ],
} as const;

/** The reasons of a policy that is not valid. */
const policyErrors = ['InvalidPattern', 'UnknownEntityType', 'InvalidValue', 'TooLarge'] as const;

/** The conditions of a policy and their reasons. Reconciling and Stalled have the reasons of Ready. */
export const policyConditions = {
  /** The policy is valid. */
  Accepted: ['Accepted', ...policyErrors],
  /** The policy is valid, and every guardrail pod of every resource that uses it has it. */
  Ready: ['Enforced', 'NotUsed', 'Writing', 'Reading', ...policyErrors, 'Paused', 'InUse', 'InternalError'],
} as const;

/** The conditions of an instance and their reasons. Reconciling and Stalled have the reasons of Ready. */
export const instanceConditions = {
  /** All requested features are ready. */
  Ready: [
    'Ready',
    'NotReachable',
    'ProxyNotConfigured',
    'DefaultBudgetNotEnforced',
    'GuardrailNotReady',
    'Paused',
    'Deleting',
    'CustomersRemain',
    'BudgetsRemain',
    'KeysRemain',
    'InternalError',
  ],
  /** The gateway's admin API is reachable and accepts the master key. */
  Reachable: [
    'Reachable',
    'EndpointInvalid',
    'ServiceNotFound',
    'ServicePortUnclear',
    'SecretNotFound',
    'SecretKeyMissing',
    'SecretNotReadable',
    'CaInvalid',
    'GatewayUnreachable',
    'GatewayUnauthorized',
    'GatewayError',
    'RateLimited',
  ],
  /** The gateway runs with the requested configuration. */
  ProxyConfigured: [
    'Configured',
    'NotRequested',
    'BaseNotFound',
    'BaseInvalid',
    'ConfigMapTaken',
    'KeyNotMounted',
    'CaNotMounted',
    'ConfigNotMounted',
    'WorkloadNotFound',
    'RollingOut',
    'RolloutFailed',
    'GuardrailNotDeployed',
  ],
  /** The gateway enforces the default budget for customers that have no budget themselves. */
  DefaultBudgetEnforced: [
    'Enforced',
    'NotRequested',
    'ProxyConfigRequired',
    'ProxyNotConfigured',
    'BudgetRowNotWritten',
    'BudgetNotFound',
    'BudgetNotReady',
    'BudgetNotAllowed',
    'NotSupported',
    'NotReachable',
  ],
  /** The guardrail runs as requested. */
  GuardrailReady: [
    'Ready',
    'NotRequested',
    'RollingOut',
    'RolloutFailed',
    'RedisRequired',
    'RedisSecretMissing',
    'MetricsSecretMissing',
    'MetricsSecretInvalid',
    'PolicyNotFound',
    'PolicyInvalid',
    'WorkloadRequired',
    'WorkloadNotFound',
    'WorkloadTaken',
    'SidecarContested',
    'EndpointUnknown',
    'GatewayPortUnclear',
    'CaSecretMissing',
    'CaInvalid',
    'CertificateMissing',
    'CertificateInvalid',
    'NotSupported',
    'NameTaken',
    'ApplyRejected',
  ],
} as const;

type ReportedCustomerCondition = keyof typeof customerConditions;
export type CustomerConditionType = ReportedCustomerCondition | StandardConditionType;
export type CustomerConditionReason<Type extends ReportedCustomerCondition = ReportedCustomerCondition> =
  (typeof customerConditions)[Type][number];
export type InstanceConditionType = keyof typeof instanceConditions;
export type InstanceConditionReason<Type extends InstanceConditionType = InstanceConditionType> =
  (typeof instanceConditions)[Type][number];

export type BudgetConditionReason = (typeof budgetConditions)['Ready'][number];
export type KeyConditionReason = (typeof keyConditions)['Ready'][number];
export type PolicyConditionReason = (typeof policyConditions)[keyof typeof policyConditions][number];

/** The reasons of a customer's events. An event reports a transition, never a reconcile without one. */
export const customerEventReasons = [
  'Created',
  'Adopted',
  'Updated',
  'DriftCorrected',
  'WaitingForInstance',
  'WaitingForBudget',
  'SyncFailed',
  'Recovered',
  'Conflict',
  'Overwritten',
  'NotConverged',
  'Paused',
  'Resumed',
  'Deleted',
  'TakenOver',
  'Orphaned',
  'DeletionFailed',
  'ForceDeleted',
  'SessionsErased',
  'SessionsNotErased',
  'InternalError',
] as const;
export type CustomerEventReason = (typeof customerEventReasons)[number];

/** The reasons of a budget's events. An event reports a transition, never a reconcile without one. */
export const budgetEventReasons = [
  'Created',
  'Adopted',
  'Updated',
  'DriftCorrected',
  'WaitingForInstance',
  'SyncFailed',
  'Recovered',
  'Conflict',
  'NotConverged',
  'Paused',
  'Resumed',
  'InUse',
  'Deleted',
  'Orphaned',
  'DeletionFailed',
  'ForceDeleted',
  'InternalError',
] as const;
export type BudgetEventReason = (typeof budgetEventReasons)[number];

/** The reasons of a key's events. An event reports a transition, never a reconcile without one. */
export const keyEventReasons = [
  'Created',
  'Adopted',
  'Updated',
  'Rotated',
  'DriftCorrected',
  'WaitingForInstance',
  'SyncFailed',
  'Recovered',
  'NotConverged',
  'Paused',
  'Resumed',
  'Deleted',
  'Orphaned',
  'DeletionFailed',
  'ForceDeleted',
  'InternalError',
] as const;
export type KeyEventReason = (typeof keyEventReasons)[number];

/** The reasons of a policy's events. An event reports a transition, never a reconcile without one. */
export const policyEventReasons = [
  'Accepted',
  'NotAccepted',
  'InUse',
  'ForceDeleted',
  'Paused',
  'Resumed',
  'InternalError',
] as const;
export type PolicyEventReason = (typeof policyEventReasons)[number];

/** The reasons of an instance's events. An event reports a transition, never a reconcile without one. */
export const instanceEventReasons = [
  'Ready',
  'NotReady',
  'GuardrailDeployed',
  'GuardrailRemoved',
  'SidecarRemoved',
  'SidecarContested',
  'Orphaned',
  'ProxyConfigured',
  'ApiKeyRotated',
  'EncryptionKeyRotated',
  'CustomerListFailed',
  'GuardrailNotAnswering',
  'CustomersRemain',
  'BudgetsRemain',
  'KeysRemain',
  'InternalError',
  'ForceDeleted',
  'Paused',
  'Resumed',
] as const;
export type InstanceEventReason = (typeof instanceEventReasons)[number];

export type EventReason =
  CustomerEventReason | BudgetEventReason | KeyEventReason | PolicyEventReason | InstanceEventReason;
