/** The reasons for which a resource of any kind is Stalled. Pure. */
import type {
  BudgetConditionReason,
  CustomerConditionReason,
  InstanceConditionReason,
  InstanceConditionType,
  PolicyConditionReason,
} from './reasons.ts';

type Reason =
  | BudgetConditionReason
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
