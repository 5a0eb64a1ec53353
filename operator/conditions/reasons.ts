/**
 * Every condition type, condition reason and event reason of the operator, each in one place: they are part of its
 * interface, since people grep for them and `kubectl wait --for=condition=…` depends on them.
 */
import type { Condition } from '../api/v1alpha1/v1alpha1.ts';

/** What holds for a customer. */
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
  /** The gateway holds and enforces every field of the spec, and has cleared every field that was taken out of it. */
  FullyApplied: [
    'AllFieldsApplied',
    'LimitsCopied',
    'FieldsNotSupported',
    'FieldsNotCleared',
    'FieldsNotEnforced',
    'NotSynced',
  ],
} as const;

/** What holds for an instance. */
export const instanceConditions = {
  /** All that the spec asks for holds. */
  Ready: [
    'Ready',
    'NotReachable',
    'ProxyNotConfigured',
    'DefaultBudgetNotEnforced',
    'GuardrailNotReady',
    'Paused',
    'Deleting',
    'CustomersRemain',
    'InternalError',
  ],
  /** The gateway's admin API answers, and takes the key. */
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
  /** The gateway runs with the configuration that the spec asks for. */
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
  /** A customer without a budget of its own is held to the default. */
  DefaultBudgetEnforced: [
    'Enforced',
    'NotRequested',
    'ProxyNotConfigured',
    'BudgetRowNotWritten',
    'BudgetNotFound',
    'NotSupported',
    'NotReachable',
  ],
  /** The guardrail runs as the spec asks for. */
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

/** A condition of a customer whose type and reason are among those listed. */
export type CustomerCondition = Condition &
  { [Type in CustomerConditionType]: { type: Type; reason: CustomerConditionReason<Type> } }[CustomerConditionType];
/** A condition of an instance whose type and reason are among those listed. */
export type InstanceCondition = Condition &
  { [Type in InstanceConditionType]: { type: Type; reason: InstanceConditionReason<Type> } }[InstanceConditionType];

/** Reasons of the events on a customer. An event tells of a transition, never of a mere reconcile. */
export const customerEventReasons = [
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
  'Deleted',
  'TakenOver',
  'Orphaned',
  'DeletionFailed',
  'ForceDeleted',
  'SessionsErased',
  'InternalError',
] as const;
export type CustomerEventReason = (typeof customerEventReasons)[number];

/** Reasons of the events on an instance. An event tells of a transition, never of a mere reconcile. */
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
  'InternalError',
  'ForceDeleted',
  'Paused',
  'Resumed',
] as const;
export type InstanceEventReason = (typeof instanceEventReasons)[number];

/** Reasons of the events of the operator itself, on its lease or on a CRD. */
export const operatorEventReasons = ['LeaderElection', 'CrdInstalled', 'CrdUpgraded', 'CrdTooNew'] as const;
export type OperatorEventReason = (typeof operatorEventReasons)[number];

export type EventReason = CustomerEventReason | InstanceEventReason | OperatorEventReason;
