import { annotations, type Condition } from '../api/v1alpha1/v1alpha1.ts';
import { printable } from '../runtime/runtime.ts';
import type {
  BudgetConditionReason,
  CustomerConditionReason,
  InstanceConditionReason,
  InstanceConditionType,
  KeyConditionReason,
  PolicyConditionReason,
} from './reasons.ts';

/** Longer messages are truncated. The API server rejects a status with a message of more than 32,768 bytes. */
const MAX_MESSAGE = 2_048;

/** An object with conditions: all kinds of this API. */
interface WithConditions {
  readonly metadata: { readonly generation: number };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The current condition of a type. */
export function currentCondition(object: WithConditions, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** The next condition of a type. The time of its transition changes only with its status. */
export function nextCondition(
  object: WithConditions,
  now: Date,
  found: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>,
): Condition {
  const { type, status, reason, message } = found;
  const before = currentCondition(object, type);
  return {
    type,
    status,
    observedGeneration: object.metadata.generation,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : now.toISOString(),
    reason,
    message: printable(message, MAX_MESSAGE),
  };
}

/** The reason of the next condition. A condition that stays True keeps its first reason. */
export function nextReason<Reason extends string>(object: WithConditions, type: string, reason: Reason): Reason {
  const before = currentCondition(object, type);
  return reason === 'UpToDate' && before?.status === 'True' ? (before.reason as Reason) : reason;
}

/** What Ready reports. */
export type ReadyState = Pick<Condition, 'status' | 'reason' | 'message'>;

/**
 * Ready, and at most one of Reconciling and Stalled, which exist only while they are True. kstatus, and with it Flux and
 * kpt, reads them of every kind.
 * @param stalled why only a change by a user helps; undefined if the operator works on the resource or retries
 */
export function readyConditions(
  object: WithConditions,
  now: Date,
  ready: ReadyState,
  stalled: Pick<Condition, 'reason' | 'message'> | undefined,
): Condition[] {
  const condition = nextCondition(object, now, { ...ready, type: 'Ready' });
  if (ready.status === 'True' || ready.reason === 'Paused') return [condition];
  const why = stalled ?? ready;
  const type = stalled === undefined ? 'Reconciling' : 'Stalled';
  return [condition, nextCondition(object, now, { ...why, type, status: 'True' })];
}

/** The condition message of a paused resource, for all kinds. */
export function pausedMessage({ metadata }: { readonly metadata: { readonly deletionTimestamp?: string } }): string {
  const state =
    metadata.deletionTimestamp === undefined
      ? 'Reconciliation is paused'
      : 'Reconciliation is paused and the deletion waits';
  return `${state}, because the annotation ${annotations.paused} is "true". Remove the annotation to resume.`;
}

/** The state of one condition of an instance. */
export interface ConditionState<Type extends InstanceConditionType> {
  readonly status: Condition['status'];
  readonly reason: InstanceConditionReason<Type>;
  /** State, cause and remedy, in one or two sentences. It contains no secret. */
  readonly message: string;
}

/**
 * The state of a condition for a feature that the spec does not request. It is False, because the feature does not
 * exist.
 */
export function notRequested<Type extends 'ProxyConfigured' | 'DefaultBudgetEnforced' | 'GuardrailReady'>(
  message: string,
): ConditionState<Type> {
  return { status: 'False', reason: 'NotRequested', message };
}

type Reason =
  | BudgetConditionReason
  | KeyConditionReason
  | CustomerConditionReason<'Synced'>
  | PolicyConditionReason
  | { [Type in InstanceConditionType]: InstanceConditionReason<Type> }[InstanceConditionType];

/**
 * The reasons after which only a change by a user helps. After all others the operator continues by itself. That something
 * is missing is none of them: a Secret, a Service or an instance may be on its way, from another manifest or another
 * controller, and a client that waits must not give up. A rollout that does not progress is one, as kstatus has it for a
 * Deployment.
 */
const userReasons: ReadonlySet<string> = new Set<Reason>([
  // What the resource may not have.
  'NamespaceNotAllowed',
  'CustomerIdNotAllowed',
  'BudgetNotAllowed',
  'BudgetIdReserved',
  'KeyNotAllowed',
  // What another resource or another client has.
  'Conflict',
  'AlreadyExists',
  'Differs',
  'Overwritten',
  'ConfigMapTaken',
  'NameTaken',
  'WorkloadTaken',
  'SidecarContested',
  // What the gateway or the API server refuses.
  'GatewayUnauthorized',
  'GatewayRejected',
  'NotConverged',
  'NotSupported',
  'ApplyRejected',
  // What is invalid, ambiguous or incomplete.
  'EndpointInvalid',
  'ServicePortUnclear',
  'GatewayPortUnclear',
  'CaInvalid',
  'CertificateInvalid',
  'BaseInvalid',
  'PolicyInvalid',
  'MetricsSecretInvalid',
  'InvalidPattern',
  'UnknownEntityType',
  'InvalidValue',
  'TooLarge',
  'RedisRequired',
  'WorkloadRequired',
  'ProxyConfigRequired',
  'KeyNotMounted',
  'CaNotMounted',
  'ConfigNotMounted',
  // What does not progress.
  'RolloutFailed',
]);

/** Whether only a change by a user ends a state with this reason. */
export function needsUser(reason: string): boolean {
  return userReasons.has(reason);
}

export {
  type BudgetConditionReason,
  type BudgetEventReason,
  type CustomerConditionReason,
  type CustomerConditionType,
  type CustomerEventReason,
  type InstanceConditionReason,
  type InstanceConditionType,
  type InstanceEventReason,
  type KeyConditionReason,
  type KeyEventReason,
  type PolicyConditionReason,
  type PolicyEventReason,
  type StandardConditionType,
} from './reasons.ts';
