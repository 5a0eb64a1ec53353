/**
 * Every condition type, condition reason and event reason of the operator, in one place. They are part of its
 * interface: users search for them, and `kubectl wait --for=condition=…` depends on them.
 */
import type { Condition } from '../api/v1alpha1/v1alpha1.ts';

/** The conditions of a customer and their reasons. */
export const customerConditions = {
  /** The gateway's record matches the spec. */
  Synced: [
    'Created',
    'Adopted',
    'Updated',
    'UpToDate',
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
    'NotConverged',
    'Paused',
    'Deleting',
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
    'NotSynced',
  ],
} as const;

/** The reasons of a budget's conditions. Reconciling and Stalled have the reason of Ready. */
const budgetReasons = [
  'Created',
  'Adopted',
  'Updated',
  'UpToDate',
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
  /** The operator works on the budget or retries. Absent if it does not. */
  Reconciling: budgetReasons,
  /** The budget needs a change by a user. Absent if it does not. */
  Stalled: budgetReasons,
} as const;

/** The conditions of an instance and their reasons. */
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
    'ConfigNotMounted',
    'WorkloadNotFound',
    'RollingOut',
    'GuardrailNotDeployed',
  ],
  /** The gateway enforces the default budget for customers that have no budget themselves. */
  DefaultBudgetEnforced: [
    'Enforced',
    'NotRequested',
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
    'PolicyNotFound',
    'PolicyInvalid',
    'WorkloadRequired',
    'WorkloadNotFound',
    'WorkloadTaken',
    'SidecarContested',
    'EndpointUnknown',
    'GatewayPortUnclear',
    'CaSecretMissing',
    'NotSupported',
    'NameTaken',
    'ApplyRejected',
  ],
} as const;

export type CustomerConditionType = keyof typeof customerConditions;
export type CustomerConditionReason<Type extends CustomerConditionType = CustomerConditionType> =
  (typeof customerConditions)[Type][number];
export type InstanceConditionType = keyof typeof instanceConditions;
export type InstanceConditionReason<Type extends InstanceConditionType = InstanceConditionType> =
  (typeof instanceConditions)[Type][number];

export type BudgetConditionType = keyof typeof budgetConditions;
export type BudgetConditionReason = (typeof budgetReasons)[number];

/** A condition of a customer with a listed type and reason. */
export type CustomerCondition = Condition &
  { [Type in CustomerConditionType]: { type: Type; reason: CustomerConditionReason<Type> } }[CustomerConditionType];
/** A condition of an instance with a listed type and reason. */
export type InstanceCondition = Condition &
  { [Type in InstanceConditionType]: { type: Type; reason: InstanceConditionReason<Type> } }[InstanceConditionType];

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
  'NotConverged',
  'Paused',
  'Resumed',
  'Deleted',
  'TakenOver',
  'Orphaned',
  'DeletionFailed',
  'ForceDeleted',
  'SessionsErased',
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
  'CustomersRemain',
  'BudgetsRemain',
  'InternalError',
  'ForceDeleted',
  'Paused',
  'Resumed',
] as const;
export type InstanceEventReason = (typeof instanceEventReasons)[number];

/** The reasons of the operator's own events, on its lease or on a CRD. */
export const operatorEventReasons = ['LeaderElection', 'CrdInstalled', 'CrdUpgraded', 'CrdTooNew'] as const;
export type OperatorEventReason = (typeof operatorEventReasons)[number];

export type EventReason = CustomerEventReason | BudgetEventReason | InstanceEventReason | OperatorEventReason;
